import { PyMarkup, PyObject, PyUndefined, typeName, type PyValue } from "./value.ts";

/** How Jinja names a value in "… has no attribute …". */
export function objectTypeName(value: PyValue): string {
  if (value === null) {
    return "None";
  }
  const module =
    value instanceof PyObject
      ? value.moduleName
      : value instanceof PyMarkup
        ? "markupsafe"
        : value instanceof PyUndefined
          ? "jinja2.runtime"
          : typeName(value) === "_GroupTuple"
            ? "jinja2.filters"
            : "builtins";
  return `${module === "builtins" ? "" : `${module}.`}${typeName(value)} object`;
}
