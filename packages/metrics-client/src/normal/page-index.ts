import type { MetricFamily, MetricSample, MetricsPage } from "../exposition/sample.ts";

/** Which series of a page are meant. */
export interface SeriesSelection {
  /**
   * What stands before the metric's own name, for example `vllm:`. Default: whatever stands there, `vllm:` first when a
   * page has several.
   */
  readonly prefix?: string;
  /** Only series with these label values, for example one engine of several. */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Only series of this served model, and those that name no model. A registry can hold several (adapters, a router);
   * without this they are added.
   */
  readonly model?: string;
}

/** Labels under which engines give the model's name. */
const MODEL_LABELS = ["model_name", "model", "served_model"] as const;

/** What builds of TensorRT-LLM write where the model's name belongs. */
const NO_MODEL = "undefined";

/** The model that a sample names; null when it names none. */
export function modelOf(sample: MetricSample): string | null {
  for (const label of MODEL_LABELS) {
    const value = sample.labels[label];
    if (value !== undefined) return value === NO_MODEL ? null : value;
  }
  return null;
}

/** A page whose series are found by name. Series outside the selection, and those without a value (NaN, or no finite one), are not in it. */
export class PageIndex {
  readonly families: ReadonlyMap<string, MetricFamily>;
  /** Models that the selected series name, sorted. */
  readonly models: readonly string[];
  readonly #byName = new Map<string, MetricSample[]>();

  constructor(page: Pick<MetricsPage, "samples" | "families">, selection: SeriesSelection = {}) {
    this.families = page.families;
    const models = new Set<string>();
    for (const sample of page.samples) {
      if (!Number.isFinite(sample.value) || !hasLabels(sample, selection.labels)) continue;
      const model = modelOf(sample);
      if (selection.model !== undefined && model !== null && model !== selection.model) continue;
      if (model !== null) models.add(model);
      const list = this.#byName.get(sample.name);
      if (list === undefined) this.#byName.set(sample.name, [sample]);
      else list.push(sample);
    }
    this.models = [...models].toSorted();
  }

  /** Series with exactly this sample name. */
  samples(name: string): readonly MetricSample[] {
    return this.#byName.get(name) ?? [];
  }

  names(): IterableIterator<string> {
    return this.#byName.keys();
  }

  /** Whether a TYPE or HELP line announces the family, with or without series. */
  announces(family: string): boolean {
    return this.families.has(family);
  }
}

/** Whether the sample carries all the given label values. */
export function hasLabels(
  sample: MetricSample,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (labels === undefined) return true;
  return Object.entries(labels).every(([name, value]) => sample.labels[name] === value);
}
