import { forEachChild, type Block, type Node, type Statement } from "./ast.ts";

type Kind = "filter" | "test";

/** Names of filters or tests in the code of one function; blocks are functions of their own. */
function namesIn(body: readonly Statement[], kind: Kind): string[] {
  const names = new Set<string>();
  const search = (node: Node): void => {
    if (node.kind === kind) {
      names.add(node.name);
    }
    if (node.kind !== "block") {
      forEachChild(node, search);
    }
  };
  body.forEach(search);
  return [...names].sort();
}

/**
 * What Jinja's code calls the function that stands for a filter or test that does not exist: errors of its arguments show
 * it. Filters and tests are numbered in the order in which functions need them.
 */
export function missingName(
  root: readonly Statement[],
  blocks: ReadonlyMap<string, Block>,
  current: string | null,
  kind: Kind,
  name: string,
): string {
  const known: string[] = [];
  const bodies: (readonly [string | null, readonly Statement[]])[] = [
    [null, root],
    ...[...blocks].map(([block, { body }]) => [block, body] as const),
  ];
  for (const [block, body] of bodies) {
    for (const each of ["filter", "test"] as const) {
      known.push(
        ...namesIn(body, each)
          .map((one) => `${each} ${one}`)
          .filter((one) => !known.includes(one)),
      );
    }
    if (block === current) {
      break;
    }
  }
  const code = current === null ? "root" : `block_${current}`;
  return `${code}.<locals>.t_${known.indexOf(`${kind} ${name}`) + 1}`;
}
