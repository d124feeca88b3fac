// npm run check: format, lint, types, unused code, layers, and the packed tarballs. All checks run; the failed ones are
// named at the end.
import { prepare, workspaceFolders } from "./lib/prepare.mjs";
import { checkLayers } from "./lib/layers.mjs";
import { checkTarballs } from "./lib/tarballs.mjs";
import { countsLine, writeCounts } from "./lib/counts.mjs";
import { capture, main, root } from "./lib/run.mjs";
import path from "node:path";

const bin = (name) => path.join(root, "node_modules", ".bin", name);

/** Every check by name; each resolves with the text of its complaint, or null. */
function checks() {
  return [
    { name: "format", run: () => command(bin("oxfmt"), ["--check", "."]) },
    { name: "lint", run: () => command(bin("oxlint"), ["--type-aware", "--deny-warnings", "."]) },
    ...workspaceFolders().map((folder) => ({
      name: `types of ${folder}`,
      run: () => command(bin("tsc"), ["-p", folder]),
    })),
    { name: "unused files, exports and dependencies", run: () => command(bin("knip"), ["--no-progress"]) },
    { name: "layers", run: () => checkLayers() },
    ...checkTarballs(),
  ];
}

async function command(executable, args) {
  const { code, output } = await capture(executable, args, { env: { NO_COLOR: "1" } });
  return code === 0 ? null : output.trim();
}

await main(async () => {
  await prepare();
  const failed = [];
  let passed = 0;
  for (const { name, run } of checks()) {
    const complaint = await run();
    console.log(`${complaint === null ? "ok  " : "FAIL"} ${name}`);
    if (complaint === null) passed += 1;
    else failed.push({ name, complaint });
  }
  for (const { name, complaint } of failed) console.error(`\n--- ${name}\n${complaint}`);
  writeCounts("check", { passed, failed: failed.length, skipped: 0 });
  console.log(`\n${countsLine({ passed, failed: failed.length })}`);
  if (failed.length > 0) process.exitCode = 1;
});
