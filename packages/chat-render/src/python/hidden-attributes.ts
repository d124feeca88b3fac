import { PyFunction } from "./objects.ts";
import { typeName, type PyValue } from "./value.ts";

const common =
  "class delattr dir doc eq format ge getattribute getstate gt hash init init_subclass le lt ne new reduce reduce_ex repr setattr sizeof str subclasshook";
const items = "contains getitem iter len";
const text = `${items} add getnewargs mod mul rmod rmul`;
const tuple = `${items} add class_getitem getnewargs mul rmul`;
const dict = `${items} class_getitem delitem ior or reversed ror setitem`;
const float =
  "abs add bool ceil divmod float floor floordiv getnewargs int mod mul neg pos pow radd rdivmod rfloordiv rmod rmul round rpow rsub rtruediv sub truediv trunc";
const int = `${float} and index invert lshift or rand rlshift ror rrshift rshift rxor xor`;
const set = "and contains iter len or rand ror rsub rxor sub xor";
const object = "dict module weakref";
const functionNames =
  "annotations builtins call closure code defaults dict get globals kwdefaults module name qualname";
const type =
  "base bases basicsize call dict dictoffset flags instancecheck itemsize module mro name or prepare qualname ror subclasscheck subclasses text_signature weakrefoffset";
const classOfPython = `${type} annotations weakref`;
const iterator = "iter length_hint next";

/**
 * What values have besides what all have, by the name of their type: names in two underscores, written without them, and
 * names that begin with one.
 */
const byType: Readonly<Partial<Record<string, string>>> = {
  str: text,
  Markup: `${text} html html_format module radd slots`,
  bytes: `${text} bytes`,
  list: `${items} add class_getitem delitem iadd imul mul reversed rmul setitem`,
  tuple,
  _GroupTuple: `${tuple} annotations match_args module orig_bases slots _asdict _field_defaults _fields _make _replace`,
  dict,
  set: `${set} class_getitem iand ior isub ixor`,
  int,
  bool: int,
  float: `${float} getformat`,
  complex: "abs add bool complex getnewargs mul neg pos pow radd rmul rpow rsub rtruediv sub truediv",
  NoneType: "bool",
  Undefined:
    "add aiter bool call complex div float floordiv getattr getitem int iter len mod module mul neg pos pow radd rdiv rfloordiv rmod rmul rpow rsub rtruediv slots sub truediv _fail_with_undefined_error _undefined_exception _undefined_hint _undefined_message _undefined_name _undefined_obj",
  range: `${items} bool reversed`,
  dict_keys: `${set} reversed`,
  dict_items: `${set} reversed`,
  dict_values: "iter len reversed",
  generator: "del iter name next qualname",
  list_reverseiterator: `${iterator} setstate`,
  reversed: `${iterator} setstate`,
  range_iterator: `${iterator} setstate`,
  dict_reversekeyiterator: iterator,
  dict_reverseitemiterator: iterator,
  builtin_function_or_method: "call module name qualname self text_signature",
  function: functionNames,
  method: `${functionNames} func self`,
  "class dict": `${type} ${dict}`,
  "class jinja2.utils.Cycler": `${classOfPython} next`,
  "class jinja2.utils.Joiner": classOfPython,
  "class jinja2.utils.Namespace": `${classOfPython} setitem`,
  Cycler: `${object} next`,
  Joiner: `${object} call`,
  Macro: `${object} call _argument_count _async_invoke _default_autoescape _environment _func _invoke`,
  LoopContext: `${object} annotations call iter len next _after _before _current _iterable _iterator _last_changed_value _length _peek_next _recurse _to_iterator _undefined`,
  TemplateReference: `${object} getitem _TemplateReference__context`,
  BlockReference: `${object} call _async_call _context _depth _stack`,
};

const known = new Map<string, ReadonlySet<string>>();

function hiddenNames(name: string): ReadonlySet<string> {
  const found =
    known.get(name) ??
    new Set(
      // A namespace looks up everything but its class among its own names.
      (name === "Namespace" ? "class _Namespace__attrs" : `${common} ${byType[name] ?? ""}`)
        .split(" ")
        .map((word) => (word.startsWith("_") ? word : `__${word}__`)),
    );
  known.set(name, found);
  return found;
}

/** Whether there is such an attribute and the sandbox does not let it out. */
export function isHidden(value: PyValue, name: string): boolean {
  if (name.startsWith("_")) {
    const type = typeName(value);
    return hiddenNames(type === "type" && value instanceof PyFunction ? `class ${value.name}` : type).has(
      name,
    );
  }
  return name === "mro"
    ? typeName(value) === "type"
    : (name === "gi_code" || name === "gi_frame") && typeName(value) === "generator";
}
