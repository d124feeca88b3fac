import { createRequire } from "node:module";

import { paintedSvg, type ChartTheme } from "@onpar/bench-report";

import { UsageError } from "../usage-error.ts";

/** Pixels per unit of a chart: sharp on paper and on dense screens. */
const ZOOM = 2;

/** First the font that comes as a package, so that a chart looks the same everywhere; then what systems have. */
const FAMILIES = '"DejaVu Sans","Segoe UI",Roboto,"Liberation Sans",Arial,Helvetica,sans-serif';

const PROBE = `<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><text y="50" font-family='${FAMILIES}'>n</text></svg>`;

/** Draws charts as pictures. */
export interface PngDrawer {
  readonly draw: (svg: string, theme: ChartTheme) => Uint8Array;
}

/**
 * The drawer, which is a package of its own: most reports need none. Text is drawn in DejaVu Sans where its package is installed,
 * else in a font of the system.
 *
 * @throws {UsageError} naming the package that is missing
 */
export async function loadPngDrawer(): Promise<PngDrawer> {
  const { Resvg } = await import("@resvg/resvg-js").catch((error: unknown) => {
    throw missing("@resvg/resvg-js@2.6.2", "draws charts as PNG, and is not installed", error);
  });
  // Fonts of the system have the letters that DejaVu lacks.
  const font = { fontFiles: packagedFonts(), loadSystemFonts: true };
  if (new Resvg(PROBE, { font }).getBBox() === undefined)
    throw missing("dejavu-fonts-ttf@2.37.3", "has the font that this system lacks");
  return {
    draw(svg, theme) {
      const options = { font, fitTo: { mode: "zoom", value: ZOOM } } as const;
      return new Resvg(paintedSvg(svg, theme, FAMILIES), options).render().asPng();
    },
  };
}

function packagedFonts(): string[] {
  const { resolve } = createRequire(import.meta.url);
  try {
    return ["DejaVuSans", "DejaVuSans-Bold"].map((name) => resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`));
  } catch {
    return [];
  }
}

function missing(name: string, why: string, cause?: unknown): UsageError {
  const [bare = name] = name.split(/(?<=.)@/);
  return new UsageError(`--png: ${bare} ${why}; install it: npm install --global ${name}`, { cause });
}
