// Opens HTML reports in headless Chromium and looks at them as a reader would: no error on the console, no request that leaves the
// file, no serious accessibility fault (axe-core), no page that is wider than its screen, and a table that sorts. Takes screenshots
// in light and dark, 1280 and 390 pixels wide.
//
//   node tools/report-browser/check-report.mjs OUT-DIR REPORT.html…
//
// Chromium is looked for as CHROMIUM, chromium, chromium-browser and google-chrome; where there is none, that is said and nothing
// is checked.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [out, ...files] = process.argv.slice(2);
if (out === undefined || files.length === 0) {
  console.error("usage: node tools/report-browser/check-report.mjs OUT-DIR REPORT.html…");
  process.exit(2);
}

const VIEWS = ["light", "dark"].flatMap((scheme) => [1280, 390].map((width) => ({ scheme, width })));
const SERIOUS = new Set(["serious", "critical"]);

function findChromium() {
  const names = [process.env.CHROMIUM, "chromium", "chromium-browser", "google-chrome"].filter(Boolean);
  for (const name of names) {
    const { status, stdout } = spawnSync("which", [name], { encoding: "utf8" });
    if (status === 0) return stdout.trim();
  }
  return null;
}

async function look(browser, axe, file, { scheme, width }) {
  const name = path.basename(file, ".html");
  const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 900 } });
  const faults = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  const own = pathToFileURL(path.resolve(file)).href;
  page.on("request", (request) => {
    if (request.url() !== own && !request.url().startsWith("data:")) faults.push(`request: ${request.url()}`);
  });
  await page.goto(own);
  const { wide, charts } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    charts: [...document.querySelectorAll("svg.chart")].map((svg) => svg.getBoundingClientRect().height),
  }));
  if (wide > 0) faults.push(`the page is ${wide} px wider than its screen`);
  if (charts.some((height) => height < 100)) faults.push("a chart is not visible");
  faults.push(...(await sorts(page)));
  await page.screenshot({ path: path.join(out, `${name}-${scheme}-${width}.png`), fullPage: true });
  // The page's own policy lets no script in; the checker brings its own through the debugger.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    expression: "axe.run(document).then((found) => JSON.stringify(found.violations))",
    awaitPromise: true,
  });
  for (const { id, impact, nodes } of JSON.parse(result.value)) {
    const where = nodes.slice(0, 3).map(({ html }) => html.slice(0, 120));
    const line = `axe: ${impact} ${id} (${nodes.length}): ${where.join(" | ")}`;
    if (SERIOUS.has(impact)) faults.push(line);
    else console.log(`  minor: ${line}`);
  }
  await page.close();
  console.log(`${name}, ${scheme}, ${width} px: ${charts.length} charts, ${faults.length} faults`);
  return faults;
}

/** Presses the last button of the first table that sorts, twice. */
async function sorts(page) {
  const button = page.locator("section > .scroll table:has(th button)").first().locator("th button").last();
  if ((await button.count()) === 0) return [];
  const column = () =>
    button.evaluate((pressed) => {
      const head = pressed.closest("th");
      const at = [...head.parentNode.children].indexOf(head);
      return [...head.closest("table").tBodies[0].rows]
        .map((row) => Number.parseFloat(row.cells[at].textContent))
        .filter((value) => !Number.isNaN(value));
    });
  await button.click();
  const up = await column();
  await button.click();
  const down = await column();
  const isSorted = up.every((value, index) => index === 0 || up[index - 1] <= value);
  return isSorted && down.join() === [...up].reverse().join() ? [] : ["a table does not sort"];
}

const chromium = findChromium();
if (chromium === null) {
  console.log("skipped: no Chromium was found (CHROMIUM names one)");
  process.exit(0);
}
mkdirSync(out, { recursive: true });
const require = createRequire(import.meta.url);
const { chromium: driver } = await import("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const browser = await driver.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
const faults = [];
try {
  for (const file of files) for (const view of VIEWS) faults.push(...(await look(browser, axe, file, view)));
} finally {
  await browser.close();
}
for (const fault of new Set(faults)) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
