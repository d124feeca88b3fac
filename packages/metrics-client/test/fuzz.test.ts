import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  checkSpecDecodeInvariants,
  measureWindow,
  MetricsError,
  type MetricsPage,
  parseMetricsPage,
  readNormal,
  specDecodeCountsOf,
  streamExposition,
} from "../src/index.ts";
import { mutate, seededRandom } from "./mutate.ts";
import { snapshot } from "./pages.ts";

// ONPAR_FUZZ_PAGES=100000 runs as many as a change of the parser deserves.
const PAGES = Number(process.env["ONPAR_FUZZ_PAGES"] ?? 1500);
const SEED = Number(process.env["ONPAR_FUZZ_SEED"] ?? 20_261_201);
/** A page of these is read in some milliseconds: more is a hang, also on a machine that is busy. */
const MOST_MS = 5000;

const folder = fileURLToPath(new URL("fixtures/", import.meta.url));
const originals = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".prom"))
  .toSorted()
  .map((name) => readFileSync(folder + name, "utf8"));

/** The same page in OpenMetrics: families of counters are named without `_total`. */
function asOpenMetrics(page: string): string {
  return `${page.replaceAll(/^# (TYPE|HELP) (\S+)_total( counter|(?= ))/gm, "# $1 $2$3")}# EOF\n`;
}

function attempt(page: string): MetricsPage | null {
  try {
    return parseMetricsPage(page);
  } catch (error) {
    if (!(error instanceof MetricsError)) throw error;
    const hasPlace = error.code !== "EXPOSITION_INVALID" || (error.line ?? 0) > 0;
    if (hasPlace && error.message.length < 400 && !/[\n\r]/.test(error.message)) return null;
    throw new Error(`an error that is not one short line with its place: ${error.message}`, { cause: error });
  }
}

async function streamed(page: string, random: () => number): Promise<number | null> {
  const pieces: string[] = [];
  for (let at = 0; at < page.length;) {
    const size = 1 + Math.floor(random() * 2000);
    pieces.push(page.slice(at, at + size));
    at += size;
  }
  let samples = 0;
  try {
    const format = /(?:^|\n)# EOF\r?\n?$/.test(page) ? "openmetrics" : "classic";
    for await (const batch of streamExposition(pieces, { format })) samples += batch.length;
    return samples;
  } catch (error) {
    if (error instanceof MetricsError) return null;
    throw error;
  }
}

describe(`fuzzing with ${PAGES} pages, seed ${SEED}`, () => {
  it(
    "never crashes, never hangs, and reads a page in pieces like the whole",
    async () => {
      const random = seededRandom(SEED);
      let [accepted, slowest] = [0, 0];
      const unlike: number[] = [];
      const before = snapshot(originals[0] ?? "");
      for (let index = 0; index < PAGES; index++) {
        const original = originals[index % originals.length] ?? "";
        const page = mutate(index % 5 === 4 ? asOpenMetrics(original) : original, random);
        const start = performance.now();
        const parsed = attempt(page);
        if (parsed !== null) {
          accepted++;
          const after = { ...before, ...parsed };
          const { acceptance } = readNormal(after);
          const counts = acceptance.reading === null ? null : specDecodeCountsOf(acceptance.reading);
          if (counts !== null) checkSpecDecodeInvariants(counts);
          measureWindow(before, after);
          measureWindow(after, after);
        }
        slowest = Math.max(slowest, performance.now() - start);
        if (index % 10 === 0) {
          const samples = await streamed(page, random);
          // A stream notices no series that is given twice.
          if (parsed !== null && samples !== parsed.samples.length) unlike.push(index);
        }
      }
      // Only in runs that are made for it: a unit test may be stopped at any moment by a busy machine.
      expect(PAGES >= 10_000 ? slowest : 0).toBeLessThan(MOST_MS);
      expect(unlike).toEqual([]);
      // Mutations that hurt nothing, and those that do.
      expect(accepted).toBeGreaterThan(PAGES / 100);
      expect(accepted).toBeLessThan(PAGES);
    },
    20_000 + PAGES * 20,
  );

  it(
    "accepts no page that was cut off inside a line, and nothing wrong of one that was cut off between two",
    () => {
      const random = seededRandom(SEED + 1);
      for (let index = 0; index < PAGES; index++) {
        const page = originals[index % originals.length] ?? "";
        const cut = Math.floor(random() * page.length);
        const torn = page.slice(0, cut);
        const parsed = attempt(torn);
        if (parsed === null) continue;
        expect(torn === "" || torn.endsWith("\n")).toBe(true);
        // That is all that its text can show, and the page says so.
        expect(parsed.ending).toBe("line-end");
        const whole = parseMetricsPage(page).samples.slice(0, parsed.samples.length);
        expect(parsed.samples.map(({ name, value }) => [name, value])).toEqual(
          whole.map(({ name, value }) => [name, value]),
        );
      }
    },
    20_000 + PAGES * 20,
  );

  it(
    "accepts no OpenMetrics page that was cut off anywhere",
    () => {
      const random = seededRandom(SEED + 2);
      for (let index = 0; index < PAGES; index++) {
        const page = asOpenMetrics(originals[index % originals.length] ?? "");
        const end = page.length - "\n".length;
        const torn = page.slice(0, Math.floor(random() * end));
        expect(() => parseMetricsPage(torn, { format: "openmetrics" })).toThrow(MetricsError);
      }
    },
    20_000 + PAGES * 20,
  );
});
