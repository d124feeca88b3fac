import { forEachChild, type Expression, type For, type Node, type Statement } from "./ast.ts";
import type { Symbols } from "./symbols.ts";

function visitAll(symbols: Symbols, nodes: readonly Node[]): void {
  for (const node of nodes) {
    visit(symbols, node);
  }
}

function visitBranch(symbols: Symbols, nodes: readonly Node[]): Symbols {
  const branch = symbols.copy();
  visitAll(branch, nodes);
  return branch;
}

/** Notes the names that a node uses in the frame it stands in. Bodies that have a frame of their own are left out. */
export function visit(symbols: Symbols, node: Node): void {
  switch (node.kind) {
    case "name":
      if (node.use === "param") {
        symbols.declareParameter(node.name);
      } else if (node.use === "store") {
        symbols.store(node.name);
      } else {
        symbols.load(node.name);
      }
      break;
    case "nsref":
      symbols.load(node.name);
      break;
    case "if":
      visit(symbols, node.test);
      symbols.mergeBranches(
        [node.body, node.elifs, node.otherwise]
          .filter((body) => body.length > 0)
          .map((body) => visitBranch(symbols, body)),
      );
      break;
    case "macro":
      symbols.store(node.name);
      break;
    case "import":
      visit(symbols, node.template);
      for (const name of node.names) {
        symbols.store(name);
      }
      break;
    case "assign":
      visit(symbols, node.value);
      visit(symbols, node.target);
      break;
    case "for":
      visit(symbols, node.iterable);
      break;
    case "callblock":
      if (node.call !== null) {
        visit(symbols, node.call);
      }
      break;
    case "filterblock":
      visit(symbols, node.filter);
      break;
    case "with":
      visitAll(symbols, node.values);
      break;
    case "assignblock":
      visit(symbols, node.target);
      break;
    case "autoescape":
    case "block":
      break;
    default:
      forEachChild(node, (child) => {
        visit(symbols, child);
      });
  }
}

function declareTarget(symbols: Symbols, target: Expression): void {
  if (target.kind === "name") {
    symbols.declareParameter(target.name);
  } else if (target.kind === "tuple") {
    for (const item of target.items) {
      declareTarget(symbols, item);
    }
  }
}

/** Fills the frame of a loop's body, its test or what follows its `else`. */
export function analyzeLoop(symbols: Symbols, loop: For, part: "body" | "test" | "else"): void {
  if (part !== "else") {
    declareTarget(symbols, loop.target);
  }
  if (part === "test") {
    if (loop.test !== null) {
      visit(symbols, loop.test);
    }
    return;
  }
  visitAll(symbols, part === "body" ? loop.body : loop.otherwise);
}

/** Fills the frame of what a node opens. */
export function analyzeFrame(symbols: Symbols, node: Exclude<Statement, For>): void {
  switch (node.kind) {
    case "assignblock":
      visitAll(symbols, node.body);
      break;
    case "callblock":
      visitAll(symbols, [...node.params, ...node.defaults, ...node.body]);
      break;
    case "with":
      visitAll(symbols, [...node.targets, ...node.body]);
      break;
    default:
      forEachChild(node, (child) => {
        visit(symbols, child);
      });
  }
}

export function analyzeTemplate(symbols: Symbols, body: readonly Statement[]): void {
  visitAll(symbols, body);
}

/** Which of the names are read in the nodes before something there is named so. Blocks are not looked into. */
export function findUndeclared(nodes: readonly Node[], names: readonly string[]): ReadonlySet<string> {
  const left = new Set(names);
  const found = new Set<string>();
  const search = (node: Node): void => {
    if (left.size === 0) {
      return;
    }
    if (node.kind !== "name") {
      if (node.kind !== "block") {
        forEachChild(node, search);
      }
    } else if (left.delete(node.name) && node.use === "load") {
      found.add(node.name);
    }
  };
  for (const node of nodes) {
    search(node);
  }
  return found;
}

/** Every node, from the top and in order. */
export function findAll(nodes: readonly Node[], accept: (node: Node) => void): void {
  const visitNode = (node: Node): void => {
    accept(node);
    forEachChild(node, visitNode);
  };
  for (const node of nodes) {
    visitNode(node);
  }
}
