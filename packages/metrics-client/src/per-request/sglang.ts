import { at, isRecord, jsonCountAt } from "../json.ts";
import { readAcceptedHistogram } from "./accepted-histogram.ts";
import { NOTHING_TOLD, type RequestAcceptance } from "./request-acceptance.ts";

/** Keys of A and D over time, the newest first. Newer builds keep the names before as aliases. */
const ERAS = [
  { accepted: "spec_num_correct_drafts", drafted: "spec_num_proposed_drafts" },
  { accepted: "spec_accepted_drafts", drafted: "spec_proposed_drafts" },
  { accepted: "spec_accept_token_num", drafted: "spec_draft_token_num" },
] as const;

const HISTOGRAMS = ["spec_correct_drafts_histogram", "spec_accept_histogram"] as const;

/**
 * SGLang's `meta_info`, on the answer itself (`/generate`) or on its choices (`return_meta_info`). Several choices are added.
 *
 * `spec_accept_length` is not read: it is completion tokens over verify steps, and has the token of the prefill among them.
 */
export function sglangRequest(json: unknown): RequestAcceptance | null {
  const own = readMetaInfo(at(json, "meta_info"));
  if (own !== null) return own;
  const choices = at(json, "choices");
  if (!Array.isArray(choices)) return null;
  const told: RequestAcceptance[] = [];
  for (const choice of choices) {
    const one = readMetaInfo(at(choice, "meta_info"));
    if (one === null) return null;
    told.push(one);
  }
  const [first] = told;
  return first === undefined || told.length > 1 ? sumOf(told) : first;
}

function readMetaInfo(meta: unknown): RequestAcceptance | null {
  if (!isRecord(meta)) return null;
  const counted = HISTOGRAMS.map((key) => readAcceptedHistogram(meta[key])).find((one) => one !== null);
  const verifySteps = jsonCountAt(meta, "spec_verify_ct") ?? counted?.verifySteps ?? null;
  const generated = jsonCountAt(meta, "completion_tokens");
  for (const { accepted, drafted } of ERAS) {
    const [acceptedTokens, draftTokens] = [jsonCountAt(meta, accepted), jsonCountAt(meta, drafted)];
    if (acceptedTokens === null || draftTokens === null) continue;
    return {
      ...NOTHING_TOLD,
      engine: "sglang",
      fields: `meta_info.${accepted}`,
      draftTokens,
      acceptedTokens,
      verifySteps,
      acceptedPerPosition: counted?.acceptedPerPosition ?? null,
      generated,
    };
  }
  if (verifySteps === null) return null;
  // The first builds told verify steps only. Every step gives one token that was not drafted, and the prefill one more.
  const derived = generated === null || generated < 1 ? null : Math.max(0, generated - 1 - verifySteps);
  return {
    ...NOTHING_TOLD,
    engine: "sglang",
    fields: "meta_info.spec_verify_ct",
    acceptedTokens: counted?.acceptedTokens ?? derived,
    verifySteps,
    acceptedPerPosition: counted?.acceptedPerPosition ?? null,
    generated,
  };
}

function sumOf(parts: readonly RequestAcceptance[]): RequestAcceptance | null {
  const [first] = parts;
  if (first === undefined) return null;
  const total = (read: (one: RequestAcceptance) => number | null): number | null =>
    parts.reduce<number | null>((sum, one) => {
      const value = read(one);
      return sum === null || value === null ? null : sum + value;
    }, 0);
  return {
    ...first,
    draftTokens: total((one) => one.draftTokens),
    acceptedTokens: total((one) => one.acceptedTokens),
    verifySteps: total((one) => one.verifySteps),
    generated: total((one) => one.generated),
    acceptedPerPosition: null,
  };
}
