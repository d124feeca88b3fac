/** One thing that a rule reads; a sequence of them is an alternative. */
export interface GrammarItem {
  /** What it is: characters or a token that are read, another rule, or a group. */
  readonly reads:
    | "something"
    | "nothing"
    | { readonly rule: string }
    | { readonly group: readonly GrammarItem[][] };
  /** It may be left out. */
  readonly optional: boolean;
  /** It may be repeated without end, or what is optional already may; null for neither. */
  readonly endless: "once or more" | "of what is optional" | null;
  /** Where it stands in the text. */
  readonly at: number;
}

/** Alternatives of every rule. */
export type GrammarRules = ReadonlyMap<string, readonly GrammarItem[][]>;

/**
 * Looks for rules that come back to themselves before anything is read, which llama.cpp refuses.
 *
 * @returns where one stands, or null
 */
export function leftRecursion(rules: GrammarRules): { readonly at: number; readonly message: string } | null {
  const empty = emptyRules(rules);
  for (const alternatives of rules.values()) {
    const at = endlessNothing(alternatives, empty);
    if (at !== null) return { at, message: "this repeats without end what may be empty" };
  }
  /** Rules from which no way leads back. */
  const done = new Set<string>();
  for (const start of rules.keys()) {
    const path = [{ name: start, next: leftmost(rules.get(start) ?? [], empty) }];
    const open = new Set([start]);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const reference = done.has(top.name) ? undefined : top.next.pop();
      if (reference === undefined) {
        done.add(top.name);
        open.delete(top.name);
        path.pop();
      } else if (open.has(reference.rule)) {
        return {
          at: reference.at,
          message: `the rule ${reference.rule} refers to itself before it reads anything`,
        };
      } else if (!done.has(reference.rule)) {
        open.add(reference.rule);
        path.push({ name: reference.rule, next: leftmost(rules.get(reference.rule) ?? [], empty) });
      }
    }
  }
  return null;
}

/** The rules with an alternative in which nothing stands. */
function emptyRules(rules: GrammarRules): ReadonlySet<string> {
  const empty = new Set<string>();
  for (const [name, alternatives] of rules) if (hasEmpty(alternatives)) empty.add(name);
  return empty;
}

function hasEmpty(alternatives: readonly GrammarItem[][]): boolean {
  return alternatives.some((items) => items.every(({ reads }) => reads === "nothing"));
}

/** What llama.cpp takes to be empty: not what is so only by way of other rules, which it can follow. */
function isEmpty({ reads }: GrammarItem, empty: ReadonlySet<string>): boolean {
  if (typeof reads === "string") return reads === "nothing";
  return "rule" in reads ? empty.has(reads.rule) : hasEmpty(reads.group);
}

function endlessNothing(alternatives: readonly GrammarItem[][], empty: ReadonlySet<string>): number | null {
  for (const item of alternatives.flat()) {
    if (item.endless === "of what is optional" || (item.endless !== null && isEmpty(item, empty))) {
      return item.at;
    }
    const { reads } = item;
    const inner = typeof reads === "object" && "group" in reads ? endlessNothing(reads.group, empty) : null;
    if (inner !== null) return inner;
  }
  return null;
}

/** The rules that may stand where nothing has been read yet. */
function leftmost(
  alternatives: readonly GrammarItem[][],
  empty: ReadonlySet<string>,
): { rule: string; at: number }[] {
  const found: { rule: string; at: number }[] = [];
  for (const items of alternatives) {
    for (const item of items) {
      const { reads, at } = item;
      if (typeof reads === "object") {
        if ("rule" in reads) found.push({ rule: reads.rule, at });
        else found.push(...leftmost(reads.group, empty));
      }
      if (!item.optional && !isEmpty(item, empty)) break;
    }
  }
  return found;
}
