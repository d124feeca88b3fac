import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BenchConfigInput } from "@onpar/bench-config";
import { describe, expect, it } from "vitest";
import { readRecords } from "../src/records/read-records.ts";
import { planRest } from "../src/run-plan.ts";
import { planLoad } from "../src/load/load-plan.ts";
import { config } from "./support/config.ts";
import { codes, run, runByWorkers, runError, withFolder } from "./support/run.ts";
import { delta, DONE, models, sendJson, stream, usage } from "./support/scripted-server.ts";
import { bodyOf, serversOfEachTest } from "./support/servers.ts";

const { scriptedServer } = serversOfEachTest();

interface Message {
  readonly role: string;
  readonly content: string;
}

const messagesOf = (request: { readonly body: string }): Message[] =>
  bodyOf(request)["messages"] as Message[];

/** Answers "re: <last message>", with a character that JSON has to escape; a message that says "fail" gets status 500. */
const echo = () =>
  scriptedServer({
    "/v1/models": models("m"),
    "/v1/chat/completions": (request, response) => {
      const last = messagesOf(request).at(-1)?.content ?? "";
      if (last.includes("fail")) return sendJson(response, 500, { error: { message: "broken" } });
      const text = `re: "${last}"\n`;
      return stream(response, [
        delta({ role: "assistant", content: "" }),
        delta({ reasoning_content: "hm" }),
        delta({ content: text.slice(0, 4) }),
        delta({ content: text.slice(4) }),
        delta({}, "stop"),
        usage(9, 3),
        DONE,
      ]);
    },
  });

async function withRows<T>(
  rows: readonly unknown[],
  use: (settings: BenchConfigInput, output: string) => Promise<T>,
): Promise<T> {
  return withFolder(async (folder) => {
    const datasetPath = join(folder, "turns.jsonl");
    await writeFile(datasetPath, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    const output = join(folder, "records.jsonl");
    return use(
      {
        datasetPath,
        output,
        dataset: { kind: "multi-turn" },
        target: { endpoint: "chat-completions" },
        ignoreEos: false,
        numPrompts: rows.length,
      },
      output,
    );
  });
}

const questions = [
  { id: "a", turns: ["one", "two", "three"] },
  { id: "b", turns: ["uno", "dos"] },
];

describe("turns of a conversation", () => {
  it.each(["here", "thread", "process"] as const)(
    "follow the answers of the server where the file has none, sent from %s",
    async (where) => {
      const server = await echo();
      await withRows(questions, async (settings, output) => {
        const full = config(server.url, { ...settings, concurrency: 2, client: { workers: 2 } });
        const workerKind = where === "process" ? ("process" as const) : ("thread" as const);
        const result =
          where === "here"
            ? await run(full)
            : await runByWorkers({ ...full, client: { ...full.client, workerKind } });
        expect(result.summary.counts).toMatchObject({ asked: 5, ok: 5 });
        const said = server.completions.map((request) => messagesOf(request).map(({ content }) => content));
        expect(said).toContainEqual(["one", 're: "one"\n', "two", 're: "two"\n', "three"]);
        expect(said).toContainEqual(["uno", 're: "uno"\n', "dos"]);
        const roles = server.completions.map((request) => messagesOf(request).map(({ role }) => role));
        expect(roles).toContainEqual(["user", "assistant", "user", "assistant", "user"]);

        const [journal] = await readRecords(output);
        const records = journal?.records ?? [];
        expect(records.map(({ turn }) => `${turn?.conversation}${turn?.index}`).sort()).toEqual([
          "a0",
          "a1",
          "a2",
          "b0",
          "b1",
        ]);
        const hashes = server.completions.map(({ body }) => createHash("sha256").update(body).digest("hex"));
        expect(records.map(({ requestSha256 }) => requestSha256).sort()).toEqual(hashes.sort());
      });
    },
  );

  it("wait for the answer before them and for the pause of the person", async () => {
    const server = await echo();
    await withRows(questions, async (settings, output) => {
      await run(config(server.url, { ...settings, dataset: { kind: "multi-turn", turnDelayMs: 30 } }));
      const [journal] = await readRecords(output);
      const records = journal?.records ?? [];
      for (const record of records.filter(({ turn }) => (turn?.index ?? 0) > 0)) {
        const before = records.find(
          ({ turn }) =>
            turn?.conversation === record.turn?.conversation && turn?.index === (record.turn?.index ?? 0) - 1,
        );
        expect(record.scheduledNs).toBeGreaterThanOrEqual((before?.endNs ?? Infinity) + 30e6);
        expect(record.sentNs).toBeGreaterThanOrEqual(record.scheduledNs);
      }
      // One lane plays one conversation to its end.
      expect(records.map(({ turn }) => turn?.conversation)).toEqual(["a", "a", "a", "b", "b"]);
    });
  });

  const recorded = {
    id: "g",
    conversations: [
      { from: "system", value: "be kind" },
      { from: "human", value: "q1" },
      { from: "gpt", value: "a1" },
      { from: "human", value: "q2" },
      { from: "gpt", value: "a2" },
    ],
  };

  it("follow the recorded answers where there are some, or the server's if that is asked for", async () => {
    const server = await echo();
    await withRows([recorded], async (settings) => {
      await run(config(server.url, settings));
      await run(config(server.url, { ...settings, dataset: { kind: "multi-turn", history: "live" } }));
    });
    const said = server.completions.map((request) => messagesOf(request).map(({ content }) => content));
    expect(said).toEqual([
      ["be kind", "q1"],
      ["be kind", "q1", "a1", "q2"],
      ["be kind", "q1"],
      ["be kind", "q1", 're: "q1"\n', "q2"],
    ]);
  });

  it("are as many as were asked for", async () => {
    const server = await echo();
    await withRows(questions, async (settings) => {
      const result = await run(
        config(server.url, { ...settings, dataset: { kind: "multi-turn", turns: 2 } }),
      );
      expect(result.summary.counts.asked).toBe(4);
      const one = await run(config(server.url, { ...settings, dataset: { kind: "auto" } }));
      expect(one.summary.counts.asked).toBe(2);
    });
  });

  it("of a row of messages end where the model spoke, its calls of tools included", async () => {
    const server = await echo();
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    const messages = [
      { role: "user", content: "q" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: "42" },
      { role: "assistant", content: "it is 42" },
      { role: "user", content: "thanks" },
    ];
    await withRows([{ messages }], async (settings) => {
      await run(config(server.url, settings));
    });
    expect(server.completions.map((request) => messagesOf(request).length)).toEqual([1, 3, 5]);
    expect(bodyOf(server.completions[2])["messages"]).toEqual(messages);
  });

  it("are cut off after one without an answer: asked is still the sum of what became of them", async () => {
    const server = await echo();
    await withRows(
      [{ id: "x", turns: ["fine", "fail now", "never", "nor this"] }, ...questions],
      async (settings, output) => {
        const result = await run(config(server.url, settings));
        expect(result.summary.counts).toMatchObject({
          asked: 9,
          ok: 6,
          failed: 1,
          dropped: 2,
          aborted: 0,
          unsent: 0,
        });
        expect(codes(result)).toContain("turns-cut");
        expect(codes(result)).not.toContain("requests-dropped");
        const [journal] = await readRecords(output);
        const cut = (journal?.records ?? []).filter(({ state }) => state === "dropped");
        expect(cut.map(({ turn }) => turn)).toEqual([
          { conversation: "x", index: 2 },
          { conversation: "x", index: 3 },
        ]);
      },
    );
  });

  it("go on after a kill where they follow the file, and refuse to where they follow the server", async () => {
    const server = await echo();
    await withRows([recorded, { ...recorded, id: "h" }], async (settings, output) => {
      const controller = new AbortController();
      let finished = 0;
      const observer = {
        onEvent: (event: { readonly type: string }) => {
          if (event.type === "request-finished" && ++finished === 3) controller.abort();
        },
      };
      await run(config(server.url, settings), { observer, signal: controller.signal });
      const sent = server.completions.length;
      const rest = await run(config(server.url, settings), { resume: true });
      expect(rest.summary.counts).toMatchObject({ asked: 4, ok: 4, unsent: 0 });
      const [journal] = await readRecords(output);
      const ended = (journal?.records ?? []).filter(({ state }) => state === "ok");
      expect(new Set(ended.map(({ id }) => id)).size).toBe(4);
      expect(server.completions.length).toBeLessThanOrEqual(sent + 2);
    });
    await withRows(questions, async (settings) => {
      const controller = new AbortController();
      const observer = {
        onEvent: (event: { readonly type: string }) => {
          if (event.type === "request-finished") controller.abort();
        },
      };
      await run(config(server.url, settings), { observer, signal: controller.signal });
      const error = await runError(run(config(server.url, settings), { resume: true }));
      expect(error.code).toBe("RECORDS_INVALID");
      expect(error.message).toContain("leave out --resume");
    });
  });

  it("that are left stay jobs of their conversations, in their order", () => {
    const full = planLoad(config("http://h", { load: { kind: "constant", rate: 10 } }), {
      jobSizes: [2, 1, 3],
      traceMs: null,
    });
    const rest = planRest(full, [1, 4, 5]);
    expect([...rest.jobStarts]).toEqual([0, 1, 3]);
    expect([...(rest.dueNs ?? [])]).toEqual([0, 2e8]);
  });

  it("are refused in a conversation in which nobody speaks", async () => {
    const server = await echo();
    await withRows([{ messages: [{ role: "assistant", content: "hi" }] }], async (settings) => {
      const error = await runError(run(config(server.url, settings)));
      expect(error.message).toMatch(/turns\.jsonl:1: nobody but the model speaks/);
    });
  });
});
