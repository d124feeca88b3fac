import { methodTable } from "./method.ts";
import { searchSpecs } from "./str-search.ts";
import { shapeSpecs } from "./str-shape.ts";
import { splitSpecs } from "./str-split.ts";

/** The methods of str, but for format and format_map. */
export const strMethods = methodTable<string>("str", { ...searchSpecs, ...splitSpecs, ...shapeSpecs });
