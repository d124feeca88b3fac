// npm run check: format, lint, types, unused code, layers, and the packed tarballs. All checks run; the failed ones are
// named at the end.
import { prepare, workspaceFolders } from "./lib/prepare.mjs";
import { checkLayers } from "./lib/layers.mjs";
import { checkTarballs } from "./lib/tarballs.mjs";
import { countsLine, writeCounts } from "./lib/counts.mjs";
import { capture, main, root } from "./lib/run.mjs";
import path from "node:path";

const bin = (name) => path.join(root, "node_modules", ".bin", name);

/** Each check resolves with the text of its complaint, or null. */
function checks() {
  return [
    ["format", () => command(bin("oxfmt"), ["--check", "."])],
    ["lint", () => command(bin("oxlint"), ["--type-aware", "--deny-warnings", "."])],
    ...workspaceFolders().map((folder) => [`types of ${folder}`, () => command(bin("tsc"), ["-p", folder])]),
    ["unused files, exports and dependencies", () => command(bin("knip"), ["--no-progress"])],
    ["layers", () => checkLayers()],
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
  for (const [name, check] of checks()) {
    const complaint = await check();
    console.log(`${complaint === null ? "ok  " : "FAIL"} ${name}`);
    if (complaint === null) passed += 1;
    else failed.push({ name, complaint });
  }
  for (const { name, complaint } of failed) console.error(`\n--- ${name}\n${complaint}`);
  writeCounts("check", { passed, failed: failed.length, skipped: 0 });
  console.log(`\n${countsLine({ passed, failed: failed.length })}`);
  if (failed.length > 0) process.exitCode = 1;
});
