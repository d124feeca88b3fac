// What .ci/run runs: the tests and the checks, each to its end, then one line of counts for both.
import { countsLine, takeCounts } from "./lib/counts.mjs";
import { run } from "./lib/run.mjs";

const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const total = { passed: 0, failed: 0, skipped: 0 };

for (const [name, args] of [
  ["test", ["test"]],
  ["check", ["run", "check"]],
]) {
  takeCounts(name);
  let ended = "well";
  try {
    await run(npm, args);
  } catch (error) {
    ended = error.message;
  }
  const counts = takeCounts(name) ?? { passed: 0, failed: 0, skipped: 0 };
  total.passed += counts.passed;
  // A run that broke before or after counting has failed, whatever it counted.
  total.failed += ended === "well" ? counts.failed : Math.max(1, counts.failed);
  total.skipped += counts.skipped ?? 0;
  if (ended !== "well") console.error(`onpar: ${ended}`);
}

console.log(`\n${countsLine(total)}`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
