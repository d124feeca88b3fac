import type { RequestRecord } from "../record.ts";
import type { Finding } from "../result.ts";

/** Share of prompt tokens from the prefix cache above which TTFT is no longer that of a cold prompt. */
const CACHE_SHARE_LIMIT = 0.1;
/** Difference to a planned hit rate that is worth a word. */
const HIT_RATE_TOLERANCE = 0.02;

export interface PromptAuditOptions {
  /** Tokens of prompt texts by prompt id, where they were counted before a template was applied. */
  readonly promptTextTokens?: ReadonlyMap<string, number> | undefined;
  /** Share of prompt tokens that the workload is made to find in the prefix cache; null or left out where it is to find none. */
  readonly plannedHitRate?: number | null | undefined;
}

/** What servers say about the prompts: their tokens, and how many came from the prefix cache. Takes records that ended well. */
export class PromptAudit {
  readonly #options: PromptAuditOptions;
  #prompt = 0;
  #cached = 0;
  #tellCached = true;
  #overheads = 0;
  #least = Infinity;
  #most = -Infinity;

  constructor(options: PromptAuditOptions) {
    this.#options = options;
  }

  add({ promptId, usage }: RequestRecord): void {
    const counted = usage?.promptTokens ?? null;
    const cached = usage?.cachedPromptTokens ?? null;
    this.#prompt += counted ?? 0;
    this.#cached += cached ?? 0;
    if (cached === null) this.#tellCached = false;
    const text = this.#options.promptTextTokens?.get(promptId);
    if (text === undefined || counted === null || counted === text) return;
    this.#overheads++;
    this.#least = Math.min(this.#least, counted - text);
    this.#most = Math.max(this.#most, counted - text);
  }

  findings(): Finding[] {
    return [...this.#cacheFindings(), ...this.#overheadFindings()];
  }

  #cacheFindings(): Finding[] {
    if (this.#prompt === 0) return [];
    const planned = this.#options.plannedHitRate ?? null;
    const share = this.#cached / this.#prompt;
    const percent = (value: number): string => `${(100 * value).toFixed(value < 0.1 ? 1 : 0)} %`;
    if (planned === null) {
      if (share <= CACHE_SHARE_LIMIT) return [];
      const message = `${percent(share)} of the prompt tokens came from the prefix cache: TTFT is not that of cold prompts`;
      return [{ severity: "warning", code: "prefix-cache-hits", message }];
    }
    if (!this.#tellCached) {
      const message = `the workload is made for a hit rate of ${percent(planned)}, and the server does not tell how many prompt tokens came from its cache`;
      return [{ severity: "warning", code: "hit-rate-unknown", message }];
    }
    if (Math.abs(share - planned) <= HIT_RATE_TOLERANCE) return [];
    const message = `the workload is made for a hit rate of ${percent(planned)}, and ${percent(share)} of the prompt tokens came from the prefix cache`;
    return [{ severity: "warning", code: "hit-rate-missed", message }];
  }

  /** Prompt tokens that the server counts beside those of the text: template and special tokens. */
  #overheadFindings(): Finding[] {
    if (this.#overheads === 0) return [];
    const signed = (value: number): string => (value < 0 ? String(value) : `+${value}`);
    const size =
      this.#least === this.#most ? signed(this.#least) : `${signed(this.#least)} to ${signed(this.#most)}`;
    const message = `the server counts ${size} prompt tokens against the text of ${this.#overheads} prompts: template and special tokens`;
    return [{ severity: "note", code: "prompt-overhead", message }];
  }
}
