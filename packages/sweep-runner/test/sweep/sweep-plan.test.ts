import { assert, constantFrom, integer, property, uniqueArray } from "fast-check";
import { benchConfigSchema, type BenchConfigInput } from "@onpar/bench-config";
import { describe, expect, it } from "vitest";
import { planSweep } from "../../src/sweep/sweep-plan.ts";
import { serverCommand } from "../../src/managed/server-command.ts";

const config = (input: BenchConfigInput) => benchConfigSchema.parse(input);
const withoutRep = (id: string) => id.replace(/rep\d+/, "");

describe("a plan", () => {
  it("has every combination of its axes, with stable ids", () => {
    const plan = planSweep(
      config({
        sweep: {
          axes: [
            { field: "inputLen", values: [256, 512] },
            { field: "sampling.temperature", values: [0, 1] },
          ],
        },
        repetition: { reps: 3 },
      }),
    );
    expect(plan.points.map(({ id }) => id)).toEqual([
      "inputLen=256,sampling.temperature=0",
      "inputLen=256,sampling.temperature=1",
      "inputLen=512,sampling.temperature=0",
      "inputLen=512,sampling.temperature=1",
    ]);
    expect(plan.points[3]?.config.inputLen).toBe(512);
    expect(plan.points[3]?.config.sampling.temperature).toBe(1);
    // All repetitions of a point belong to one step.
    expect(plan.steps).toHaveLength(4);
    expect(plan.steps[0]?.config.repetition.reps).toBe(3);
  });

  it("gives a value to the settings that follow it", () => {
    const axes = [{ field: "concurrency", values: [1, 8], follows: ["numPrompts"] }];
    const plan = planSweep(config({}), axes);
    expect(plan.points.map((point) => point.config.numPrompts)).toEqual([1, 8]);
  });

  it("has points by names that are no settings", () => {
    const plan = planSweep(config({}), [{ field: "arm", values: ["on", "off"], isLabel: true }]);
    expect(plan.steps.map(({ id, point }) => [id, point.values["arm"]])).toEqual([
      ["boot1/arm=on", "on"],
      ["boot1/arm=off", "off"],
    ]);
  });

  it("goes through the points once per repetition where it is interleaved, with boots around it", () => {
    const plan = planSweep(
      config({
        sweep: { axes: [{ field: "concurrency", values: [1, 2] }], order: "interleaved" },
        repetition: { reps: 2, boots: 2 },
        server: { command: ["serve"] },
      }),
    );
    expect(plan.steps.map(({ id }) => id)).toEqual([
      "boot1/rep1/concurrency=1",
      "boot1/rep1/concurrency=2",
      "boot1/rep2/concurrency=1",
      "boot1/rep2/concurrency=2",
      "boot2/rep1/concurrency=1",
      "boot2/rep1/concurrency=2",
      "boot2/rep2/concurrency=1",
      "boot2/rep2/concurrency=2",
    ]);
    expect(new Set(plan.steps.map((step) => step.config.repetition.reps))).toEqual(new Set([1]));
  });

  it("shuffles by the seed: the same plan twice, another one for another seed", () => {
    const shuffledPlan = (seed: number) =>
      planSweep(
        config({
          seed,
          sweep: { axes: [{ field: "concurrency", values: [1, 2, 3, 4, 5, 6, 7, 8] }], order: "shuffled" },
          repetition: { reps: 3 },
        }),
      ).steps.map(({ id }) => id);
    expect(shuffledPlan(1)).toEqual(shuffledPlan(1));
    expect(shuffledPlan(1)).not.toEqual(shuffledPlan(2));
    expect(shuffledPlan(1).slice(0, 8).map(withoutRep)).not.toEqual(
      shuffledPlan(1).slice(8, 16).map(withoutRep),
    );
  });

  it("takes the points of one server after each other", () => {
    const plan = planSweep(
      config({
        server: { command: ["serve", "--draft-tokens={speculation.draftTokens}"] },
        sweep: {
          axes: [
            { field: "concurrency", values: [1, 2] },
            { field: "speculation.draftTokens", values: [3, 5] },
          ],
        },
      }),
    );
    const commands = plan.steps.map((step) => serverCommand(step.config)[1]);
    expect(commands).toEqual([
      "--draft-tokens=3",
      "--draft-tokens=3",
      "--draft-tokens=5",
      "--draft-tokens=5",
    ]);
  });

  it("measures every point of every boot and repetition exactly once, whatever the order", () => {
    assert(
      property(
        uniqueArray(integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 6 }),
        constantFrom("given", "interleaved", "shuffled"),
        integer({ min: 1, max: 3 }),
        integer({ min: 1, max: 3 }),
        (values, order, reps, boots) => {
          const plan = planSweep(
            config({
              sweep: { axes: [{ field: "concurrency", values }], order },
              repetition: { reps, boots },
            }),
          );
          const measured = plan.steps.reduce((sum, step) => sum + step.config.repetition.reps, 0);
          expect(measured).toBe(values.length * reps * boots);
          expect(new Set(plan.steps.map(({ id }) => id)).size).toBe(plan.steps.length);
        },
      ),
    );
  });

  it("belongs to its settings, not to where results go", () => {
    const axes = [{ field: "concurrency", values: [1, 2] }];
    const plan = planSweep(config({}), axes);
    expect(planSweep(config({ output: "elsewhere.jsonl" }), axes).hash).toBe(plan.hash);
    expect(planSweep(config({ outputLen: 7 }), axes).hash).not.toBe(plan.hash);
  });

  it.each([
    [[{ field: "concurrency", values: [1, 1] }], /the axis concurrency takes a value twice/],
    [[{ field: "concurrency", values: [] }], /the axis concurrency has no values/],
    [[{ field: "concurrency", values: ["many"] }], /^concurrency=many: concurrency: /],
    [[{ field: "load.speed", values: [1] }], /^load\.speed is no setting/],
    [[{ field: "a.b.c", values: [1] }], /^a\.b\.c is no setting/],
  ])("refuses %j", (axes, message) => {
    expect(() => planSweep(config({}), axes)).toThrow(message);
  });
});

describe("the command of a server", () => {
  const command = (...words: string[]) =>
    serverCommand(config({ server: { command: words }, speculation: { draftTokens: 4 } }));

  it("takes settings where it names them, and leaves other braces alone", () => {
    expect(command("s", "--n={speculation.draftTokens}", "{concurrency}/{maxTokens2}")).toEqual([
      "s",
      "--n=4",
      "1/{maxTokens2}",
    ]);
    expect(command("s", '{"method":"ngram","num_speculative_tokens":{speculation.draftTokens}}')[1]).toBe(
      '{"method":"ngram","num_speculative_tokens":4}',
    );
    expect(command("s", "{{concurrency}")[1]).toBe("{concurrency}");
  });

  it("refuses a setting that has no value", () => {
    expect(() => command("s", "{maxTokens}")).toThrow(/\{maxTokens\} has no value/);
  });
});
