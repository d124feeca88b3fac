import { createHash } from "node:crypto";
import type { Timeline } from "../clock.ts";
import { planOf, type TargetPrompt } from "../prompt.ts";
import { createHttpSender } from "../transport/http-sender.ts";
import { cutHoles, fillBody, type Hole } from "./live-answers.ts";
import { readBody, type PreparedRequest, type Target, type WireSpec } from "./target.ts";

/** A request as bytes. */
export interface WireRequest extends PreparedRequest {
  readonly body: Buffer;
  /** Where answers of earlier turns belong. */
  readonly holes: readonly Hole[];
}

/** A target that sends JSON bodies over HTTP. */
export function createWireTarget(
  wire: WireSpec,
  timeline: Timeline,
  bodyOf: (prompt: TargetPrompt) => Readonly<Record<string, unknown>>,
): Target<WireRequest> {
  const sender = createHttpSender(wire, timeline);
  const fill = (request: WireRequest, answers: readonly string[]): WireRequest => {
    const body = fillBody(request.body, request.holes, answers);
    return { ...request, waits: false, sha256: sha256Of(body), body, holes: [] };
  };
  return {
    prepare(prompt) {
      const json = JSON.stringify(bodyOf(prompt));
      const { body, holes } = prompt.waits === true ? cutHoles(json) : { body: Buffer.from(json), holes: [] };
      const promptTokens = prompt.kind === "ids" ? prompt.ids.length : null;
      return { promptId: prompt.id, sha256: sha256Of(body), promptTokens, ...planOf(prompt), body, holes };
    },
    fill,
    describe: (request) => readBody(request.body.toString("utf8")),
    send: (request, observer, signal) => sender.send(request.body, observer, signal),
    close: () => sender.close(),
    remote: { wire, body: (request) => request.body, fill, holes: (request) => request.holes },
  };
}

function sha256Of(body: Buffer): string {
  return createHash("sha256").update(body).digest("hex");
}
