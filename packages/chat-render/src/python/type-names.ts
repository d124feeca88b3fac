import { typeName, type PyValue, isObject, isMarkup, isUndefined } from "./value.ts";

/** How Jinja names a value in "… has no attribute …". */
export function objectTypeName(value: PyValue): string {
  if (value === null) {
    return "None";
  }
  const module = isObject(value)
    ? value.moduleName
    : isMarkup(value)
      ? "markupsafe"
      : isUndefined(value)
        ? "jinja2.runtime"
        : typeName(value) === "_GroupTuple"
          ? "jinja2.filters"
          : "builtins";
  return `${module === "builtins" ? "" : `${module}.`}${typeName(value)} object`;
}
