export { call, callMethod, getAttribute, getItem, isCallable, lookupAttribute, slice } from "./access.ts";
export { binary, joinTexts, unary, type BinaryOperator } from "./arithmetic.ts";
export { Budget, BudgetError, defaultLimits, type BudgetCode, type BudgetLimits } from "./budget.ts";
export { compare, contains, equals, order, type OrderOperator } from "./compare.ts";
export { PyError, recursionError, typeError, valueError } from "./errors.ts";
export { ArrayIterator, isIterable, iterate, length, lengthOf, listOf, unpack } from "./iterate.ts";
export { escape } from "./markup.ts";
export { PyFunction, PyIterator, PyMethod, PyRange, PyView } from "./objects.ts";
export { repr, str } from "./repr.ts";
export { truth } from "./truth.ts";
export { undefinedError, unsafeUndefined } from "./undefined.ts";
export {
  isFloat,
  isInt,
  isList,
  isStr,
  PyDict,
  PyFloat,
  pyFloat,
  pyInt,
  PyMarkup,
  PyObject,
  PyTuple,
  PyUndefined,
  textOf,
  typeName,
  type PyContext,
  type PyFilter,
  type PyKwargs,
  type PyTest,
  type PyValue,
} from "./value.ts";
