import { createHash } from "node:crypto";
import type { Timeline } from "../clock.ts";
import type { TargetPrompt } from "../prompt.ts";
import { createHttpSender } from "../transport/http-sender.ts";
import { readBody, type PreparedRequest, type Target, type WireSpec } from "./target.ts";

/** A request as bytes. */
export interface WireRequest extends PreparedRequest {
  readonly body: Buffer;
}

/** A target that sends JSON bodies over HTTP. */
export function createWireTarget(
  wire: WireSpec,
  timeline: Timeline,
  bodyOf: (prompt: TargetPrompt) => Readonly<Record<string, unknown>>,
): Target<WireRequest> {
  const sender = createHttpSender(wire, timeline);
  return {
    prepare(prompt) {
      const body = Buffer.from(JSON.stringify(bodyOf(prompt)));
      return {
        promptId: prompt.id,
        sha256: createHash("sha256").update(body).digest("hex"),
        promptTokens: null,
        body,
      };
    },
    describe: (request) => readBody(request.body.toString("utf8")),
    send: (request, observer, signal) => sender.send(request.body, observer, signal),
    close: () => sender.close(),
    remote: { wire, body: (request) => request.body },
  };
}
