import { childrenOf, type Expression, type For, type Macro, type Node } from "../jinja/ast.ts";

/*
 * vLLM and SGLang look into a template to tell whether it takes the content of a message as a text or as parts: they
 * search for a loop over it. The searches are theirs, down to what they miss.
 */

function* walk(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) {
    yield* walk(child);
  }
}

function nodesOf(body: readonly Node[]): Node[] {
  return body.flatMap((node) => [...walk(node)]);
}

function isName(node: Node, name: string): boolean {
  return node.kind === "name" && node.use === "load" && node.name === name;
}

/** `name.key` or `name['key']` */
function isMember(node: Node, name: string, key: string): boolean {
  if (node.kind === "getitem") {
    return isName(node.object, name) && node.key.kind === "const" && node.key.value === key;
  }
  return node.kind === "getattr" && node.attribute === key && isName(node.object, name);
}

/** The variable or its member, also behind filters, tests and slices. */
function reads(node: Node, name: string, key: string | null): boolean {
  if (node.kind === "filter") {
    return node.operand !== null && reads(node.operand, name, key);
  }
  if (node.kind === "test") {
    return reads(node.operand, name, key);
  }
  if (node.kind === "getitem" && node.key.kind === "slice") {
    return reads(node.object, name, key);
  }
  return key === null ? isName(node, name) : isMember(node, name, key);
}

/** Ends a search as an assertion of the original does. */
class NotFollowed extends Error {}

function targetName(target: Expression): string {
  if (target.kind !== "name") {
    throw new NotFollowed();
  }
  return target.name;
}

/** Names that hold `messages` or something made of it. */
function messagesNames(nodes: readonly Node[]): string[] {
  const names = ["messages"];
  const followed = ["messages"];
  for (let name = followed.shift(); name !== undefined; name = followed.shift()) {
    for (const node of nodes) {
      if (node.kind === "assign" && reads(node.value, name, null)) {
        const target = targetName(node.target);
        if (!names.includes(target)) {
          followed.push(target);
        }
        names.push(target);
      }
    }
  }
  return names;
}

function isLoop(node: Node): node is For {
  return node.kind === "for";
}

/** Parameters of a macro that are given the content of a message somewhere. */
function contentParameters(
  macro: Macro,
  nodes: readonly Node[],
  messages: readonly string[],
): ReadonlySet<string> {
  const isContent = (value: Expression): boolean => messages.some((name) => reads(value, name, "content"));
  const found = new Set<string>();
  for (const node of nodes) {
    if (node.kind !== "call" || node.callee.kind !== "name" || node.callee.name !== macro.name) {
      continue;
    }
    for (const [index, argument] of node.args.positional.entries()) {
      const parameter = macro.params[index];
      if (parameter !== undefined && isContent(argument)) {
        found.add(parameter.name);
      }
    }
    for (const { key, value } of node.args.keywords) {
      if (macro.params.some(({ name }) => name === key) && isContent(value)) {
        found.add(key);
      }
    }
  }
  return found;
}

function searchAsVllm(nodes: readonly Node[]): boolean {
  const loops = nodes.filter(isLoop);
  const holders = messagesNames(nodes);
  const messages = loops
    .filter(({ iterable }) => holders.some((name) => reads(iterable, name, null)))
    .map(({ target }) => targetName(target));
  const inMacros = new Map<For, ReadonlySet<string>>();
  for (const node of nodes) {
    if (node.kind === "macro") {
      const parameters = contentParameters(node, nodes, messages);
      for (const loop of nodesOf(node.body).filter(isLoop)) {
        inMacros.set(loop, parameters);
      }
    }
  }
  return loops.some((loop) => {
    const { iterable } = loop;
    if (messages.some((name) => reads(iterable, name, "content"))) {
      return true;
    }
    if (iterable.kind !== "name") {
      return false;
    }
    const parameters = inMacros.get(loop);
    return parameters === undefined ? iterable.name === "content" : parameters.has(iterable.name);
  });
}

function searchAsSglang(nodes: readonly Node[]): boolean {
  return nodes
    .filter(isLoop)
    .some(({ iterable }) => ["message", "msg", "m"].some((name) => reads(iterable, name, "content")));
}

/** Whether that server takes the template for one that loops over the parts of a message's content. */
export function loopsOverContent(body: readonly Node[], by: "vllm" | "sglang"): boolean {
  const nodes = nodesOf(body);
  try {
    return by === "vllm" ? searchAsVllm(nodes) : searchAsSglang(nodes);
  } catch (error) {
    if (error instanceof NotFollowed) {
      return false;
    }
    throw error;
  }
}
