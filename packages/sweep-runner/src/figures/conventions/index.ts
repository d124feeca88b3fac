import type { RequestRecord } from "../../record.ts";
import type { Convention, ConventionFigures, ConventionName, ConventionOptions } from "./convention.ts";
import { ctxsweepConvention } from "./ctxsweep.ts";
import { guidellmConvention } from "./guidellm.ts";
import { sglangConvention } from "./sglang.ts";
import { vllmConvention } from "./vllm.ts";

const MAKERS: Readonly<Record<ConventionName, (options: ConventionOptions) => Convention>> = {
  vllm: vllmConvention,
  sglang: sglangConvention,
  guidellm: guidellmConvention,
  ctxsweep: ctxsweepConvention,
};

/** A convention that takes records one by one. */
export function createConvention(name: ConventionName, options: ConventionOptions): Convention {
  return MAKERS[name](options);
}

/** The figures of records under another harness's definitions and names. Pure. */
export function figuresByConvention(
  name: ConventionName,
  records: Iterable<RequestRecord>,
  options: ConventionOptions,
): ConventionFigures {
  const convention = createConvention(name, options);
  for (const record of records) convention.add(record);
  return convention.figures();
}
