import type { PyValue } from "../python/value.ts";

/*
 * Kinds of expressions are named as Jinja's classes in lower case, since its messages name them so ("can't assign to
 * 'const'").
 */

/** What a name is used for. A parameter is a target that its frame always fills. */
export type NameUse = "load" | "store" | "param";

export interface Name {
  readonly kind: "name";
  readonly line: number;
  readonly name: string;
  use: NameUse;
}

export interface Const {
  readonly kind: "const";
  readonly line: number;
  readonly value: PyValue;
}

/** `ns.attribute` as the target of an assignment. */
export interface NamespaceTarget {
  readonly kind: "nsref";
  readonly line: number;
  readonly name: string;
  readonly attribute: string;
}

export interface Sequence {
  readonly kind: "tuple" | "list";
  readonly line: number;
  readonly items: readonly Expression[];
}

export interface DictDisplay {
  readonly kind: "dict";
  readonly line: number;
  readonly items: readonly { readonly key: Expression; readonly value: Expression }[];
}

export interface Conditional {
  readonly kind: "condexpr";
  readonly line: number;
  readonly test: Expression;
  readonly value: Expression;
  readonly otherwise: Expression | null;
}

export const arithmetic = {
  add: "+",
  sub: "-",
  mul: "*",
  div: "/",
  floordiv: "//",
  mod: "%",
  pow: "**",
} as const;

export interface Binary {
  readonly kind: keyof typeof arithmetic | "and" | "or";
  readonly line: number;
  readonly left: Expression;
  readonly right: Expression;
}

export interface Unary {
  readonly kind: "not" | "neg" | "pos";
  readonly line: number;
  readonly operand: Expression;
}

export type Comparator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

/** `a < b < c`: each operand is compared with the one before it. */
export interface Comparison {
  readonly kind: "compare";
  readonly line: number;
  readonly first: Expression;
  readonly rest: readonly { readonly comparator: Comparator; readonly operand: Expression }[];
}

export interface Concat {
  readonly kind: "concat";
  readonly line: number;
  readonly parts: readonly Expression[];
}

export interface Arguments {
  readonly positional: readonly Expression[];
  readonly keywords: readonly { readonly key: string; readonly value: Expression }[];
  /** `*args` */
  readonly spread: Expression | null;
  /** `**kwargs` */
  readonly keywordSpread: Expression | null;
}

export interface Filter {
  readonly kind: "filter";
  readonly line: number;
  readonly name: string;
  /** Null for the text of a filter block. */
  readonly operand: Expression | null;
  readonly args: Arguments;
}

export interface Test {
  readonly kind: "test";
  readonly line: number;
  readonly name: string;
  readonly operand: Expression;
  readonly args: Arguments;
}

export interface Call {
  readonly kind: "call";
  readonly line: number;
  readonly callee: Expression;
  readonly args: Arguments;
}

export interface Attribute {
  readonly kind: "getattr";
  readonly line: number;
  readonly object: Expression;
  readonly attribute: string;
}

export interface Item {
  readonly kind: "getitem";
  readonly line: number;
  readonly object: Expression;
  readonly key: Expression;
}

export interface Slice {
  readonly kind: "slice";
  readonly line: number;
  readonly start: Expression | null;
  readonly stop: Expression | null;
  readonly step: Expression | null;
}

export type Expression =
  | Name
  | Const
  | NamespaceTarget
  | Sequence
  | DictDisplay
  | Conditional
  | Binary
  | Unary
  | Comparison
  | Concat
  | Filter
  | Test
  | Call
  | Attribute
  | Item
  | Slice;
