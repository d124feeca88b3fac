export type { AxisComparison } from "./axes.ts";
export { judgeDifference, renderDifference, type DifferenceVerdict, type Verdict } from "./difference.ts";
export { renderOneShotReport, type OneShot } from "./one-shot-report.ts";
export { breachesOf } from "./breaches.ts";
export type { RenderOptions } from "./paint.ts";
export { renderTerminalReport } from "./terminal-report.ts";
