import type { Arguments, Call, Expression, Filter, Name } from "./ast-expressions.ts";

export * from "./ast-expressions.ts";

/** Text of the template as it stands. */
export interface TemplateData {
  readonly kind: "templatedata";
  readonly line: number;
  readonly text: string;
}

export interface Output {
  readonly kind: "output";
  readonly line: number;
  readonly parts: readonly (TemplateData | Expression)[];
}

export interface For {
  readonly kind: "for";
  readonly line: number;
  readonly target: Expression;
  readonly iterable: Expression;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
  readonly test: Expression | null;
  readonly recursive: boolean;
}

export interface If {
  readonly kind: "if";
  readonly line: number;
  readonly test: Expression;
  readonly body: readonly Statement[];
  readonly elifs: readonly If[];
  readonly otherwise: readonly Statement[];
}

interface Signature {
  readonly params: readonly Name[];
  /** Of the last parameters. */
  readonly defaults: readonly Expression[];
}

export interface Macro extends Signature {
  readonly kind: "macro";
  readonly line: number;
  readonly name: string;
  readonly body: readonly Statement[];
}

export interface CallBlock extends Signature {
  readonly kind: "callblock";
  readonly line: number;
  /** Null for `{% generation %}`, which is a call block around a function of transformers. */
  readonly call: Call | null;
  readonly body: readonly Statement[];
}

export interface FilterBlock {
  readonly kind: "filterblock";
  readonly line: number;
  readonly filter: Filter;
  readonly body: readonly Statement[];
}

export interface Assign {
  readonly kind: "assign";
  readonly line: number;
  readonly target: Expression;
  readonly value: Expression;
}

export interface AssignBlock {
  readonly kind: "assignblock";
  readonly line: number;
  readonly target: Expression;
  readonly filter: Filter | null;
  readonly body: readonly Statement[];
}

export interface With {
  readonly kind: "with";
  readonly line: number;
  readonly targets: readonly Expression[];
  readonly values: readonly Expression[];
  readonly body: readonly Statement[];
}

export interface Autoescape {
  readonly kind: "autoescape";
  readonly line: number;
  readonly value: Expression;
  readonly body: readonly Statement[];
}

export interface Block {
  readonly kind: "block";
  readonly line: number;
  readonly name: string;
  readonly scoped: boolean;
  readonly required: boolean;
  readonly body: readonly Statement[];
}

/** What needs another template. There is never one, so only the expression that names it is kept. */
export interface Load {
  readonly kind: "extends" | "include" | "import";
  readonly line: number;
  readonly template: Expression;
  /** Names that an import sets. */
  readonly names: readonly string[];
  readonly ignoreMissing: boolean;
}

export interface LoopControl {
  readonly kind: "break" | "continue";
  readonly line: number;
}

export type Statement =
  | Output
  | For
  | If
  | Macro
  | CallBlock
  | FilterBlock
  | Assign
  | AssignBlock
  | With
  | Autoescape
  | Block
  | Load
  | LoopControl;

export type Node = Expression | TemplateData | Statement;

function ofArguments({ positional, keywords, spread, keywordSpread }: Arguments): (Expression | null)[] {
  return [...positional, ...keywords.map(({ value }) => value), spread, keywordSpread];
}

function childrenOrNull(node: Node): readonly (Node | null)[] {
  switch (node.kind) {
    case "name":
    case "const":
    case "nsref":
    case "templatedata":
    case "break":
    case "continue":
      return [];
    case "tuple":
    case "list":
      return node.items;
    case "dict":
      return node.items.flatMap(({ key, value }) => [key, value]);
    case "condexpr":
      return [node.test, node.value, node.otherwise];
    case "not":
    case "neg":
    case "pos":
      return [node.operand];
    case "compare":
      return [node.first, ...node.rest.map(({ operand }) => operand)];
    case "concat":
    case "output":
      return node.parts;
    case "filter":
    case "test":
      return [node.operand, ...ofArguments(node.args)];
    case "call":
      return [node.callee, ...ofArguments(node.args)];
    case "getattr":
      return [node.object];
    case "getitem":
      return [node.object, node.key];
    case "slice":
      return [node.start, node.stop, node.step];
    case "for":
      return [node.target, node.iterable, ...node.body, ...node.otherwise, node.test];
    case "if":
      return [node.test, ...node.body, ...node.elifs, ...node.otherwise];
    case "macro":
      return [...node.params, ...node.defaults, ...node.body];
    case "callblock":
      return [node.call, ...node.params, ...node.defaults, ...node.body];
    case "filterblock":
      return [...node.body, node.filter];
    case "assign":
      return [node.target, node.value];
    case "assignblock":
      return [node.target, node.filter, ...node.body];
    case "with":
      return [...node.targets, ...node.values, ...node.body];
    case "autoescape":
      return [node.value, ...node.body];
    case "block":
      return node.body;
    case "extends":
    case "include":
    case "import":
      return [node.template];
    default:
      return [node.left, node.right];
  }
}

/** The parts of a node in the order in which Jinja goes through them, on which some of its findings depend. */
export function childrenOf(node: Node): readonly Node[] {
  return childrenOrNull(node).filter((child) => child !== null);
}
