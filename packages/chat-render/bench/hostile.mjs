// How long templates that never end, explode or are nested without end hold the process, each in its first render of a
// process and in later ones.
//
//   node bench/hostile.mjs        (after `npm run build`)
//
// Prints the slowest by time on the wall, which is what blocks, beside the time of the processor.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { applyChatTemplate, RenderError } from "../dist/index.js";

const SHOWN = 10;
const RENDERS = 5;

/** The set of the tests; esbuild comes with tsup. */
async function hostileSets() {
  const here = createRequire(import.meta.url);
  const { outputFiles } = await createRequire(here.resolve("tsup"))("esbuild").build({
    entryPoints: [fileURLToPath(new URL("../test/support/hostile-templates.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

function end(template, options) {
  try {
    applyChatTemplate(template, { messages: [{ role: "user", content: "Hi" }] }, options);
    return "a text";
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return error.pythonClass ?? error.code;
  }
}

const { endless, refused, nested } = await hostileSets();
const all = [
  ...endless.map(({ name, template }) => [name, template]),
  ...refused,
  ...nested.map(([name, template]) => [`nested ${name}`, template]),
];
const rows = [];
for (const [name, template] of all) {
  for (let render = 0; render < RENDERS; render++) {
    const cpu = process.cpuUsage();
    const began = performance.now();
    const outcome = end(template, {});
    const wall = performance.now() - began;
    const { user, system } = process.cpuUsage(cpu);
    rows.push({ name, outcome, wall, cpu: (user + system) / 1000 });
  }
}
rows.sort((a, b) => b.wall - a.wall);
console.log(`${all.length} templates, ${RENDERS} renders each, Node ${process.version}`);
for (const { name, outcome, wall, cpu } of rows.slice(0, SHOWN)) {
  console.log(`${wall.toFixed(0)} ms (processor ${cpu.toFixed(0)} ms)  ${name}: ${outcome}`);
}
const over = rows.filter(({ wall }) => wall > 200).length;
console.log(`over 200 ms: ${over} of ${rows.length} renders`);
