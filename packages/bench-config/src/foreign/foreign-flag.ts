/** The harnesses whose command lines are understood. */
export type Harness = "vllm bench serve" | "vllm-bench" | "sglang.bench_serving";

/** A flag of another harness that this one understands. */
export interface ForeignFlag {
  readonly flag: string;
  /** Key of its value: the flag in camel case. */
  readonly key: string;
  /** Name of its argument; null for a flag without one. */
  readonly argument: string | null;
  /** Whether several arguments may follow, or the flag may be repeated. */
  readonly repeats: boolean;
  readonly harness: Harness;
  /** What it does here. */
  readonly meaning: string;
}

/** A flag of another harness that is known, and refused because nothing here does what it asks for. */
export interface RefusedFlag {
  readonly flag: string;
  readonly key: string;
  readonly reason: string;
}

/** `--max-concurrency` is `maxConcurrency`. */
export function keyOf(flag: string): string {
  return flag.replace(/^--/u, "").replace(/-(.)/gu, (_, letter: string) => letter.toUpperCase());
}
