import {
  isInt,
  isList,
  PyDict,
  PyFloat,
  PyMarkup,
  PyObject,
  PyTuple,
  PyUndefined,
  type PyValue,
} from "./value.ts";

/** Names in two underscores, written without them. */
function dunders(names: string): string[] {
  return names.split(" ").map((name) => `__${name}__`);
}

const common = dunders(
  "class delattr dir doc eq format ge getattribute getstate gt hash init init_subclass le lt ne new reduce reduce_ex repr setattr sizeof str subclasshook",
);
const sequence = "contains getitem iter len add mul rmul";
const number =
  "abs add bool divmod float floordiv getnewargs int mod mul neg pos pow radd rdivmod rfloordiv rmod rmul round rpow rsub rtruediv sub truediv trunc ceil floor";

const byKind = new Map(
  Object.entries({
    str: `${sequence} getnewargs mod rmod`,
    Markup: `${sequence} getnewargs mod rmod html html_format module radd slots`,
    list: `${sequence} class_getitem delitem iadd imul reversed setitem`,
    tuple: `${sequence} class_getitem getnewargs`,
    dict: "class_getitem contains delitem getitem ior iter len or reversed ror setitem",
    int: `${number} and index invert lshift or rand rlshift ror rrshift rshift rxor xor`,
    float: `${number} getformat`,
    none: "bool",
    undefined:
      "add aiter bool call complex div float floordiv getattr getitem int iter len mod module mul neg pos pow radd rdiv rfloordiv rmod rmul rpow rsub rtruediv slots sub truediv",
    callable: "call module name qualname self text_signature dict",
    iterable: "contains getitem iter len reversed next module dict name qualname",
    object: "module dict weakref",
  }).map(([kind, names]) => [kind, new Set([...common, ...dunders(names)])]),
);

for (const name of [
  "fail_with_undefined_error",
  "undefined_exception",
  "undefined_hint",
  "undefined_message",
  "undefined_name",
  "undefined_obj",
]) {
  byKind.get("undefined")?.add(`_${name}`);
}

function kindOf(value: PyValue): string {
  if (value === null) {
    return "none";
  }
  if (typeof value === "string") {
    return "str";
  }
  if (typeof value === "boolean" || isInt(value)) {
    return "int";
  }
  if (value instanceof PyObject) {
    return value.call !== undefined ? "callable" : value.iterate !== undefined ? "iterable" : "object";
  }
  if (value instanceof PyDict) {
    return "dict";
  }
  if (isList(value)) {
    return "list";
  }
  return value instanceof PyTuple
    ? "tuple"
    : value instanceof PyMarkup
      ? "Markup"
      : value instanceof PyUndefined
        ? "undefined"
        : value instanceof PyFloat || typeof value === "number"
          ? "float"
          : "object";
}

/** The attributes that begin with `_`: they exist, and the sandbox lets none of them out. */
export function hiddenAttributes(value: PyValue): ReadonlySet<string> {
  return byKind.get(kindOf(value)) ?? new Set();
}
