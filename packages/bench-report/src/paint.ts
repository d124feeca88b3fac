/** How a report is laid out: columns of the terminal, and whether it may use colour. */
export interface RenderOptions {
  /** Columns; at least 40 are used. */
  readonly width: number;
  readonly color: boolean;
}

/** Emphasis as functions over text, so that a report without colour is the same report. */
export interface Paint {
  readonly strong: (text: string) => string;
  readonly quiet: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
}

export function createPaint(color: boolean): Paint {
  const sgr = (open: number, close: number) => (text: string) =>
    color && text !== "" ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    strong: sgr(1, 22),
    quiet: sgr(2, 22),
    good: sgr(32, 39),
    warn: sgr(33, 39),
    bad: sgr(31, 39),
  };
}

/** What every section is given. */
export interface Page {
  readonly width: number;
  readonly paint: Paint;
}

export function createPage(options: RenderOptions): Page {
  const width = Number.isFinite(options.width) ? Math.max(40, Math.floor(options.width)) : 80;
  return { width, paint: createPaint(options.color) };
}

/** A section with its title; nothing when it has no lines. */
export function section(title: string, lines: readonly string[], page: Page): string[] {
  return lines.length === 0 ? [] : ["", page.paint.strong(title), ...lines];
}
