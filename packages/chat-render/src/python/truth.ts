import { isList, PyDict, PyFloat, PyMarkup, PyObject, PyTuple, type PyValue } from "./value.ts";

/** `bool(value)`. */
export function truth(value: PyValue): boolean {
  if (typeof value !== "object") {
    // NaN is a float that is not zero.
    return typeof value === "number" ? value !== 0 : Boolean(value);
  }
  if (value === null) {
    return false;
  }
  if (value instanceof PyDict) {
    return value.size > 0;
  }
  if (isList(value)) {
    return value.length > 0;
  }
  if (value instanceof PyObject) {
    return value.truth();
  }
  if (value instanceof PyMarkup) {
    return value.text !== "";
  }
  return value instanceof PyFloat ? value.value !== 0 : value instanceof PyTuple && value.items.length > 0;
}
