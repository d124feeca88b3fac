import { describe, expect, it } from "vitest";
import { IncrementalDetokenizer } from "../src/text/incremental-detokenizer.ts";
import { OutputAssembler, type OutputRules } from "../src/text/output-assembler.ts";

const EOS = 256;
const detokenize = (tokens: readonly number[]): string =>
  Buffer.from(tokens.filter((token) => token < 256)).toString("utf8");
const ids = (text: string): number[] => [...Buffer.from(text)];

function assembler(rules: Partial<OutputRules> = {}): OutputAssembler {
  const all: OutputRules = {
    maxTokens: 100,
    minTokens: 0,
    ignoreEos: false,
    eosTokenIds: new Set([EOS]),
    stopTokenIds: new Set(),
    stop: [],
    ...rules,
  };
  return new OutputAssembler(all, new IncrementalDetokenizer(detokenize));
}

describe("OutputAssembler", () => {
  it("ends on EOS, keeps it among the ids and leaves out what follows", () => {
    const output = assembler();
    expect(output.push([...ids("ab"), EOS, ...ids("c")])).toEqual({
      tokenIds: [...ids("ab"), EOS],
      text: "ab",
      end: { reason: "eos", matched: EOS },
    });
    expect([output.count, output.firstEosIndex]).toEqual([3, 2]);
  });

  it("goes on past EOS to exactly the cap when told to, and remembers where it was", () => {
    const output = assembler({ ignoreEos: true, maxTokens: 4 });
    expect(output.push([...ids("a"), EOS]).end).toBeNull();
    const { tokenIds, text, end } = output.push([EOS, ...ids("bcd")]);
    expect({ tokenIds, text, end }).toEqual({
      tokenIds: [EOS, ...ids("b")],
      text: "b",
      end: { reason: "length", matched: null },
    });
    expect([output.count, output.firstEosIndex]).toEqual([4, 1]);
  });

  it("ends on a stop token whose own text is not shown", () => {
    const output = assembler({ stopTokenIds: new Set(ids("!")) });
    expect(output.push(ids("hi!"))).toEqual({
      tokenIds: ids("hi!"),
      text: "hi",
      end: { reason: "stop-token", matched: ids("!")[0] },
    });
  });

  it("ends on a stop string within a batch and across batches", () => {
    const output = assembler({ stop: ["--"] });
    expect(output.push(ids("a-"))).toEqual({ tokenIds: ids("a-"), text: "a", end: null });
    expect(output.push(ids("-b"))).toEqual({
      tokenIds: ids("-"),
      text: "",
      end: { reason: "stop-string", matched: "--" },
    });
  });

  it("prefers a stop string to the cap at the same token", () => {
    expect(assembler({ stop: ["c"], maxTokens: 3 }).push(ids("abc")).end?.reason).toBe("stop-string");
  });

  it("lets nothing but the cap end the output before minTokens", () => {
    const output = assembler({ minTokens: 4, stop: ["b"], stopTokenIds: new Set(ids("c")) });
    expect(output.push([...ids("abc"), EOS])).toEqual({
      tokenIds: [...ids("abc"), EOS],
      text: "abc",
      end: null,
    });
    expect(output.push(ids("b")).end?.reason).toBe("stop-string");
  });

  it("shows what it held back when the output ends", () => {
    expect(assembler({ stop: ["zz"] }).push([...ids("az"), EOS]).text).toBe("az");
    expect(assembler({ stop: ["zz"], maxTokens: 2 }).push(ids("az")).text).toBe("az");
    const cut = assembler({ maxTokens: 2 }).push(ids("€"));
    expect(cut.text).toBe("\uFFFD");
  });
});
