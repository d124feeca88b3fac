// Coordinated omission: a server that stands still for a second at 100 requests per second. From the schedule, the p99 rises
// by about that second; the service time of the requests that were sent stays what it was.
import { startTimetableServer } from "../src/selftest/timetable-process.ts";
import { ttftFromScheduleMs, ttftMs } from "../src/figures/request-figures.ts";
import { quantileType7 } from "../src/figures/percentiles.ts";
import type { RequestRecord } from "../src/record.ts";
import { measured } from "./load.ts";

const seconds = Number(process.argv[2] ?? 20);
const RATE = 100;
const FREEZE_MS = 1000;

async function p99(
  freezeMs: number,
  kind: "constant" | "poisson",
): Promise<{ schedule: number; service: number; counts: string }> {
  const server = await startTimetableServer({ firstMs: 5, everyMs: 2, tokens: 4, eventsPerWrite: 1 });
  const records: RequestRecord[] = [];
  try {
    let freezing: NodeJS.Timeout | undefined;
    const { result } = await measured(
      server.url,
      {
        numPrompts: RATE * seconds,
        load: { kind, rate: RATE, maxInFlight: 8 },
        warmupRequests: 20,
        outputLen: 4,
        seed: 1,
      },
      (record) => {
        if (record.phase !== "measure") return;
        if (records.length === 0 && freezeMs > 0)
          freezing = setTimeout(() => server.freeze(freezeMs), (seconds * 1000) / 2);
        records.push(record);
      },
    );
    clearTimeout(freezing);
    const at = (figure: (record: RequestRecord) => number | null): number => {
      const values = records.map(figure).filter((value) => value !== null);
      return (
        quantileType7(
          values.sort((a, b) => a - b),
          0.99,
        ) ?? NaN
      );
    };
    const { asked, ok, dropped } = result.summary.counts;
    return {
      schedule: at(ttftFromScheduleMs),
      service: at(ttftMs),
      counts: `${ok} of ${asked} ok, ${dropped} dropped`,
    };
  } finally {
    await server.close();
  }
}

for (const kind of ["constant", "poisson"] as const) {
  const calm = await p99(0, kind);
  const frozen = await p99(FREEZE_MS, kind);
  console.log(
    `${kind}: p99 TTFT from the schedule ${calm.schedule.toFixed(0)} -> ${frozen.schedule.toFixed(0)} ms, ` +
      `from sending ${calm.service.toFixed(0)} -> ${frozen.service.toFixed(0)} ms (${frozen.counts})`,
  );
}
