import { PyError } from "../python/errors.ts";
import { reprText } from "../python/repr.ts";
import { describeExpected, describeToken, type Token, type TokenList, type TokenType } from "./tokens.ts";

/** The tokens as the parser walks over them. */
export class TokenStream {
  current: Token;
  private readonly list: TokenList;
  private index = 0;

  constructor(list: TokenList) {
    this.list = list;
    this.current = this.at(0);
  }

  private at(index: number): Token {
    const { tokens, failure } = this.list;
    const token = tokens[index];
    if (token !== undefined) {
      return token;
    }
    if (failure !== null) {
      throw failure;
    }
    return { type: "eof", value: "", line: tokens.at(-1)?.line ?? 1 };
  }

  /** Goes one token ahead and returns the one that was current. */
  next(): Token {
    const token = this.current;
    this.index += 1;
    this.current = this.at(this.index);
    return token;
  }

  look(): Token {
    return this.at(this.index + 1);
  }

  isType(type: TokenType): boolean {
    return this.current.type === type;
  }

  isName(name: string): boolean {
    return this.current.type === "name" && this.current.value === name;
  }

  /** A token type, or `name:` with the name. */
  is(expected: string): boolean {
    return expected.startsWith("name:") ? this.isName(expected.slice(5)) : this.current.type === expected;
  }

  skipType(type: TokenType): boolean {
    const found = this.isType(type);
    if (found) {
      this.next();
    }
    return found;
  }

  skipName(name: string): boolean {
    const found = this.isName(name);
    if (found) {
      this.next();
    }
    return found;
  }

  /** @throws PyError TemplateSyntaxError where another token stands. */
  expect(expected: string): Token {
    if (this.is(expected)) {
      return this.next();
    }
    const wanted = reprText(describeExpected(expected));
    return this.fail(
      this.isType("eof")
        ? `unexpected end of template, expected ${wanted}.`
        : `expected token ${wanted}, got ${reprText(describeToken(this.current))}`,
    );
  }

  fail(message: string, line = this.current.line, pythonClass = "TemplateSyntaxError"): never {
    throw new PyError(pythonClass, message, line);
  }
}
