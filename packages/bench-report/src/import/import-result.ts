import { ReportError } from "../errors.ts";
import { resultOfRun } from "../result/from-run.ts";
import { readResult, readRun, schemaOf } from "../result/read.ts";
import type { Result } from "../result/schema.ts";
import { importAiperf, isAiperf } from "./aiperf.ts";
import { importBenchText, isBenchText } from "./bench-text.ts";
import { importConcbench, isConcbench } from "./concbench.ts";
import { importCtxsweep, isCtxsweep } from "./ctxsweep.ts";
import { parseObjects, type Fields, type Importer } from "./fields.ts";
import { importGenaiPerf, isGenaiPerf } from "./genai-perf.ts";
import { importGuidellm, isGuidellm } from "./guidellm.ts";
import { importLlamaBenchy, isLlamaBenchy } from "./llama-benchy.ts";
import { importSglang, isSglang } from "./sglang.ts";
import { importSweep, isSweep } from "./sweep.ts";
import { importVllmServe, isVllmServe } from "./vllm-serve.ts";

const IMPORTERS = {
  "vllm-serve": importVllmServe,
  "sglang-bench-serving": importSglang,
  guidellm: importGuidellm,
  aiperf: importAiperf,
  "genai-perf": importGenaiPerf,
  "llama-benchy": importLlamaBenchy,
  ctxsweep: importCtxsweep,
  concbench: importConcbench,
  "bench-text": importBenchText,
} as const satisfies Readonly<Record<string, Importer>>;

/** Formats of other harnesses that are read. */
export type ImportFormat = keyof typeof IMPORTERS;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table are its names
export const IMPORT_FORMATS = Object.keys(IMPORTERS) as ImportFormat[];

const OF_OBJECTS: readonly (readonly [ImportFormat, (of: Fields) => boolean])[] = [
  // SGLang's lines have all keys by which vLLM's are known, and others.
  ["sglang-bench-serving", isSglang],
  ["vllm-serve", isVllmServe],
  ["llama-benchy", isLlamaBenchy],
  ["guidellm", isGuidellm],
  ["aiperf", isAiperf],
  ["genai-perf", isGenaiPerf],
];

/**
 * A file of any harness, or of this program, as a result. What the file does not say is null.
 *
 * @param name the file, for messages and as the title
 * @param format how to read it; by default told by its content
 * @throws {ReportError} when the format is not known, or the file is not of it
 */
export function importResult(text: string, name: string, format: ImportFormat | null = null): Result {
  if (format !== null) return IMPORTERS[format](text, name);
  const start = text.trimStart();
  if (!start.startsWith("{") && !start.startsWith("[")) {
    for (const [is, read] of [
      [isCtxsweep, importCtxsweep],
      [isConcbench, importConcbench],
      [isBenchText, importBenchText],
    ] as const) {
      if (is(text)) return read(text, name);
    }
    throw unknown(name);
  }
  if (isSweep(text)) return importSweep(text, name);
  if (isCtxsweep(text)) return importCtxsweep(text, name);
  const [first] = parseObjects(text, name);
  const schema = schemaOf(first);
  if (schema?.startsWith("onpar.result/") === true) return readResult(first, name);
  if (schema?.startsWith("onpar.run/") === true) return resultOfRun(readRun(first, name), name);
  const found = OF_OBJECTS.find(([, is]) => first !== undefined && is(first));
  if (found === undefined) throw unknown(name);
  return IMPORTERS[found[0]](text, name);
}

function unknown(name: string): ReportError {
  return new ReportError(
    "FORMAT_UNKNOWN",
    `${name}: is a result in no known format (${IMPORT_FORMATS.join(", ")}, onpar.result/1, onpar.run/2, onpar.sweep/1)`,
  );
}
