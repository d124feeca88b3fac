import { createHash } from "node:crypto";

import { CHART_CSS } from "../charts/svg.ts";
import { text } from "./markup.ts";

/** Styles of every page. */
export const PAGE_CSS = `
:root{color-scheme:light dark;--bg:#fff;--panel:#f6f8fa;--text:#1b1f24;--quiet:#57606a;--rule:#d0d7de;--good:#116329;--warn:#7d4e00;--bad:#b00020;--link:#0550ae}
@media screen and (prefers-color-scheme:dark){:root{--bg:#0d1117;--panel:#161b22;--text:#e6edf3;--quiet:#9ea7b3;--rule:#30363d;--good:#56d364;--warn:#e3b341;--bad:#ff8f8a;--link:#79c0ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main,header{max-width:1280px;margin:0 auto;padding:0 16px}
h1{font-size:1.5rem;line-height:1.25;margin:1.2rem 0 .4rem;overflow-wrap:anywhere}h2{font-size:1.15rem;margin:2rem 0 .6rem;border-bottom:1px solid var(--rule);padding-bottom:.25rem}
p{margin:.4rem 0;max-width:80ch}a{color:var(--link)}
.head{font-size:1.1rem;font-weight:600;overflow-wrap:anywhere}.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}.quiet{color:var(--quiet)}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,380px),1fr));gap:16px}
figure{margin:0;padding:8px;background:var(--panel);border:1px solid var(--rule);border-radius:6px;min-width:0}
figure svg{display:block;width:100%;height:auto}
details{font-size:.9rem}summary{cursor:pointer;color:var(--quiet);padding:2px 4px}
.scroll{overflow-x:auto;max-width:100%}.scroll:focus-visible,button:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}caption{text-align:left;color:var(--quiet);padding:4px 0}
th,td{padding:4px 10px;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top}td.number{text-align:right;white-space:nowrap}
thead th{background:var(--panel);font-weight:600}tbody th{font-weight:400;min-width:9rem;overflow-wrap:anywhere}
th button{all:unset;cursor:pointer;font-weight:600}th[aria-sort=ascending] button::after{content:" \\2191"}th[aria-sort=descending] button::after{content:" \\2193"}
dl{margin:0}dl div{display:grid;grid-template-columns:minmax(9rem,14rem) 1fr;gap:8px;padding:3px 0;border-bottom:1px solid var(--rule)}dt{color:var(--quiet)}dd{margin:0;overflow-wrap:anywhere}
@media (max-width:520px){dl div{grid-template-columns:1fr;gap:0}}
ul{padding-left:1.2rem}li{margin:.3rem 0;overflow-wrap:anywhere}footer{margin:2rem 0;color:var(--quiet);font-size:.9rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media print{:root{color-scheme:light}main,header{max-width:none;padding:0}figure,tr,dl div{break-inside:avoid}h2{break-after:avoid}details>summary{display:none}.charts{grid-template-columns:1fr 1fr}.scroll{overflow:visible}table{font-size:.75rem}}
${CHART_CSS}
`.trim();

/** Sorts a table by the column whose button is pressed: numbers by their value, other cells by their text. */
const SCRIPT = `
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => {
    const head = button.closest("th");
    const rows = head.closest("table").tBodies[0];
    const column = [...head.parentNode.children].indexOf(head);
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of head.parentNode.children) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const valueOf = (row) => row.cells[column].textContent.trim();
    const numberOf = (text) => (/^[<>]?\\s*-?\\d/.test(text) ? parseFloat(text.replace(/^[<>]\\s*/, "")) : NaN);
    const compare = (a, b) => {
      const [one, other] = [numberOf(valueOf(a)), numberOf(valueOf(b))];
      if (Number.isNaN(one) !== Number.isNaN(other)) return Number.isNaN(one) ? 1 : -1;
      const order = Number.isNaN(one) ? valueOf(a).localeCompare(valueOf(b)) : one - other;
      return down ? -order : order;
    };
    rows.append(...[...rows.rows].sort(compare));
  });
}
`.trim();

/** The hash by which a page's own policy lets its one script run, and nothing else. */
const SCRIPT_HASH = createHash("sha256").update(SCRIPT).digest("base64");

/** A whole page in one file. Its policy forbids every request, so that it needs no network and tells nobody that it is read. */
export function htmlPage(title: string, header: string, sections: readonly string[], footer: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${SCRIPT_HASH}'; img-src data:">
<meta name="viewport" content="width=device-width,initial-scale=1">
<link rel="icon" href="data:,">
<title>${text(title)}</title>
<style>${PAGE_CSS}</style>
</head>
<body>
<header><h1>${text(title)}</h1>${header}</header>
<main>
${sections.filter((section) => section !== "").join("\n")}
<footer>${text(footer)}</footer>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}
