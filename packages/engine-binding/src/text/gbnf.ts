import { leftRecursion, type GrammarItem } from "./gbnf-recursion.ts";

/**
 * Reads a grammar in GBNF, the notation of llama.cpp, before llama.cpp does: that prints what is wrong by itself, says no
 * more than that it failed, and ends the process on groups that are nested very deep.
 */

/** Deeper groups than this are refused. */
const MAX_DEPTH = 256;
/** llama.cpp's limit on how often something may be repeated, and on the rules that repetitions make. */
const MAX_REPETITIONS = 2000;
const NAME = /[a-zA-Z0-9-]+/uy;
const DIGITS = /\d+/uy;
/** Characters that an escape stands for, and escapes with their number of hexadecimal digits. */
const ESCAPED = 'trn\\"[]-';
const HEX_DIGITS = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

/** What is wrong in a grammar, at an index of its text. */
class Fault extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** @returns what is wrong, with line and column; null when llama.cpp can read the grammar */
export function grammarFault(text: string): string | null {
  try {
    new Reader(text).read();
    return null;
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    const before = text.slice(0, fault.at).split("\n");
    const column = Array.from(before.at(-1) ?? "").length + 1;
    return `line ${before.length}, column ${column}: ${fault.message}`;
  }
}

/** How often something may stand; `most` is null when it is open. */
interface Repetition {
  readonly at: number;
  readonly least: number;
  readonly most: number | null;
}

function repeated(item: GrammarItem, { least, most }: Repetition): GrammarItem {
  const endless = item.optional ? "of what is optional" : "once or more";
  return {
    ...item,
    optional: item.optional || least === 0,
    endless: most === null ? endless : item.endless,
  };
}

class Reader {
  readonly #text: string;
  #at = 0;
  /** Rules that stand in the grammar, and where each name is first used. */
  readonly #defined = new Map<string, GrammarItem[][]>();
  readonly #used = new Map<string, number>();
  /** Rules that llama.cpp makes for groups and repetitions, beside the named ones. */
  #made = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): void {
    const nul = this.#text.indexOf("\0");
    if (nul >= 0) throw new Fault(nul, "a NUL character ends the grammar");
    this.#space(true);
    while (this.#at < this.#text.length) this.#rule();
    for (const [name, at] of this.#used) {
      if (!this.#defined.has(name)) throw new Fault(at, `there is no rule named ${name}`);
    }
    if (!this.#defined.has("root")) throw new Fault(0, "there is no rule named root");
    const recursion = leftRecursion(this.#defined);
    if (recursion !== null) throw new Fault(recursion.at, recursion.message);
  }

  #rule(): void {
    const start = this.#at;
    const name = this.#match(NAME) ?? this.#fail("the name of a rule should stand here");
    if (!this.#used.has(name)) this.#used.set(name, start);
    this.#space(false);
    if (!this.#take("::=")) this.#fail("::= should stand here");
    this.#space(true);
    // a rule that is given again replaces the first
    this.#defined.set(name, this.#alternatives(0));
    if (this.#at < this.#text.length && !this.#take("\r\n") && !this.#take("\r") && !this.#take("\n")) {
      this.#fail(this.#peek() === ")" ? "this ) closes nothing" : "the rule should end here");
    }
    this.#space(true);
  }

  #alternatives(depth: number): GrammarItem[][] {
    const alternatives = [this.#sequence(depth)];
    while (this.#take("|")) {
      this.#space(true);
      alternatives.push(this.#sequence(depth));
    }
    return alternatives;
  }

  #sequence(depth: number): GrammarItem[] {
    const items: GrammarItem[] = [];
    /** Rules that the last item stands for; 0 when there is nothing that could be repeated. */
    let weight = 0;
    for (;;) {
      const repeat = this.#repetition(depth > 0);
      if (repeat !== null) {
        if (weight === 0) throw new Fault(repeat.at, "there is nothing before this to repeat");
        weight *= Math.max(1, repeat.most ?? repeat.least);
        if (weight > MAX_REPETITIONS) {
          throw new Fault(repeat.at, `this makes more than ${MAX_REPETITIONS} rules: repeat less often`);
        }
        this.#made += repeat.most === null ? 1 : repeat.most - repeat.least;
        const last = items.pop();
        if (repeat.most === 0) weight = 0;
        else if (last !== undefined) items.push(repeated(last, repeat));
        continue;
      }
      const at = this.#at;
      const item = this.#item(depth);
      if (item === null) return items;
      weight = item.weight;
      items.push({ reads: item.reads, optional: false, endless: null, at });
      this.#space(depth > 0);
    }
  }

  /** What stands here, and how many rules it stands for (0 for nothing that could be repeated); null at the end. */
  #item(depth: number): { reads: GrammarItem["reads"]; weight: number } | null {
    const start = this.#at;
    if (this.#take('"')) {
      const first = this.#at;
      while (!this.#take('"')) this.#character(start, "this string is not closed");
      return this.#at - 1 === first ? { reads: "nothing", weight: 0 } : { reads: "something", weight: 1 };
    }
    if (this.#take("[")) {
      this.#class(start);
      const empty = /^\[\^?\]$/u.test(this.#text.slice(start, this.#at));
      return empty ? { reads: "nothing", weight: 0 } : { reads: "something", weight: 1 };
    }
    if (this.#take(".")) return { reads: "something", weight: 1 };
    if (this.#peek() === "<" || this.#peek() === "!") {
      this.#token();
      return { reads: "something", weight: 1 };
    }
    if (this.#take("(")) return this.#group(start, depth);
    const name = this.#match(NAME);
    if (name === null) return null;
    if (!this.#used.has(name)) this.#used.set(name, start);
    return { reads: { rule: name }, weight: 1 };
  }

  #group(start: number, depth: number): { reads: GrammarItem["reads"]; weight: number } {
    if (depth >= MAX_DEPTH) throw new Fault(start, `groups are nested more than ${MAX_DEPTH} deep`);
    const before = this.#used.size + this.#made;
    this.#made++;
    this.#space(true);
    const group = this.#alternatives(depth + 1);
    if (!this.#take(")")) {
      if (this.#at >= this.#text.length) throw new Fault(start, "this ( is not closed");
      this.#fail(") should stand here");
    }
    return { reads: { group }, weight: Math.max(1, this.#used.size + this.#made - before) };
  }

  #class(start: number): void {
    const open = "this [ is not closed";
    this.#take("^");
    while (!this.#take("]")) {
      this.#character(start, open);
      if (this.#peek() === "-" && this.#text[this.#at + 1] !== "]") {
        this.#at++;
        this.#character(start, open);
      }
    }
  }

  #character(start: number, open: string): void {
    const at = this.#at;
    const code = this.#text.codePointAt(at);
    if (code === undefined) throw new Fault(start, open);
    this.#at += code > 0xff_ff ? 2 : 1;
    if (code !== 0x5c) return;
    const escape = this.#text[this.#at] ?? "";
    if (escape === "") throw new Fault(start, open);
    this.#at++;
    const digits = HEX_DIGITS.get(escape);
    if (digits !== undefined) {
      const hex = this.#text.slice(this.#at, this.#at + digits);
      if (!/^[\da-f]+$/iu.test(hex) || hex.length < digits) {
        throw new Fault(at, `\\${escape} needs ${digits} hexadecimal digits`);
      }
      this.#at += digits;
    } else if (!ESCAPED.includes(escape)) {
      throw new Fault(at, `there is no escape \\${escape}`);
    }
  }

  /** A token by its id, `<[5]>`, or any other, `!<[5]>`. */
  #token(): void {
    const start = this.#at;
    this.#take("!");
    if (!this.#take("<")) throw new Fault(start, "a token should follow, such as !<[5]>");
    if (!this.#take("[")) throw new Fault(start, "a token is named by its id, as in <[5]>");
    const id = this.#match(DIGITS) ?? this.#fail("the id of a token should stand here");
    if (Number(id) >= 2 ** 31) throw new Fault(start, `${id} is no token id`);
    if (!this.#take("]>")) this.#fail("]> should stand here");
  }

  /** `*`, `+`, `?`, `{n}`, `{n,}` or `{n,m}`. */
  #repetition(newlines: boolean): Repetition | null {
    const at = this.#at;
    if (this.#take("*")) return this.#repeated(newlines, { at, least: 0, most: null });
    if (this.#take("+")) return this.#repeated(newlines, { at, least: 1, most: null });
    if (this.#take("?")) return this.#repeated(newlines, { at, least: 0, most: 1 });
    if (!this.#take("{")) return null;
    this.#space(newlines);
    const least = this.#count(newlines);
    let most: number | null = least;
    if (this.#take(",")) {
      this.#space(newlines);
      most = this.#peek() === "}" ? null : this.#count(newlines);
    }
    if (!this.#take("}")) this.#fail("} should stand here");
    if (least > MAX_REPETITIONS || (most ?? 0) > MAX_REPETITIONS) {
      throw new Fault(at, `at most ${MAX_REPETITIONS} repetitions are possible`);
    }
    if (most !== null && most < least) throw new Fault(at, `from ${least} to ${most} repetitions are none`);
    return this.#repeated(newlines, { at, least, most });
  }

  #repeated<T>(newlines: boolean, repetition: T): T {
    this.#space(newlines);
    return repetition;
  }

  #count(newlines: boolean): number {
    const count = Number(this.#match(DIGITS) ?? this.#fail("a number should stand here"));
    this.#space(newlines);
    return count;
  }

  /** Spaces and comments. */
  #space(newlines: boolean): void {
    for (let next = this.#peek(); next !== undefined; next = this.#peek()) {
      if (next === "#") {
        while (this.#at < this.#text.length && this.#peek() !== "\n" && this.#peek() !== "\r") this.#at++;
      } else if (next === " " || next === "\t" || (newlines && (next === "\n" || next === "\r"))) {
        this.#at++;
      } else return;
    }
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #fail(message: string): never {
    throw new Fault(this.#at, message);
  }
}
