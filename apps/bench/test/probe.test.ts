import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";

import { afterEach, describe, expect, it } from "vitest";

import { onpar } from "./fake-env.ts";
import { startModelServer } from "./model-server.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

interface Faults {
  readonly obeysIgnoreEos?: boolean;
  readonly strict?: boolean;
  readonly usage?: boolean;
}

/** A server whose model says "yes" and stops, unless it is told not to. */
function smallServer(faults: Faults): RequestListener {
  const known = /^(model|messages|prompt|max_tokens|temperature|top_p|seed|stream|stream_options)$/;
  return (request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.on("end", () => {
      const send = (status: number, body: unknown): void => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      };
      if (request.url === "/v1/models") return send(200, { data: [{ id: "m", max_model_len: 512 }] });
      if (!(request.url ?? "").endsWith("completions")) return send(404, { detail: "Not Found" });
      const body = JSON.parse(text) as Record<string, unknown>;
      const strange = Object.keys(body).find((key) => !known.test(key));
      if (faults.strict === true && strange !== undefined)
        return send(400, { error: { message: `unknown field ${strange}` } });
      const cap = Number(body["max_tokens"]);
      const forced = body["ignore_eos"] === true && faults.obeysIgnoreEos !== false;
      const length = forced ? cap : Math.min(cap, Math.max(2, Number(body["min_tokens"] ?? 0)));
      const content = `yes${String(body["temperature"] === 1 ? body["seed"] : "")}`;
      const finish = length === cap ? "length" : "stop";
      const usage = faults.usage === false ? {} : { usage: { prompt_tokens: 9, completion_tokens: length } };
      if (body["stream"] !== true)
        return send(200, {
          choices: [{ message: { content }, text: content, finish_reason: finish }],
          ...usage,
        });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: finish }] })}\n\n`,
      );
      if (faults.usage !== false) response.write(`data: ${JSON.stringify({ choices: [], ...usage })}\n\n`);
      response.end("data: [DONE]\n\n");
    });
  };
}

interface Probed {
  readonly contextLimit: number | null;
  readonly generations: number;
  readonly checks: readonly { name: string; status: string; seen: string; advice: string | null }[];
}

async function probe(faults: Faults): Promise<Readonly<Record<string, string>>> {
  const { code, stdout, stderr } = await onpar(["probe", await serve(smallServer(faults)), "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const result = JSON.parse(stdout) as Probed;
  expect(result.contextLimit).toBe(512);
  expect(result.generations).toBeLessThanOrEqual(24);
  for (const { status, advice } of result.checks) expect(status !== "no" || advice !== null).toBe(true);
  return Object.fromEntries(result.checks.map(({ name, status }) => [name, status]));
}

describe("onpar probe", () => {
  it("proves what holds", async () => {
    expect(await probe({})).toMatchObject({
      ignore_eos: "yes",
      min_tokens: "yes",
      seed: "yes",
      "streaming usage": "yes",
      "unknown keys": "no",
      tokenize: "no",
      chat_template_kwargs: "unknown",
      metrics: "no",
    });
  });

  it("tells that ignore_eos is dropped", async () => {
    expect(await probe({ obeysIgnoreEos: false })).toMatchObject({ ignore_eos: "no", min_tokens: "yes" });
  });

  it("tells which keys are refused", async () => {
    expect(await probe({ strict: true })).toMatchObject({
      ignore_eos: "no",
      min_tokens: "no",
      chat_template_kwargs: "no",
      "unknown keys": "yes",
      seed: "yes",
    });
  });

  it("says unknown where nothing counts", async () => {
    expect(await probe({ usage: false })).toMatchObject({
      ignore_eos: "unknown",
      min_tokens: "unknown",
      "streaming usage": "no",
      template: "unknown",
    });
  });

  it("prints a table with a line of advice per gap", async () => {
    const { code, stdout } = await onpar(["probe", await serve(smallServer({ obeysIgnoreEos: false }))]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /\n {2}ignore_eos +no +2 tokens without, 2 with, the cap being 64\n +-> run with --no-ignore-eos/,
    );
    expect(stdout).toMatch(/\n\d+ small generations in [\d.]+ s\n$/);
  });

  it("sends the headers that it is given, and refuses what no header or certificate can be", async () => {
    const seen: (string | undefined)[] = [];
    const small = smallServer({});
    const url = await serve((request, response) => {
      seen.push(request.headers["x-team"] as string | undefined);
      small(request, response);
    });
    expect((await onpar(["probe", url, "--json", "--header", "X-Team=blue"])).code).toBe(0);
    expect(new Set(seen)).toEqual(new Set(["blue"]));
    for (const [flags, message] of [
      [["--ca-file", "ca.pem"], /--ca-file: .*not https/],
      [["--insecure"], /--insecure: .*not https/],
      [["--header", "Authorization=Bearer abc"], /env:VARIABLE/],
      [["--header", "X-Team"], /--header/],
    ] as const) {
      const { code, stderr } = await onpar(["probe", url, ...flags]);
      expect(code, flags.join(" ")).toBe(2);
      expect(stderr).toMatch(message);
      expect(stderr).not.toContain("Bearer abc");
    }
  });

  it("refuses in one line what is no usable server", async () => {
    const guarded = await startModelServer({ apiKey: "secret" });
    open.push(() => guarded.close());
    const cases: [string[], number, RegExp][] = [
      [["probe", guarded.url], 3, /401: no key was sent/],
      [["probe", "http://127.0.0.1:1"], 3, /cannot reach/],
      [["probe", "nonsense"], 2, /no address of a server/],
      [["probe", guarded.url, "--limit", "x"], 2, /--limit x/],
      [
        ["probe", await serve((_, response) => response.end("<html>Log in</html>"))],
        3,
        /does not list models/,
      ],
      [["probe", await serve(() => {}), "--request-timeout", "0.2"], 3, /no answer from .* within 200 ms/],
    ];
    for (const [argv, expected, message] of cases) {
      const { code, stdout, stderr } = await onpar(argv);
      expect({ code, stdout }, argv.join(" ")).toEqual({ code: expected, stdout: "" });
      expect(stderr).toMatch(message);
      expect(stderr.trim()).not.toContain("\n");
    }
  });
});
