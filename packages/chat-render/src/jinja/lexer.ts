import { BudgetError } from "../python/budget.ts";
import { codePointCount } from "../python/code-points.ts";
import { PyError } from "../python/errors.ts";
import { tooManyDigits } from "../python/refusals.ts";
import { MAX_INT_DIGITS } from "../python/numbers.ts";
import { reprText } from "../python/repr.ts";
import { pyFloat, pyInt, type PyValue } from "../python/value.ts";
import {
  NEWLINE,
  SPACE,
  blockEnd,
  closers,
  countLines,
  endStarts,
  float,
  identifier,
  integer,
  isDigit,
  isNameStart,
  onlySpaces,
  rawBegin,
  rawEnd,
  spaces,
  tagStart,
  variableEnd,
  withoutTrailingSpaces,
  word,
} from "./lexer-patterns.ts";
import { decodeStringLiteral } from "./string-literal.ts";
import { operators, type Token, type TokenList, type TokenType } from "./tokens.ts";

function syntaxError(message: string, line: number): PyError {
  return new PyError("TemplateSyntaxError", message, line);
}

function integerValue(text: string): PyValue {
  const digits = text.replaceAll("_", "");
  // Only decimal digits are limited: other bases are read in linear time.
  if (digits.length > MAX_INT_DIGITS && !/^0[box]/iu.test(digits)) {
    throw tooManyDigits(MAX_INT_DIGITS, `: value has ${digits.length} digits`);
  }
  return digits.length < 16 ? Number(digits) : pyInt(BigInt(digits));
}

/** About ten times as many as the longest real templates have. */
const MAX_TOKENS = 75_000;

/** Cuts a template into tokens, with the settings of transformers: trim_blocks and lstrip_blocks. */
class Lexer {
  readonly tokens: Token[] = [];
  readonly #source: string;
  #position = 0;
  #line = 1;
  /** Whether the last thing read ended a line. */
  #lineStarting = true;
  #openBrackets: string[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  run(): void {
    while (this.#position < this.#source.length) {
      this.#readText();
    }
  }

  #push(type: TokenType, value: string): void {
    if (this.tokens.length > MAX_TOKENS) {
      const error = new BudgetError("SIZE_LIMIT", `the template has more than ${MAX_TOKENS} tokens`);
      error.line = this.#line;
      throw error;
    }
    this.tokens.push({ type, value, line: this.#line });
  }

  /** The match of a sticky expression at the place reached. */
  #match(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#position;
    return expression.exec(this.#source);
  }

  #consume(text: string): void {
    this.#position += text.length;
    this.#line += countLines(text);
    this.#lineStarting = text.endsWith("\n");
  }

  /** Text before a tag, without the whitespace that the tag takes with it. */
  #pushText(text: string, sign: string, isVariable: boolean): void {
    let kept = text;
    if (sign === "-") {
      kept = withoutTrailingSpaces(text);
    } else if (sign !== "+" && !isVariable) {
      const lineStart = text.lastIndexOf("\n") + 1;
      if ((lineStart > 0 || this.#lineStarting) && onlySpaces.test(text.slice(lineStart))) {
        kept = text.slice(0, lineStart);
      }
    }
    if (kept !== "") {
      this.#push("data", kept);
    }
    this.#line += countLines(text);
  }

  #readText(): void {
    tagStart.lastIndex = this.#position;
    const tag = tagStart.exec(this.#source);
    if (tag === null) {
      this.#push("data", this.#source.slice(this.#position));
      this.#position = this.#source.length;
      return;
    }
    const text = this.#source.slice(this.#position, tag.index);
    this.#position = tag.index;
    const [opening] = tag;
    const raw = opening === "{%" ? this.#match(rawBegin) : null;
    if (raw !== null) {
      this.#pushText(text, raw[1] ?? "", false);
      this.#consume(raw[0]);
      this.#readRaw();
      return;
    }
    const next = this.#source[tag.index + 2] ?? "";
    const sign = next === "-" || next === "+" ? next : "";
    this.#pushText(text, sign, opening === "{{");
    if (opening === "{#") {
      this.#consume(opening + sign);
      this.#skipComment();
      return;
    }
    const isBlock = opening === "{%";
    this.#push(isBlock ? "block_begin" : "variable_begin", opening + sign);
    this.#consume(opening + sign);
    this.#readCode(isBlock ? "block_end" : "variable_end", isBlock ? blockEnd : variableEnd);
  }

  #skipComment(): void {
    if (this.#position >= this.#source.length) {
      return;
    }
    const start = this.#position;
    const at = this.#source.indexOf("#}", start);
    if (at < 0) {
      throw syntaxError("Missing end of comment tag", this.#line);
    }
    const sign = at > start ? this.#source[at - 1] : "";
    this.#consume(this.#source.slice(start, at + 2));
    if (sign === "-") {
      this.#skipSpaces();
    } else if (sign !== "+" && this.#source[this.#position] === "\n") {
      this.#consume("\n");
    }
  }

  #skipSpaces(): boolean {
    const match = this.#match(spaces);
    if (match === null) {
      return false;
    }
    this.#consume(match[0]);
    return true;
  }

  #readRaw(): void {
    const start = this.#position;
    if (start >= this.#source.length) {
      return;
    }
    for (let at = this.#source.indexOf("{%", start); at >= 0; at = this.#source.indexOf("{%", at + 2)) {
      this.#position = at;
      const end = this.#match(rawEnd);
      if (end !== null) {
        this.#pushText(this.#source.slice(start, at), end[1] ?? "", false);
        this.#consume(end[0]);
        return;
      }
    }
    throw syntaxError("Missing end of raw directive", this.#line);
  }

  /** The tokens between the delimiters of a statement or an expression. */
  #readCode(endType: TokenType, end: RegExp): void {
    const source = this.#source;
    this.#openBrackets = [];
    while (this.#position < source.length) {
      const code = source.charCodeAt(this.#position);
      if (code === SPACE || code === NEWLINE) {
        this.#position += 1;
        this.#lineStarting = code === NEWLINE;
        this.#line += code === NEWLINE ? 1 : 0;
      } else if (isNameStart(code)) {
        this.#readName();
      } else if (this.#openBrackets.length > 0 || !endStarts.has(code)) {
        this.#readToken(code);
      } else {
        // Inside brackets, what looks like the end of the tag is an operator.
        const match = this.#match(end);
        if (match !== null) {
          this.#push(endType, match[0]);
          this.#consume(match[0]);
          return;
        }
        this.#readToken(code);
      }
    }
  }

  #readName(): void {
    const source = this.#source;
    let end = this.#position + 1;
    let code = source.charCodeAt(end);
    while (isNameStart(code) || isDigit(code)) {
      end += 1;
      code = source.charCodeAt(end);
    }
    if (code > 0x7f) {
      this.#readWord();
      return;
    }
    this.#push("name", source.slice(this.#position, end));
    this.#position = end;
    this.#lineStarting = false;
  }

  /** A name with characters outside ASCII. */
  #readWord(): boolean {
    const text = this.#match(word)?.[0];
    if (text === undefined) {
      return false;
    }
    if (!identifier.test(text)) {
      throw syntaxError("Invalid character in identifier", this.#line);
    }
    this.#push("name", text);
    this.#consume(text);
    return true;
  }

  #readNumber(): boolean {
    const digits = this.#match(float)?.[0];
    if (digits !== undefined) {
      this.#pushNumber("float", digits, pyFloat(Number(digits.replaceAll("_", ""))));
      return true;
    }
    const whole = this.#match(integer)?.[0];
    if (whole !== undefined) {
      this.#pushNumber("integer", whole, integerValue(whole));
    }
    return whole !== undefined;
  }

  #readToken(code: number): void {
    if (
      !this.#readOperator() &&
      !this.#readString() &&
      !this.#skipSpaces() &&
      !(isDigit(code) && this.#readNumber()) &&
      !this.#readWord()
    ) {
      const at = codePointCount(this.#source.slice(0, this.#position));
      const character = String.fromCodePoint(this.#source.codePointAt(this.#position) ?? 0);
      throw syntaxError(`unexpected char ${reprText(character)} at ${at}`, this.#line);
    }
  }

  #pushNumber(type: "float" | "integer", text: string, number: PyValue): void {
    this.tokens.push({ type, value: text, line: this.#line, number });
    this.#consume(text);
  }

  #readString(): boolean {
    const quote = this.#source[this.#position];
    if (quote !== "'" && quote !== '"') {
      return false;
    }
    let end = this.#position + 1;
    while (this.#source[end] !== quote) {
      end += this.#source[end] === "\\" ? 2 : 1;
      if (end >= this.#source.length) {
        return false;
      }
    }
    const text = this.#source.slice(this.#position, end + 1);
    this.#push("string", decodeStringLiteral(text.slice(1, -1), this.#line));
    this.#consume(text);
    return true;
  }

  #readOperator(): boolean {
    const two = this.#source.slice(this.#position, this.#position + 2);
    const text = operators.has(two) ? two : two.slice(0, 1);
    const type = operators.get(text);
    if (type === undefined) {
      return false;
    }
    this.#balance(text);
    this.#push(type, text);
    this.#position += text.length;
    this.#lineStarting = false;
    return true;
  }

  #balance(text: string): void {
    const closer = closers[text];
    if (closer !== undefined) {
      this.#openBrackets.push(closer);
    } else if (text === "}" || text === ")" || text === "]") {
      const expected = this.#openBrackets.pop();
      if (expected !== text) {
        const wanted = expected === undefined ? "" : `, expected '${expected}'`;
        throw syntaxError(`unexpected '${text}'${wanted}`, this.#line);
      }
    }
  }
}

/** Jinja reads every line end as \n and drops one at the end of the template. */
function normalizeNewlines(template: string): string {
  const source = template.replace(/\r\n?/gu, "\n");
  return source.endsWith("\n") ? source.slice(0, -1) : source;
}

export function tokenize(template: string): TokenList {
  const lexer = new Lexer(normalizeNewlines(template));
  try {
    lexer.run();
  } catch (error) {
    if (error instanceof PyError) {
      return { tokens: lexer.tokens, failure: error };
    }
    throw error;
  }
  return { tokens: lexer.tokens, failure: null };
}
