import { isList, PyFloat, type PyValue, isDict, isObject, isMarkup, isTuple } from "./value.ts";

/** `bool(value)`. */
export function truth(value: PyValue): boolean {
  if (typeof value !== "object") {
    // NaN is a float that is not zero.
    return typeof value === "number" ? value !== 0 : Boolean(value);
  }
  if (value === null) {
    return false;
  }
  if (isDict(value)) {
    return value.size > 0;
  }
  if (isList(value)) {
    return value.length > 0;
  }
  if (isObject(value)) {
    return value.truth();
  }
  if (isMarkup(value)) {
    return value.text !== "";
  }
  return value instanceof PyFloat ? value.value !== 0 : isTuple(value) && value.items.length > 0;
}
