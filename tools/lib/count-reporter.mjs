// A vitest reporter that closes a run with one plain line of counts.
import { countsLine, writeCounts } from "./counts.mjs";

export default class CountReporter {
  onTestRunEnd(testModules, unhandledErrors) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const testModule of testModules) {
      if (testModule.errors().length > 0) counts.failed += 1;
      for (const test of testModule.children.allTests()) {
        const { state } = test.result();
        counts[state === "passed" ? "passed" : state === "failed" ? "failed" : "skipped"] += 1;
      }
    }
    writeCounts("test", counts);
    process.stdout.write(`\n${countsLine(counts)}\n`);
  }
}
