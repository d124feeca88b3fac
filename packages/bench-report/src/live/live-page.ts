import { createHash } from "node:crypto";

import { declaredProtocol, type BenchConfig } from "@onpar/bench-config";

import { definitionList, text } from "../html/markup.ts";
import { PAGE_CSS } from "../html/page.ts";
import { axisPairs } from "../result/describe.ts";
import { LIVE_CHARTS, LIVE_ROWS, type LiveView } from "./live-view.ts";

const CSS = `${PAGE_CSS}
progress{width:100%;height:1rem}
[hidden]{display:none}
.lost{color:var(--bad)}`;

/**
 * Puts each view into the page as it comes: texts as texts, and charts through the parser for SVG. A page that loses the run says so.
 */
const SCRIPT = `
const at = (id) => document.getElementById(id);
const drawn = {};
const show = (view) => {
  document.title = view.title;
  at("lost").hidden = true;
  for (const [id, text] of Object.entries(view.texts)) {
    const place = at(id);
    if (place !== null && place.textContent !== text) place.textContent = text;
  }
  at("counts").className = "head " + view.tone;
  const bar = at("bar");
  if (view.share === null) bar.removeAttribute("value");
  else bar.value = view.share;
  for (const [id, lines] of Object.entries(view.lists)) {
    const list = at(id);
    if (list.dataset.shown === lines.join("\\n")) continue;
    list.dataset.shown = lines.join("\\n");
    list.replaceChildren(...lines.map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }));
    at(id + "-none").hidden = lines.length > 0;
  }
  for (const [id, svg] of Object.entries(view.charts)) {
    if (drawn[id] === svg) continue;
    drawn[id] = svg;
    const figure = at(id);
    figure.hidden = svg === "";
    figure.replaceChildren(...(svg === "" ? [] : [new DOMParser().parseFromString(svg, "image/svg+xml").documentElement]));
  }
};
const events = new EventSource("events");
let failures = 0;
events.onmessage = ({ data }) => {
  failures = 0;
  const view = JSON.parse(data);
  show(view);
  if (view.isOver) events.close();
};
events.onerror = () => {
  at("lost").hidden = false;
  if (++failures > 20) events.close();
};
`.trim();

const hash = (content: string): string => `'sha256-${createHash("sha256").update(content).digest("base64")}'`;

/** The policy of the page: its own script and styles, events of its own server, and nothing else. */
export const LIVE_POLICY = [
  "default-src 'none'",
  `script-src ${hash(SCRIPT)}`,
  `style-src ${hash(CSS)}`,
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The page of a run that goes on, as it is now; its script keeps it so. Served with {@link LIVE_POLICY}. */
export function livePage(config: BenchConfig, view: LiveView): string {
  const protocol = axisPairs(declaredProtocol(config)).filter(([, told]) => !told.includes("unknown"));
  const title = titleOf(config);
  const { texts } = view;
  const place = (id: string): string => `<span id="${id}">${text(texts[id] ?? "")}</span>`;
  const pairs = (of: readonly (readonly [string, string])[]): string =>
    `<dl>${of.map(([name, id]) => `<div><dt>${text(name)}</dt><dd id="${id}">${text(texts[id] ?? "")}</dd></div>`).join("")}</dl>`;
  const list = (id: string, none: string): string => {
    const lines = view.lists[id] ?? [];
    return `<ul id="${id}">${lines.map((line) => `<li>${text(line)}</li>`).join("")}</ul><p id="${id}-none" class="quiet"${lines.length > 0 ? " hidden" : ""}>${text(none)}</p>`;
  };
  const columns = ["n", "p50", "p90", "p99"];
  const rows = LIVE_ROWS.map(
    ([id, label, unit]) =>
      `<tr><th scope="row">${text(`${label}, ${unit}`)}</th>${columns.map((column) => `<td class="number" id="${id}-${column}">${text(texts[`${id}-${column}`] ?? "-")}</td>`).join("")}</tr>`,
  ).join("");
  const figures = LIVE_CHARTS.map((id) => {
    const svg = view.charts[id] ?? "";
    return `<figure id="${id}"${svg === "" ? " hidden" : ""}>${svg}</figure>`;
  }).join("");
  const value = view.share === null ? "" : ` value="${view.share}"`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${text(view.title)}</title>
<style>${CSS}</style>
</head>
<body>
<header>
<h1>${text(title)}</h1>
<p role="status" id="phase">${text(texts["phase"] ?? "")}</p>
<p id="lost" class="lost" role="alert" hidden>The connection to the run is lost: it was ended, or its process is gone.</p>
<p id="counts" class="head ${view.tone}">${text(texts["counts"] ?? "")}</p>
<progress id="bar" max="1"${value} aria-label="Progress of this phase"></progress>
<p>${place("progress")}</p>
</header>
<main>
<section aria-labelledby="h-files"><h2 id="h-files">Results</h2>${list("files", "They are written when the run is over.")}</section>
<section aria-labelledby="h-rates"><h2 id="h-rates">Rates so far</h2>${pairs([
    ["output throughput", "throughput"],
    ["requests", "requests"],
    ["over outputs of", "outputs"],
    ["first error", "error"],
  ])}</section>
<section aria-labelledby="h-latency"><h2 id="h-latency">Latency so far</h2><div class="scroll" role="region" aria-label="Table of latencies" tabindex="0"><table><caption>Of requests that ended well; percentiles are read from bins and off by 5 % at most</caption><thead><tr><th scope="col">figure</th>${columns.map((column) => `<th scope="col">${column}</th>`).join("")}</tr></thead><tbody>${rows}</tbody></table></div></section>
<section aria-labelledby="h-acceptance"><h2 id="h-acceptance">Acceptance so far</h2><p id="acceptance">${text(texts["acceptance"] ?? "")}</p></section>
<section aria-labelledby="h-charts"><h2 id="h-charts">Charts</h2><div class="charts">${figures}</div></section>
<section aria-labelledby="h-findings"><h2 id="h-findings">Findings so far</h2>${list("findings", "none")}</section>
<section aria-labelledby="h-protocol"><h2 id="h-protocol">Protocol as asked for</h2>${definitionList(protocol)}</section>
<footer>Figures on this page are a view of a run that goes on; the report has the ones to keep.</footer>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function titleOf({ target, engine }: BenchConfig): string {
  const model = target.endpoint === "engine" ? engine.modelPath?.split(/[\\/]/).at(-1) : target.model;
  const where = target.endpoint === "engine" ? "in this process" : `at ${target.baseUrl}`;
  return `Run of ${model ?? "the first model listed"} ${where}`;
}
