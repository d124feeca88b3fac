// Proves that @onpar/bench-config works from its tarball alone: packs it, installs it with npm into an empty project, and runs
// the README's example there: a configuration is checked, and two protocols are compared.
//
//   node tools/fresh-project/bench-config.mjs
//
// The package must be built.
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { pnpmPath } from "../lib/pnpm.mjs";
import { capture } from "../lib/run.mjs";

const folder = fileURLToPath(new URL("../../packages/bench-config/", import.meta.url));

async function must(command, args, options) {
  const { code, output } = await capture(command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
  return output;
}

/** The first JavaScript block of the README is the example; its comments say what it prints. */
function readmeExample() {
  const readme = readFileSync(path.join(folder, "README.md"), "utf8");
  const [, code] = /```js\n(.*?)```/su.exec(readme) ?? [];
  if (code === undefined) throw new Error("the README has no example");
  return { code, expected: [...code.matchAll(/^.*?\/\/ (.*)$/gmu)].map(([, text]) => text) };
}

const project = mkdtempSync(path.join(tmpdir(), "onpar-fresh-"));
try {
  await must(await pnpmPath(), ["pack", "--pack-destination", project], { cwd: folder });
  const tarball = readdirSync(project).find((name) => name.endsWith(".tgz"));
  const manifest = { name: "fresh", private: true, type: "module" };
  writeFileSync(path.join(project, "package.json"), JSON.stringify(manifest));
  await must("npm", ["install", "--no-audit", "--no-fund", `./${tarball}`], { cwd: project });
  const { code, expected } = readmeExample();
  writeFileSync(path.join(project, "example.mjs"), code);
  const output = await must(process.execPath, ["example.mjs"], { cwd: project });
  if (output.trimEnd() !== expected.join("\n")) {
    throw new Error(`the example printed\n${output}instead of\n${expected.join("\n")}`);
  }
  console.log(`Node ${process.version}, ${tarball}:\n${output.trimEnd()}`);
} finally {
  rmSync(project, { recursive: true, force: true });
}
