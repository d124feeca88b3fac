import { canonicalJson } from "../canonical.ts";
import type { JsonValue, PartialProtocol } from "../protocol.ts";

/** Of one axis or a part of it, over two protocols. Unknown is never equal. */
export type AxisState = "equal" | "differs" | "unknown";

/** One value of an axis. */
export interface AxisPart {
  readonly name: string;
  /** Null is unknown. */
  readonly value: JsonValue;
  /** What the fingerprint takes instead: null for what only an observation can tell. */
  readonly stated?: JsonValue;
  /** How two known values compare; by default they are equal when their JSON is. */
  readonly compare?: (a: JsonValue, b: JsonValue) => AxisState;
}

/** Every axis of a protocol, in the order in which they are told. */
export type AxisName =
  | "stopping rule"
  | "model"
  | "weights"
  | "tokenizer"
  | "endpoint"
  | "template"
  | "template kwargs"
  | "sampling"
  | "workload"
  | "output length"
  | "load"
  | "cache state"
  | "speculation"
  | "repetition"
  | "counting"
  | "engine"
  | "hardware";

/** One axis: where its values stand in a protocol, and how they are told. */
export interface AxisDefinition {
  readonly axis: AxisName;
  /** Two runs that part on it are not comparable. */
  readonly decisive: boolean;
  /** Only parts that mean something for this protocol. */
  readonly parts: (protocol: PartialProtocol) => readonly AxisPart[];
  /** In words, for people. */
  readonly words: (protocol: PartialProtocol) => string;
}

/** A known part, or one that is unknown because it is missing or null. */
export function part(
  name: string,
  value: JsonValue | undefined,
  more: Omit<AxisPart, "name" | "value"> = {},
): AxisPart {
  return { name, value: value ?? null, ...more };
}

/** A part that only an observation can tell: it compares, and is no part of the fingerprint. */
export function observed(
  name: string,
  value: JsonValue | undefined,
  compare?: NonNullable<AxisPart["compare"]>,
): AxisPart {
  return { name, value: value ?? null, stated: null, ...(compare === undefined ? {} : { compare }) };
}

/** The state of one part of two protocols. */
export function stateOf(a: AxisPart, b: AxisPart): AxisState {
  if (a.value === null || b.value === null) {
    return "unknown";
  }
  const compare = a.compare ?? b.compare;
  if (compare !== undefined) {
    return compare(a.value, b.value);
  }
  return canonicalJson(a.value) === canonicalJson(b.value) ? "equal" : "differs";
}

/** `a=1, b="x"`, in the order given. */
export function valuesInWords(values: Readonly<Record<string, JsonValue>>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(", ");
}

/** Folders differ from machine to machine. */
export function fileName(path: string | null | undefined): string | null {
  return path?.split(/[\\/]/u).at(-1) ?? null;
}

export const UNKNOWN = "unknown";
