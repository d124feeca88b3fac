import { recursionError } from "../python/errors.ts";
import type { Expression } from "./ast.ts";
import type { TokenStream } from "./token-stream.ts";

/** Calls that Jinja's own parser may nest before Python's stack ends. */
const MAX_FRAMES = 970;

/** Operators, attributes or filters in a row that Jinja's compiler surely cannot follow. */
const MAX_CHAIN = 1000;

/** Frames of Jinja's parser between an expression and one in brackets within it. */
export const EXPRESSION_FRAMES = 13;

/** What all parts of the parser share: the tokens, and the depth it has reached. */
export abstract class ParserBase {
  protected readonly stream: TokenStream;
  private frames = 0;

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  /** Runs a part of the parser that Python would run `frames` deeper. */
  protected nested<Result>(frames: number, parse: () => Result): Result {
    this.frames += frames;
    if (this.frames > MAX_FRAMES) {
      throw recursionError();
    }
    const result = parse();
    this.frames -= frames;
    return result;
  }

  /** Counts the links of an expression that grows to the right, whose parts lie ever deeper. */
  protected checkChain(links: number): number {
    if (links > MAX_CHAIN) {
      throw recursionError();
    }
    return links + 1;
  }

  abstract parseExpression(): Expression;

  /** An expression that is no `a if b else c`. */
  abstract parseUnconditional(): Expression;
}
