/**
 * The rules that every {@link Engine} keeps, for whoever writes an adapter. They need no test runner: each is a name and
 * a function that throws.
 */
import type { ConformanceCheck } from "./check.ts";
import { counterChecks } from "./counters.ts";
import { endChecks } from "./ends.ts";
import { lifeChecks } from "./life.ts";
import { outputChecks } from "./outputs.ts";
import { refusalChecks } from "./refusals.ts";
import { streamChecks } from "./streams.ts";

export type { ConformanceCheck, ConformanceSubject } from "./check.ts";

/** Every check, in an order in which they can share one engine. */
export const conformanceChecks: readonly ConformanceCheck[] = [
  ...streamChecks,
  ...outputChecks,
  ...endChecks,
  ...counterChecks,
  ...refusalChecks,
  ...lifeChecks,
];
