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
const PALETTES = {
  light: {
    page: "#fff",
    fg: "#1b1f24",
    muted: "#57606a",
    grid: "#d8dee4",
    series: ["#0072b2", "#c64600", "#00805d", "#a3447d", "#7a5c00", "#3d4a9a"],
  },
  dark: {
    page: "#0d1117",
    fg: "#e6edf3",
    muted: "#9ea7b3",
    grid: "#30363d",
    series: ["#56b4e9", "#ff9a57", "#3ecf9f", "#e79ac4", "#f0c94a", "#a5b1f7"],
  },
} as const;

/** Whether a chart is drawn for a light or for a dark page. */
export type ChartTheme = keyof typeof PALETTES;

/** Name and value of every colour of a theme. */
function coloursOf(theme: ChartTheme): (readonly [name: string, colour: string])[] {
  const { fg, muted, grid, series } = PALETTES[theme];
  return [
    ["fg", fg],
    ["muted", muted],
    ["grid", grid],
    ...series.map((colour, index) => [`s${index}`, colour] as const),
  ];
}

const variables = (theme: ChartTheme): string =>
  coloursOf(theme)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(";");

const SHAPES = `
.chart .muted{fill:var(--muted)}.chart .grid{stroke:var(--grid);stroke-width:1}.chart .axis{stroke:var(--muted);stroke-width:1}
.chart .line{fill:none;stroke-width:2}.chart .area{opacity:.35;stroke:none}.chart .cross{fill:none;stroke-width:2}
.chart .mark{stroke:none}.chart .whisker{stroke-width:1.5}.chart .label{font-size:12px}
${[0, 1, 2, 3, 4, 5].map((n) => `.chart .s${n}{stroke:var(--s${n})}.chart .mark.s${n},.chart .area.s${n},.chart .bar.s${n}{fill:var(--s${n});stroke:none}`).join("\n")}
`.trim();

/** Styles of charts on a page, in the colours that its reader has set. */
export const CHART_CSS = `
.chart{${variables("light")};
font:13px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--fg)}
@media screen and (prefers-color-scheme:dark){.chart{${variables("dark")}}}
${SHAPES}
`.trim();

/**
 * A chart for programs that know neither variables nor media queries, as those that make pictures of it: one theme, a page of its
 * colour below, and the fonts that are named.
 */
export function paintedSvg(svg: string, theme: ChartTheme, fontFamily: string): string {
  const styles = coloursOf(theme).reduce(
    (css, [name, colour]) => css.replaceAll(`var(--${name})`, colour),
    `.chart{font-family:${fontFamily};font-size:13px;fill:var(--fg)}\n${SHAPES}`,
  );
  const page = element("rect", { width: "100%", height: "100%", fill: PALETTES[theme].page });
  const at = svg.indexOf(">") + 1;
  return `${svg.slice(0, at)}<style>${xml(styles)}</style>${page}${svg.slice(at)}\n`;
}

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
