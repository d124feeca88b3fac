import type { PyFilter } from "../value.ts";
import { selectFilters } from "./select-filters.ts";
import { sequenceFilters } from "./sequence-filters.ts";
import { textFilters } from "./text-filters.ts";
import { toJson } from "./tojson.ts";
import { valueFilters } from "./value-filters.ts";
import { webFilters } from "./web-filters.ts";
import { wrapFilters } from "./wrap-filters.ts";

/** Jinja's filters by their names, with the `tojson` of transformers. */
export const filters: ReadonlyMap<string, PyFilter> = new Map<string, PyFilter>([
  ...Object.entries(textFilters),
  ...Object.entries(sequenceFilters),
  ...Object.entries(selectFilters),
  ...Object.entries(valueFilters),
  ...Object.entries(webFilters),
  ...Object.entries(wrapFilters),
  ["tojson", toJson],
]);
