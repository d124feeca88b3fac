import { describe, expect, it } from "vitest";
import { measureWindow, readNormal } from "../src/index.ts";
import { counters, snapshot, specPage } from "./pages.ts";

describe("odd pages", () => {
  it("with counters that do not hold together are read, and it is said", () => {
    const broken = snapshot(specPage(10, 20, [9, 21]));
    for (const { acceptance } of [
      readNormal(broken),
      measureWindow(snapshot(specPage(0, 0, [0, 0])), broken),
    ]) {
      expect(acceptance.reading?.rate?.value).toBe(1.5);
      expect(acceptance.reading?.notes.join("\n")).toContain("more tokens accepted (30) than drafted (20)");
    }
    expect(readNormal(snapshot(specPage(10, 20, [9, 3]))).acceptance.reading?.notes).toEqual([]);
  });

  it("with values that are no number of anything have no data there", () => {
    const page = counters(["vllm:generation_tokens_total", Infinity], ["vllm:prompt_tokens_total", 7]);
    const text = `${page.replace("Infinity", "+Inf")}# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running +Inf\n`;
    expect(readNormal(snapshot(text))).toMatchObject({
      counts: { generationTokens: null, promptTokens: { value: 7 } },
      busy: { running: null, idle: null },
    });
  });

  it("of very many models name some of them only", () => {
    const series = Array.from(
      { length: 500 },
      (_, index) => [`vllm:generation_tokens_total{model_name="m${index}"}`, 1] as const,
    );
    const [note = ""] = readNormal(snapshot(counters(...series))).notes;
    expect(note).toContain("figures of 500 models are added (m0, m1, ");
    expect(note.length).toBeLessThan(120);
  });

  it("may call labels and reasons what they like", () => {
    const page = counters(
      ['vllm:request_success_total{finished_reason="__proto__",constructor="x"}', 5],
      ['vllm:request_success_total{finished_reason="constructor",constructor="x"}', 2],
    );
    const { requestsFinished, requestsByReason } = readNormal(snapshot(page)).counts;
    expect(requestsFinished?.value).toBe(7);
    expect(new Map(Object.entries(requestsByReason ?? {}))).toEqual(
      new Map([
        ["__proto__", 5],
        ["constructor", 2],
      ]),
    );
  });

  it("with ten thousand names of labels are read like any other", () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `x{l${index}="v",m="${index}"} ${index}\n`);
    const { samples } = snapshot(lines.join(""));
    expect(samples.map(({ labels }) => Object.keys(labels)[0])).toEqual(lines.map((_, index) => `l${index}`));
    expect(samples.every(({ labels, value }) => labels[`l${value}`] === "v")).toBe(true);
  });
});
