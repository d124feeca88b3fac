import { xml } from "../files/junit.ts";
import { printable } from "../text.ts";
import type { Chart, ChartTable } from "../charts/chart.ts";

/** Text as HTML: escaped, and free of what steers a screen. */
export function text(value: string): string {
  return xml(printable(value));
}

/** A number or a share with its interval, and not a sentence that begins with one. */
const NUMBER = /^[<>]?\s*-?\d[\d.]*(?: %)?(?: \[[^\]]*\])?(?: \(no interval\))?$|^\d+\/\d+(?:\/\d+)?$|^-$/;

/** A table whose columns are sorted by the buttons in its head, where there are several rows. */
export function dataTable(caption: string, { head, rows }: ChartTable): string {
  const sortable = rows.length > 1;
  const heads = head.map((name) =>
    sortable
      ? `<th scope="col" aria-sort="none"><button type="button">${text(name)}</button></th>`
      : `<th scope="col">${text(name) || "&#160;"}</th>`,
  );
  const body = rows.map(
    (row) =>
      `<tr>${row
        .map((cell, column) =>
          column === 0
            ? `<th scope="row">${text(cell)}</th>`
            : `<td${NUMBER.test(cell) ? ' class="number"' : ""}>${text(cell)}</td>`,
        )
        .join("")}</tr>`,
  );
  return `<div class="scroll" role="region" aria-label="${text(caption)}" tabindex="0"><table><caption>${text(caption)}</caption><thead><tr>${heads.join("")}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

/** Names and what stands beside them. */
export function definitionList(pairs: readonly (readonly [string, string])[]): string {
  return `<dl>${pairs.map(([name, value]) => `<div><dt>${text(name)}</dt><dd>${text(value)}</dd></div>`).join("")}</dl>`;
}

/** A chart with its numbers below it, folded away. */
export function figureOf({ svg, title, description, table }: Chart): string {
  return `<figure>${svg}<figcaption class="unseen">${text(`${title}. ${description}`)}</figcaption><details><summary>Numbers of the chart<span class="unseen">: ${text(title)}</span></summary>${dataTable(title, table)}</details></figure>`;
}

export function sectionOf(id: string, title: string, ...content: readonly string[]): string {
  const filled = content.filter((part) => part !== "");
  return filled.length === 0
    ? ""
    : `<section aria-labelledby="${id}"><h2 id="${id}">${text(title)}</h2>${filled.join("")}</section>`;
}

export function listOf(items: readonly string[]): string {
  return items.length === 0 ? "" : `<ul>${items.map((item) => `<li>${text(item)}</li>`).join("")}</ul>`;
}
