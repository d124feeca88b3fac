// Memory while a page of 200 MB is streamed through the parser.
// usage: node --expose-gc bench/stream.mjs [MEGABYTES]
import { streamExposition } from "../dist/index.js";
import { modelPage } from "./pages.mjs";

const megabytes = Number(process.argv[2] ?? 200);
const PIECE = 64 * 1024;
let sent = 0;

/** Bytes of one page after another under names of their own, cut anywhere. */
function* pieces() {
  for (let model = 0; sent < megabytes * 1e6; model++) {
    // Each model's families have their own prefix: a family comes once on a page.
    const bytes = Buffer.from(modelPage("Qwen/Qwen3-8B", 100, model + 1).replaceAll("vllm:", `m${model}:`));
    for (let start = 0; start < bytes.length; start += PIECE) {
      const piece = bytes.subarray(start, start + PIECE);
      sent += piece.length;
      yield piece;
    }
  }
}

const memory = () => {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss: rss / 1e6, heap: heapUsed / 1e6 };
};

let samples = 0;
let sum = 0;
let peak = 0;
let heapPeak = 0;
let nextLook = 0;
const first = memory();
const start = performance.now();
const unbounded = { maxLength: Number.MAX_SAFE_INTEGER, maxLines: Number.MAX_SAFE_INTEGER };
for await (const batch of streamExposition(pieces(), unbounded)) {
  samples += batch.length;
  for (const { value } of batch) sum += value;
  if (sent < nextLook) continue;
  nextLook = sent + 10e6;
  const { rss, heap } = memory();
  peak = Math.max(peak, rss);
  heapPeak = Math.max(heapPeak, heap);
}
const seconds = (performance.now() - start) / 1000;
console.log(
  `${(sent / 1e6).toFixed(0)} MB, ${samples} samples in ${seconds.toFixed(1)} s (sum ${sum.toExponential(3)})`,
);
console.log(
  `resident set ${first.rss.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most; heap ${first.heap.toFixed(1)} and ${heapPeak.toFixed(1)} MB`,
);
