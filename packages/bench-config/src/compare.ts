import { stateOf } from "./axes/axis.ts";
import type { AxisDefinition, AxisName, AxisPart, AxisState } from "./axes/axis.ts";
import { outputLengthAxis, requestAxes, ruleAxis } from "./axes/request-axes.ts";
import { runAxes, workloadAxis } from "./axes/run-axes.ts";
import type { JsonValue, PartialProtocol } from "./protocol.ts";

/** Every axis, in the order in which they are told. */
export const protocolAxes: readonly AxisDefinition[] = [
  ruleAxis,
  ...requestAxes,
  workloadAxis,
  outputLengthAxis,
  ...runAxes,
];

/** One value of an axis on both sides; null is unknown. */
export interface PartComparison {
  readonly part: string;
  readonly state: AxisState;
  readonly a: JsonValue;
  readonly b: JsonValue;
}

/** One axis of two protocols. */
export interface AxisComparison {
  readonly axis: AxisName;
  readonly state: AxisState;
  /** In words, for people. */
  readonly a: string;
  readonly b: string;
  /** Where a difference makes the two runs not comparable. */
  readonly decisive: boolean;
  /** The values that the state comes from. */
  readonly parts: readonly PartComparison[];
}

/** How far two runs may be compared. */
export type ComparisonVerdict = "matched" | "matched-except" | "not-comparable";

/** The verdict on two protocols, with what it stands on. */
export interface ProtocolComparison {
  readonly verdict: ComparisonVerdict;
  /** Why, in words: what differs, what decides first; else what is unknown; for `matched` that nothing does or is. */
  readonly reasons: readonly string[];
  readonly axes: readonly AxisComparison[];
}

function compareParts(a: readonly AxisPart[], b: readonly AxisPart[]): PartComparison[] {
  return a.flatMap((one) => {
    const other = b.find(({ name }) => name === one.name);
    return other === undefined
      ? []
      : [{ part: one.name, state: stateOf(one, other), a: one.value, b: other.value }];
  });
}

/** A known part that differs decides, whatever is unknown beside it. */
function stateOfParts(parts: readonly PartComparison[]): AxisState {
  if (parts.some(({ state }) => state === "differs")) {
    return "differs";
  }
  return parts.every(({ state }) => state === "equal") ? "equal" : "unknown";
}

/** Two known hashes of the prompts are the whole truth about them. */
function withoutHashed(axis: AxisName, parts: readonly PartComparison[]): readonly PartComparison[] {
  const hash = axis === "workload" ? parts.find(({ part }) => part === "sha256") : undefined;
  return hash === undefined || hash.state === "unknown" ? parts : [hash];
}

function compareAxis(
  { axis, decisive, parts, words }: AxisDefinition,
  a: PartialProtocol,
  b: PartialProtocol,
): AxisComparison {
  const compared = withoutHashed(axis, compareParts(parts(a), parts(b)));
  return { axis, state: stateOfParts(compared), a: words(a), b: words(b), decisive, parts: compared };
}

/** The value of an axis in words, for people: `closed loop at 4, 1 warm-up`. */
export function axisInWords(axis: AxisName, protocol: PartialProtocol): string {
  return protocolAxes.find((definition) => definition.axis === axis)?.words(protocol) ?? "unknown";
}

/** What a verdict needs to know of an axis. Axes of other origin than a protocol may stand beside those. */
export interface ComparedAxis {
  readonly axis: string;
  readonly state: AxisState;
  readonly a: string;
  readonly b: string;
  readonly decisive: boolean;
}

/** One axis in a sentence: `load differs (closed loop at 4, 1 warm-up | …)`, `hardware unknown`. */
export function describeAxis({ axis, state, a, b }: ComparedAxis): string {
  return state === "differs" ? `${axis} differs (${a} | ${b})` : `${axis} ${state}`;
}

/** The verdict that compared axes lead to. */
export function verdictOf(axes: readonly ComparedAxis[]): Pick<ProtocolComparison, "verdict" | "reasons"> {
  const differing = axes.filter(({ state }) => state === "differs");
  const decisive = differing.filter((axis) => axis.decisive);
  if (decisive.length > 0) {
    const others = differing.filter((axis) => !axis.decisive);
    return { verdict: "not-comparable", reasons: [...decisive, ...others].map(describeAxis) };
  }
  const rest = [...differing, ...axes.filter(({ state }) => state === "unknown")];
  return rest.length === 0
    ? { verdict: "matched", reasons: ["no axis differs or is unknown"] }
    : { verdict: "matched-except", reasons: rest.map(describeAxis) };
}

/**
 * Compares two protocols axis by axis: equal, differs or unknown, with both values. Works on partial protocols: what is
 * missing is unknown, and unknown is never equal.
 *
 * `not-comparable` where the stopping rule, the model, its weights, the workload or the endpoint differs; `matched` where no
 * axis differs or is unknown; `matched-except` otherwise.
 */
export function compareProtocols(a: PartialProtocol, b: PartialProtocol): ProtocolComparison {
  const axes = protocolAxes.map((definition) => compareAxis(definition, a, b));
  return { ...verdictOf(axes), axes };
}
