import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spreadFigure } from "../src/figures/spread.ts";
import { readRecords } from "../src/records/read-records.ts";
import { config } from "./support/config.ts";
import { run, runError, withFolder } from "./support/run.ts";
import { models, sendJson } from "./support/scripted-server.ts";
import { serversOfEachTest } from "./support/servers.ts";
import { sharedCases, type SharedCase } from "./support/shared-cases.ts";

const { benchServer } = serversOfEachTest();
const cases = new Map(sharedCases("G").map((one) => [one.id, one]));
/** A port that nobody listens on. */
const NOBODY = "http://127.0.0.1:9";

/** What each scenario comes to here, in the words of the cases. */
const SCENARIOS: Readonly<
  Record<string, (input: SharedCase["input"], expected: SharedCase["expected"]) => Promise<object>>
> = {
  async G01(input, expected) {
    const server = await benchServer({
      routes: {
        "/v1/models": (_, response) => sendJson(response, 200, input["v1_models"]),
        "/v1/completions": (_, response) => sendJson(response, Number(input["status"]), input["body"]),
      },
    });
    const numPrompts = Number(input["planned_requests"]);
    const { message } = await runError(run(config(server.url, { numPrompts, concurrency: 16 })));
    const sent = server.completions.length;
    const holds = (parts: unknown): unknown => (parts as string[]).filter((part) => message.includes(part));
    return {
      stops_early: sent < numPrompts,
      requests_sent_at_most: Math.max(sent, Number(expected["requests_sent_at_most"])),
      message_contains: holds(expected["message_contains"]),
      message_should_list: holds(expected["message_should_list"]),
    };
  },
  async G03(input) {
    const server = await benchServer({ delayMs: 10 });
    return withFolder(async (folder) => {
      const output = join(folder, "records.jsonl");
      const stop = new AbortController();
      const wanted = Number(input["interrupt_after_completed"]);
      const numPrompts = Number(input["planned"]);
      const result = await run(config(server.url, { numPrompts, concurrency: 1, output }), {
        signal: stop.signal,
        observer: {
          onEvent: (event) => {
            if (event.type === "request-finished" && event.done === wanted) stop.abort();
          },
        },
      });
      const [kept] = await readRecords(output);
      const ok = kept?.records.filter(({ state }) => state === "ok").length ?? 0;
      return {
        records_saved_at_least: Math.min(ok, wanted),
        marked: result.interrupted && kept?.end?.interrupted === true ? "interrupted" : "",
        loadable: kept !== undefined,
      };
    });
  },
  async G04(input) {
    const server = await benchServer();
    return withFolder(async (folder) => {
      const output = join(folder, "records.jsonl");
      await run(config(server.url, { output }));
      const first = await readFile(output, "utf8");
      for (let again = 1; again < Number(input["runs"]); again++) await run(config(server.url, { output }));
      return {
        result_files: (await readRecords(output)).length,
        first_result_unchanged: (await readFile(output, "utf8")).startsWith(first),
      };
    });
  },
  async G06b(input) {
    const values = input["repeats_p99_ttft_ms"] as number[];
    const { median, min, max } = spreadFigure([values], { seed: 1 });
    return { median, min, max };
  },
  async G07() {
    const error = await runError(run(config(NOBODY)));
    return {
      message_contains_any: ["refused", "not reachable"].filter((part) =>
        error.message.toLowerCase().includes(part),
      ),
      stack_trace: error.message.includes("\n"),
    };
  },
  async G08(input, expected) {
    const server = await benchServer();
    await run(config(server.url), { apiKey: input["api_key"] as null });
    const without = server.completions.map(({ headers }) => headers.authorization);
    const { api_key: apiKey = "" } = expected["with_key"] as Record<string, string>;
    return withFolder(async (folder) => {
      const output = join(folder, "records.jsonl");
      const result = await run(config(server.url, { output }), { apiKey });
      const seen = server.completions.at(-1)?.headers.authorization;
      const written = (await readFile(output, "utf8")) + JSON.stringify(result);
      return {
        authorization_header_sent: without.some((header) => header !== undefined),
        with_key: {
          api_key: apiKey,
          authorization_header: seen,
          key_in_output_files: written.includes(apiKey),
        },
      };
    });
  },
  async G11(_, expected) {
    const server = await benchServer({ routes: { "/v1/models": models("demo-model") } });
    const target = { metricsUrl: `${NOBODY}/metrics` };
    const { summary, findings } = await run(config(server.url, { target }));
    const lines = findings.filter(({ message }) => message.includes("metrics page")).length;
    return {
      log_lines_about_it_at_most:
        lines === 0 ? 0 : Math.max(lines, Number(expected["log_lines_about_it_at_most"])),
      run_continues: summary.counts.ok === summary.counts.asked,
    };
  },
};

/** The exit code is that of the command line; the time is no matter for a test; the mean is the figure that is not reported. */
const ELSEWHERE = new Set(["exit_code_nonzero", "ends_within_ms", "mean", "advice_keys"]);

describe.runIf(cases.size === 0)("scenarios from public reports", () => {
  it("are absent: kind G is skipped (ONPAR_SHARED_CASES names their folder)", () => {
    expect(cases.size).toBe(0);
  });
});

describe.runIf(cases.size > 0)("scenarios from public reports", () => {
  it("are all played", () => {
    expect([...cases.keys()].filter((id) => SCENARIOS[id] === undefined)).toEqual([]);
  });

  it.each([...cases.values()])("$id", async ({ id, input, expected }) => {
    const seen = await SCENARIOS[id]?.(input, expected);
    const wanted = Object.entries(expected).filter(([key]) => !ELSEWHERE.has(key));
    const any = wanted.filter(([key]) => key.endsWith("_any"));
    expect(seen).toMatchObject(Object.fromEntries(wanted.filter((one) => !any.includes(one))));
    const named = Object.entries(seen ?? {}).filter(([key]) => key.endsWith("_any"));
    expect(named.map(([, parts]) => (parts as string[]).length > 0)).toEqual(any.map(() => true));
  });
});
