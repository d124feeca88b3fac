import { xml } from "../files/junit.ts";

type Attributes = Readonly<Record<string, string | number>>;

/** An element of SVG. Attributes are escaped; `children` is markup. */
export function element(name: string, attributes: Attributes, ...children: readonly string[]): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${xml(typeof value === "number" ? compact(value) : value)}"`,
  );
  const open = `<${name}${written.join("")}`;
  return children.length === 0 ? `${open}/>` : `${open}>${children.join("")}</${name}>`;
}

/** Text of the chart, escaped. */
export function textAt(x: number, y: number, text: string, attributes: Attributes = {}): string {
  return element("text", { x, y, ...attributes }, xml(text));
}

/** Coordinates to a hundredth of a pixel. */
export function compact(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toFixed(2)));
}

/** Series are told apart by colour, mark and dash, so that none of the three is needed alone. */
export const SERIES_STYLES = [
  { colour: "s0", dash: "", mark: "circle" },
  { colour: "s1", dash: "7 3", mark: "square" },
  { colour: "s2", dash: "2 3", mark: "triangle" },
  { colour: "s3", dash: "9 3 2 3", mark: "diamond" },
  { colour: "s4", dash: "4 2", mark: "cross" },
  { colour: "s5", dash: "12 4", mark: "circle" },
] as const;

export type SeriesStyle = (typeof SERIES_STYLES)[number];

export function styleOf(index: number): SeriesStyle {
  return SERIES_STYLES[index % SERIES_STYLES.length] ?? SERIES_STYLES[0];
}

/** A mark of a series around a place. */
export function mark({ mark: shape, colour }: SeriesStyle, x: number, y: number, size = 3.5): string {
  const common = { class: `mark ${colour}` };
  const points = (corners: readonly (readonly [number, number])[]): string =>
    element("polygon", {
      ...common,
      points: corners.map(([dx, dy]) => `${compact(x + dx)},${compact(y + dy)}`).join(" "),
    });
  switch (shape) {
    case "square":
      return element("rect", { ...common, x: x - size, y: y - size, width: 2 * size, height: 2 * size });
    case "triangle":
      return points([
        [0, -1.2 * size],
        [1.2 * size, size],
        [-1.2 * size, size],
      ]);
    case "diamond":
      return points([
        [0, -1.4 * size],
        [1.4 * size, 0],
        [0, 1.4 * size],
        [-1.4 * size, 0],
      ]);
    case "cross":
      return element("path", {
        class: `cross ${colour}`,
        d: `M${compact(x - size)} ${compact(y - size)}l${2 * size} ${2 * size}m0 ${-2 * size}l${-2 * size} ${2 * size}`,
      });
    default:
      return element("circle", { ...common, cx: x, cy: y, r: size });
  }
}

/** Colours of Okabe and Ito, darker for paper and lighter for a dark page, so that lines stand out from both. */
export const CHART_CSS = `
.chart{--fg:#1b1f24;--muted:#57606a;--grid:#d8dee4;--s0:#0072b2;--s1:#c64600;--s2:#00805d;--s3:#a3447d;--s4:#7a5c00;--s5:#3d4a9a;
font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--fg)}
@media screen and (prefers-color-scheme:dark){.chart{--fg:#e6edf3;--muted:#9ea7b3;--grid:#30363d;--s0:#56b4e9;--s1:#ff9a57;--s2:#3ecf9f;--s3:#e79ac4;--s4:#f0c94a;--s5:#a5b1f7}}
.chart .muted{fill:var(--muted)}.chart .grid{stroke:var(--grid);stroke-width:1}.chart .axis{stroke:var(--muted);stroke-width:1}
.chart .line{fill:none;stroke-width:2}.chart .area{opacity:.35;stroke:none}.chart .cross{fill:none;stroke-width:2}
.chart .mark{stroke:none}.chart .whisker{stroke-width:1.5}.chart .label{font-size:12px}
${[0, 1, 2, 3, 4, 5].map((n) => `.chart .s${n}{stroke:var(--s${n})}.chart .mark.s${n},.chart .area.s${n},.chart .bar.s${n}{fill:var(--s${n});stroke:none}`).join("\n")}
`.trim();

/** The frame of a chart: title and description for those who do not see it, styles for where it stands alone. */
export function frame(
  parts: { readonly id: string; readonly title: string; readonly description: string },
  width: number,
  height: number,
  ...content: readonly string[]
): string {
  const [title, description] = [`${parts.id}-title`, `${parts.id}-desc`];
  return element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      class: "chart",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-labelledby": `${title} ${description}`,
    },
    element("title", { id: title }, xml(parts.title)),
    element("desc", { id: description }, xml(parts.description)),
    ...content,
  );
}

/** A chart as a file of its own: its styles in it, its title drawn, on a page of the reader's colours. */
export function standaloneSvg(svg: string): string {
  const style = `<style>${CHART_CSS}\nsvg.chart{background:#fff}@media screen and (prefers-color-scheme:dark){svg.chart{background:#0d1117}}</style>`;
  const at = svg.indexOf(">") + 1;
  return `${svg.slice(0, at)}${style}${svg.slice(at)}\n`;
}
