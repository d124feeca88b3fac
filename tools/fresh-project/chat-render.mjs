// Proves that @onpar/chat-render works from its tarball alone: packs it, installs it with npm into an empty project, and runs
// the README's example there in Node and, bundled for the browser, in headless Chromium.
//
//   node tools/fresh-project/chat-render.mjs
//
// The package must be built. Chromium is looked for as CHROMIUM, chromium, chromium-browser and google-chrome; where there is
// none, the second half is left out and said so.
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { pnpmPath } from "../lib/pnpm.mjs";
import { capture } from "../lib/run.mjs";

const folder = fileURLToPath(new URL("../../packages/chat-render/", import.meta.url));
const project = mkdtempSync(path.join(tmpdir(), "onpar-fresh-"));
const BROWSER_TIMEOUT_MS = 30_000;

async function must(command, args, options) {
  const { code, output } = await capture(command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
  return output;
}

/** The first TypeScript block of the README is the example, the comment at its end says what it prints. */
function readmeExample() {
  const readme = readFileSync(path.join(folder, "README.md"), "utf8");
  const [, code] = /```ts\n(.*?)```/su.exec(readme) ?? [];
  const [, expected] = /console\.log\(text\); \/\/ (.*)\n/u.exec(code ?? "") ?? [];
  if (code === undefined || expected === undefined)
    throw new Error("the README has no example that tells what it prints");
  return { code, expected };
}

async function install() {
  await must(await pnpmPath(), ["pack", "--pack-destination", project], { cwd: folder });
  const tarball = readdirSync(project).find((name) => name.endsWith(".tgz"));
  writeFileSync(
    path.join(project, "package.json"),
    JSON.stringify({ name: "fresh", private: true, type: "module" }),
  );
  await must("npm", ["install", "--no-audit", "--no-fund", `./${tarball}`], { cwd: project });
}

async function inNode({ code, expected }) {
  writeFileSync(path.join(project, "example.mjs"), code);
  const output = await must(process.execPath, ["example.mjs"], { cwd: project });
  if (!output.startsWith(`${expected}\n`))
    throw new Error(`the example printed ${JSON.stringify(output)} in Node`);
  console.log(`Node ${process.version}: ${output.trim()}`);
}

function findChromium() {
  const names = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"].filter(Boolean);
  return names.find((name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0) ?? null;
}

/** esbuild comes with tsup. */
function esbuild() {
  const tsup = createRequire(path.join(folder, "package.json")).resolve("tsup");
  return createRequire(tsup)("esbuild");
}

async function inBrowser(chromium, { code, expected }) {
  const entry = path.join(project, "browser.mjs");
  writeFileSync(entry, code.replaceAll("console.log(text);", "document.body.textContent = text;"));
  const { outputFiles, metafile } = await esbuild().build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    metafile: true,
    write: false,
  });
  const builtins = Object.keys(metafile.inputs).filter((name) => name.startsWith("node:"));
  if (builtins.length > 0) throw new Error(`the bundle needs ${builtins.join(", ")}`);
  const script = outputFiles[0].text;
  const page = `<!doctype html><meta charset="utf-8"><body>nothing yet</body><script type="module" src="/bundle.js"></script>`;
  const server = createServer((request, response) => {
    const isScript = request.url === "/bundle.js";
    response.setHeader(
      "content-type",
      isScript ? "text/javascript; charset=utf-8" : "text/html; charset=utf-8",
    );
    response.end(isScript ? script : page);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { code: status, output } = await capture(chromium, [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      `--user-data-dir=${path.join(project, "profile")}`,
      `--timeout=${BROWSER_TIMEOUT_MS}`,
      "--virtual-time-budget=5000",
      "--dump-dom",
      `http://127.0.0.1:${server.address().port}/`,
    ]);
    const [, shown] = /<body>(.*?)<\/body>|<body>(.*?)<script/su.exec(output) ?? [];
    const text = (shown ?? "")
      .replace(/<script.*/su, "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");
    if (status !== 0 || text !== expected) {
      throw new Error(
        `Chromium ended with ${status} and showed ${JSON.stringify(text)}:\n${output.slice(0, 2000)}`,
      );
    }
    const version = spawnSync(chromium, ["--version"], { encoding: "utf8" }).stdout.trim();
    console.log(`${version}: ${text} (bundle of ${(script.length / 1000).toFixed(1)} kB)`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

try {
  if (!existsSync(path.join(folder, "dist", "index.js")))
    throw new Error("packages/chat-render is not built");
  const example = readmeExample();
  await install();
  await inNode(example);
  const chromium = findChromium();
  if (chromium === null)
    console.log("skipped: the browser half, for no Chromium was found (CHROMIUM names one)");
  else await inBrowser(chromium, example);
} finally {
  rmSync(project, { recursive: true, force: true });
}
