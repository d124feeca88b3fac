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

/** Does something with each node of a list. */
function each(nodes: readonly Node[], accept: (node: Node) => void): void {
  for (const node of nodes) {
    accept(node);
  }
}

function eachArgument(args: Arguments, accept: (node: Node) => void): void {
  each(args.positional, accept);
  for (const { value } of args.keywords) {
    accept(value);
  }
  optional(args.spread, accept);
  optional(args.keywordSpread, accept);
}

function optional(node: Node | null, accept: (node: Node) => void): void {
  if (node !== null) {
    accept(node);
  }
}

/** Goes over the parts of a node in the order in which Jinja does, on which some of its findings depend. */
export function forEachChild(node: Node, accept: (node: Node) => void): void {
  switch (node.kind) {
    case "name":
    case "const":
    case "nsref":
    case "templatedata":
    case "break":
    case "continue":
      break;
    case "tuple":
    case "list":
      each(node.items, accept);
      break;
    case "dict":
      for (const { key, value } of node.items) {
        accept(key);
        accept(value);
      }
      break;
    case "condexpr":
      accept(node.test);
      accept(node.value);
      optional(node.otherwise, accept);
      break;
    case "not":
    case "neg":
    case "pos":
      accept(node.operand);
      break;
    case "compare":
      accept(node.first);
      for (const { operand } of node.rest) {
        accept(operand);
      }
      break;
    case "concat":
    case "output":
      each(node.parts, accept);
      break;
    case "filter":
    case "test":
      optional(node.operand, accept);
      eachArgument(node.args, accept);
      break;
    case "call":
      accept(node.callee);
      eachArgument(node.args, accept);
      break;
    case "getattr":
      accept(node.object);
      break;
    case "getitem":
      accept(node.object);
      accept(node.key);
      break;
    case "slice":
      optional(node.start, accept);
      optional(node.stop, accept);
      optional(node.step, accept);
      break;
    case "for":
      accept(node.target);
      accept(node.iterable);
      each(node.body, accept);
      each(node.otherwise, accept);
      optional(node.test, accept);
      break;
    case "if":
      accept(node.test);
      each(node.body, accept);
      each(node.elifs, accept);
      each(node.otherwise, accept);
      break;
    case "callblock":
      optional(node.call, accept);
      eachOfMacro(node, accept);
      break;
    case "macro":
      eachOfMacro(node, accept);
      break;
    case "filterblock":
      each(node.body, accept);
      accept(node.filter);
      break;
    case "assign":
      accept(node.target);
      accept(node.value);
      break;
    case "assignblock":
      accept(node.target);
      optional(node.filter, accept);
      each(node.body, accept);
      break;
    case "with":
      each(node.targets, accept);
      each(node.values, accept);
      each(node.body, accept);
      break;
    case "autoescape":
      accept(node.value);
      each(node.body, accept);
      break;
    case "block":
      each(node.body, accept);
      break;
    case "extends":
    case "include":
    case "import":
      accept(node.template);
      break;
    default:
      accept(node.left);
      accept(node.right);
  }
}

function eachOfMacro(node: Macro | CallBlock, accept: (node: Node) => void): void {
  each(node.params, accept);
  each(node.defaults, accept);
  each(node.body, accept);
}

/** The parts of a node, in the same order. */
export function childrenOf(node: Node): readonly Node[] {
  const children: Node[] = [];
  forEachChild(node, (child) => {
    children.push(child);
  });
  return children;
}
