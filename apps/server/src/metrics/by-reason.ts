import { Counter, Gauge, type Registry } from "prom-client";

/** A metric with one series for each reason, read when the page is. */
export interface MetricByReason {
  readonly kind: "counter" | "gauge";
  readonly name: string;
  readonly help: string;
  /** Labels of every series. */
  readonly labels: Readonly<Record<string, string>>;
  /** Name of the label that holds the reason. */
  readonly label: string;
  readonly read: () => Readonly<Record<string, number>>;
}

export function registerByReason(registry: Registry, metric: MetricByReason): void {
  const { kind, name, help, labels, label, read } = metric;
  const common = { name, help, labelNames: [...Object.keys(labels), label], registers: [registry] };
  const series = () =>
    Object.entries(read()).map(([reason, value]) => [{ ...labels, [label]: reason }, value] as const);
  if (kind === "gauge") {
    const gauge: Gauge = new Gauge({
      ...common,
      collect: () => series().forEach(([all, value]) => gauge.set(all, value)),
    });
    return;
  }
  const counter: Counter = new Counter({
    ...common,
    collect: () => {
      counter.reset();
      series().forEach(([all, value]) => counter.inc(all, value));
    },
  });
}
