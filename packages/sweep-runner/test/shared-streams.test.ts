import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { audit } from "../src/checks/audit.ts";
import { monotonicClock, startTimeline } from "../src/clock.ts";
import { carriesTokens, chunkMarks } from "../src/records/chunk-series.ts";
import { Recorder } from "../src/load/recorder.ts";
import { createHttpTarget } from "../src/targets/http-target.ts";
import { readUsage } from "../src/stream/openai-events.ts";
import type { ChunkMark, RequestRecord } from "../src/record.ts";
import { e2elMs } from "../src/figures/request-figures.ts";
import { summarize } from "../src/figures/summarize.ts";
import { startServer, stream, type Responder, type StreamEnd } from "./support/scripted-server.ts";
import { sendOne } from "./support/send-one.ts";
import { sharedCases } from "./support/shared-cases.ts";

const cases = sharedCases("AC");
const streams = cases.filter(({ kind }) => kind === "sse");

/** The names that this project has for the cases' flags. */
const FLAG_CODES: Readonly<Record<string, string>> = {
  missing_done: "done-missing",
  no_finish_reason: "finish-missing",
  shorter_than_requested: "eos-not-ignored",
  fewer_than_min_tokens: "min-tokens-not-kept",
  burst_delivery: "burst-delivery",
};
/** What the cases leave to the client: retries have a test of their own, other times are not asserted. */
const NOT_CHECKED = new Set(["with_retry", "ttft_ms_range", "advice_keys", "ttft_from_chunk_index_any_of"]);

interface Script {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks_base64: readonly string[];
  readonly plain_chunks_base64?: readonly string[];
  readonly chunks_repeat?: readonly number[];
  readonly delays_ms: readonly number[];
  readonly end: StreamEnd;
  readonly request?: Readonly<Record<string, number | boolean | string[]>>;
  readonly client_read_timeout_ms?: number;
}

/** Serves a case as `tools/replay.py` does, telling when each write happened. */
function replay(script: Script, onWrite: () => void = () => {}): Responder {
  return (request, response) => {
    const headers = { ...script.headers };
    let chunks = script.chunks_base64;
    if (
      headers["content-encoding"] === "gzip" &&
      !String(request.headers["accept-encoding"]).includes("gzip")
    ) {
      chunks = script.plain_chunks_base64 ?? [];
      delete headers["content-encoding"];
    }
    const parts = chunks.map((text, index) => {
      const bytes = Buffer.from(text, "base64");
      return Buffer.concat(Array.from({ length: script.chunks_repeat?.[index] ?? 1 }, () => bytes));
    });
    const { status, delays_ms: delaysMs, end } = script;
    return stream(response, parts, { status, headers, delaysMs, end, onWrite });
  };
}

/** What this client says about a stream, in the words of the cases. */
async function observe(script: Script): Promise<Record<string, unknown>> {
  const timeline = startTimeline(monotonicClock);
  const writes: number[] = [];
  const server = await startServer({
    "/v1/chat/completions": replay(script, () => writes.push(timeline.now())),
  });
  try {
    const fields = { max_tokens: 8, ...script.request };
    const timeoutMs = script.client_read_timeout_ms ?? 10_000;
    const { record, content, reasoning } = await sendOne(server.url, { timeline, fields, timeoutMs });
    // The last write before the arrival is the one that completed the event.
    const writeOf = (mark: ChunkMark | undefined): number | null =>
      mark === undefined ? null : writes.findLastIndex((at) => at <= mark[0]);
    const ok = record.state === "ok";
    return {
      success: ok,
      output_text: content,
      reasoning_text: reasoning,
      finish_reason: record.finish.raw,
      usage: ok ? record.usage : null,
      ttft_from_chunk_index: writeOf(chunkMarks(record.chunks).find(carriesTokens)),
      ttft_content_from_chunk_index: writeOf(
        chunkMarks(record.chunks).find((mark) => mark[1] === "content" && carriesTokens(mark)),
      ),
      content_events: chunkMarks(record.chunks).filter(carriesTokens).length,
      error: {
        kind: record.error?.kind.replace("-", "_"),
        status: record.status,
        message: record.error?.message ?? "",
      },
      flags: flagsOf(record, script),
    };
  } finally {
    await server.close();
  }
}

function flagsOf(record: RequestRecord, { request = {} }: Script): string[] {
  const cap = typeof request["max_tokens"] === "number" ? request["max_tokens"] : 8;
  const ignoreEos = request["ignore_eos"] === true;
  const rule = {
    name: ignoreEos ? ("ignore-eos" as const) : ("eos" as const),
    cap,
    stop: [],
    requested: { ignoreEos },
    sent: request,
  };
  const summary = summarize([record], { asked: 1, cap, acceptance: null, acceptanceMissing: null });
  return audit({ records: [record], summary, rule, draftBudget: null, metrics: null }).map(
    ({ code }) => code,
  );
}

/** Which of the expected values were not observed; empty when all were. */
function missed(
  seen: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(expected)
    .filter(([key, value]) => !NOT_CHECKED.has(key) && !agrees(key, value, seen[key], expected))
    .map(([key, value]) => `${key}: expected ${JSON.stringify(value)}, saw ${JSON.stringify(seen[key])}`);
}

function agrees(
  key: string,
  value: unknown,
  actual: unknown,
  expected: Readonly<Record<string, unknown>>,
): boolean {
  switch (key) {
    case "usage":
      return isDeepStrictEqual(actual, expected["success"] === true ? readUsage(value) : null);
    case "ttft_from_chunk_index":
      return ((expected["ttft_from_chunk_index_any_of"] as unknown[] | undefined) ?? [value]).includes(
        actual,
      );
    case "flags":
      return (value as string[]).every((flag) => (actual as string[]).includes(FLAG_CODES[flag] ?? flag));
    case "error": {
      const error = value as { kind: string; status?: number; message_contains?: string };
      const { kind, status, message } = actual as { kind: string; status: number; message: string };
      const sameStatus = error.status === undefined || error.status === status;
      return error.kind === kind && sameStatus && message.includes(error.message_contains ?? "");
    }
    default:
      return isDeepStrictEqual(actual, value);
  }
}

describe.runIf(cases.length === 0)("stream cases from public reports", () => {
  it("are absent: kind sse of A and C is skipped (ONPAR_SHARED_CASES names their folder)", () => {
    expect(streams).toEqual([]);
  });
});

describe.runIf(cases.length > 0)("stream cases from public reports", () => {
  it("are all played", () => {
    const others = cases.filter(({ id, kind }) => id.startsWith("A") && kind !== "sse");
    expect(others.map(({ id }) => id)).toEqual(["A27"]);
  });

  it.each(streams)("$id", async ({ input, expected }) => {
    const seen = await observe(input as unknown as Script);
    expect(missed(seen, expected)).toEqual([]);
  });

  it("A28: with retries, a refused request ends well, timed from its first sending", async () => {
    const a28 = cases.find(({ id }) => id === "A28");
    const then = cases.find(({ id }) => id === a28?.input["then"]);
    const scripts = [a28?.input, then?.input].map((input) => input as unknown as Script);
    let sent = 0;
    const server = await startServer({
      "/v1/chat/completions": (request, response) => {
        const script = scripts[Math.min(sent++, 1)];
        return script === undefined ? undefined : replay(script)(request, response);
      },
    });
    try {
      const { record } = await sendOne(server.url, { retries: 1 });
      const expected = a28?.expected["with_retry"] as Record<string, number | boolean>;
      expect({ success: record.state === "ok", retries: record.retries }).toEqual({
        success: expected["success"],
        retries: expected["retries"],
      });
      expect(e2elMs(record)).toBeGreaterThanOrEqual(Number(expected["e2e_ms_at_least"]));
    } finally {
      await server.close();
    }
  });

  it("A27: a connection that was closed while it was idle is no failure", async () => {
    const a27 = cases.find(({ id }) => id === "A27");
    const input = a27?.input ?? {};
    const expected = a27?.expected ?? {};
    const script = cases.find(({ id }) => id === "A03")?.input as unknown as Script;
    const { keep_alive_idle_close_ms: idleMs } = input["server"] as Record<string, number>;
    const server = await startServer({
      "/v1/chat/completions": async (request, response) => {
        const { socket } = response;
        response.on("finish", () => setTimeout(() => socket?.destroy(), idleMs));
        await replay(script)(request, response);
      },
    });
    const target = createHttpTarget({
      root: server.url,
      endpoint: "chat-completions",
      apiKey: null,
      model: "m",
      fields: { max_tokens: 8 },
      templateKwargs: {},
      timeoutMs: 10_000,
      timeline: startTimeline(monotonicClock),
    });
    try {
      const request = target.prepare({ id: "p", kind: "text", text: "hi", addSpecialTokens: true });
      const observer = new Recorder();
      let successes = 0;
      for (const { at_ms: at = 0 } of input["requests"] as Record<string, number>[]) {
        await sleep(at);
        const { error } = await target.send(request, observer, new AbortController().signal);
        if (error === null) successes++;
      }
      expect(successes).toBe(expected["successes"]);
      expect(server.connections).toBeGreaterThanOrEqual(Number(expected["tcp_connections_min"]));
    } finally {
      await target.close();
      await server.close();
    }
  });
});
