import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRecords } from "../src/records/read-records.ts";
import { config } from "./support/config.ts";
import { codes, run, withFolder } from "./support/run.ts";
import { bodyOf, serversOfEachTest } from "./support/servers.ts";

const { benchServer } = serversOfEachTest();

describe("repetitions", () => {
  it("measure the same requests again, each a phase with figures of its own, and spread them", async () => {
    const server = await benchServer({ delayMs: 2 });
    await withFolder(async (folder) => {
      const output = join(folder, "records.jsonl");
      const repetition = { reps: 3, cooldownS: 0.1 };
      const result = await run(config(server.url, { repetition, warmupRequests: 1, output }));

      expect(result.summary.counts).toMatchObject({ asked: 12, ok: 12, unsent: 0, warmup: 1 });
      expect(result.summary.spread).toMatchObject({ repetitions: 3, boots: 1 });
      expect(result.summary.spread?.figures["ttftMs.p50"]?.values).toHaveLength(3);
      expect(codes(result)).not.toContain("counts-invalid");
      const prompts = server.completions.slice(1).map((request) => bodyOf(request)["prompt"]);
      expect(prompts.slice(4, 8)).toEqual(prompts.slice(0, 4));

      const records =
        (await readRecords(output))[0]?.records.filter(({ phase }) => phase === "measure") ?? [];
      expect(records.map(({ repetition: rep }) => rep)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
      expect(new Set(records.map(({ id }) => id)).size).toBe(12);
      // The pause between repetitions is in no duration.
      const [first, last] = [records[0], records.at(-1)];
      const spanS = ((last?.endNs ?? 0) - (first?.sentNs ?? 0)) / 1e9;
      expect(result.summary.durationS).toBeLessThan(spanS - 0.15);
    });
  });

  it("draw their arrivals from the seed, each its own", async () => {
    const server = await benchServer();
    await withFolder(async (folder) => {
      const dueOf = async (name: string): Promise<number[][]> => {
        const output = join(folder, name);
        const load = { kind: "poisson" as const, rate: 400 };
        await run(config(server.url, { load, repetition: { reps: 2 }, output }));
        const records = (await readRecords(output))[0]?.records ?? [];
        return [0, 1].map((rep) => {
          const own = records
            .filter(({ repetition }) => repetition === rep)
            .map(({ scheduledNs }) => scheduledNs);
          const [first = 0, ...rest] = own.toSorted((a, b) => a - b);
          return rest.map((due) => due - first);
        });
      };
      const [one, two] = [await dueOf("one.jsonl"), await dueOf("two.jsonl")];
      expect(one).toEqual(two);
      expect(one[0]).not.toEqual(one[1]);
    });
  });
});

describe("service levels", () => {
  it("are judged for each request and for the run", async () => {
    const server = await benchServer();
    const slos = ["ttft<=10s", "e2el<=1us", "error-rate<=1%", "requests-per-s>=100000/s"];
    const { summary } = await run(config(server.url, { slos }));
    expect(summary.goodput).toMatchObject({ met: 0, share: 0 });
    expect(summary.goodput?.slos.map(({ scope, met, of }) => [scope, met, of])).toEqual([
      ["request", 4, 4],
      ["request", 0, 4],
      ["run", 1, 1],
      ["run", 0, 1],
    ]);
  });

  it("are null where none was asked for", async () => {
    const server = await benchServer();
    expect((await run(config(server.url))).summary.goodput).toBeNull();
  });
});

it("a least length and log-probabilities are sent, in the spelling of the endpoint", async () => {
  const server = await benchServer({ naturalLength: 3 });
  const settings = { ignoreEos: false, minTokens: 2, logprobs: 2 };
  // Whether log-probabilities come is looked at with one small request more, which is not streamed.
  const measured = () => server.completions.map(bodyOf).filter(({ stream }) => stream === true);
  await run(config(server.url, { ...settings, numPrompts: 1 }));
  expect(measured()).toHaveLength(1);
  expect(measured()[0]).toMatchObject({ min_tokens: 2, logprobs: 2 });
  const target = { endpoint: "chat-completions" as const };
  const { protocol } = await run(config(server.url, { ...settings, target, numPrompts: 1 }));
  expect(measured()).toHaveLength(2);
  expect(measured()[1]).toMatchObject({ min_tokens: 2, logprobs: true, top_logprobs: 2 });
  expect(protocol.stoppingRule.sent).toMatchObject({ min_tokens: 2 });
});
