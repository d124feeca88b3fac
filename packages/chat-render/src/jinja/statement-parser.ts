import { reprText } from "../python/repr.ts";
import { spaceClass } from "../python/unicode.ts";
import type { Block, Call, Expression, If, Statement, TemplateData } from "./ast.ts";
import { tokenize } from "./lexer.ts";
import { TargetParser } from "./target-parser.ts";
import { TokenStream } from "./token-stream.ts";
import { describeExpected } from "./tokens.ts";

const onlySpaces = new RegExp(`^[${spaceClass}]+$`, "u");

/** Frames of Jinja's parser between a statement and one in its body. */
const STATEMENT_FRAMES = 4;

/** Statements and the text between them. */
class Parser extends TargetParser {
  /** Tags that are open. */
  private readonly tags: string[] = [];
  /** What may end the bodies that are open. */
  private readonly ends: (readonly string[])[] = [];
  private readonly statements: ReadonlyMap<string, () => Statement> = new Map([
    ["for", () => this.parseFor()],
    ["if", () => this.parseIf()],
    ["block", () => this.parseBlock()],
    ["extends", () => this.parseExtends()],
    ["print", () => this.parsePrint()],
    ["macro", () => this.parseMacro()],
    ["include", () => this.parseInclude()],
    ["from", () => this.parseFrom()],
    ["import", () => this.parseImport()],
    ["set", () => this.parseSet()],
    ["with", () => this.parseWith()],
    ["autoescape", () => this.parseAutoescape()],
    ["call", () => this.parseCallBlock()],
    ["filter", () => this.parseFilterBlock()],
    ["generation", () => this.parseGeneration()],
    ["break", () => this.parseLoopControl("break")],
    ["continue", () => this.parseLoopControl("continue")],
  ] satisfies [string, () => Statement][]);

  /** Statements up to one of the ends, which becomes the current token, or to the end of the template. */
  parseBody(ends: readonly string[] | null): Statement[] {
    const body: Statement[] = [];
    let parts: (TemplateData | Expression)[] = [];
    const flush = (): void => {
      const [first] = parts;
      if (first !== undefined) {
        body.push({ kind: "output", line: first.line, parts });
        parts = [];
      }
    };
    if (ends !== null) {
      this.ends.push(ends);
    }
    while (!this.stream.isType("eof")) {
      const token = this.stream.next();
      if (token.type === "data") {
        parts.push({ kind: "templatedata", line: token.line, text: token.value });
      } else if (token.type === "variable_begin") {
        parts.push(this.parseTuple());
        this.stream.expect("variable_end");
      } else {
        flush();
        if (ends !== null && ends.some((end) => this.stream.is(end))) {
          this.ends.pop();
          return body;
        }
        body.push(this.nested(STATEMENT_FRAMES, () => this.parseStatement()));
        this.stream.expect("block_end");
      }
    }
    flush();
    if (ends !== null) {
      this.ends.pop();
    }
    return body;
  }

  private parseStatement(): Statement {
    const token = this.stream.current;
    if (token.type !== "name") {
      this.stream.fail("tag name expected", token.line);
    }
    const parse = this.statements.get(token.value);
    if (parse === undefined) {
      return this.failAt(
        `Encountered unknown tag ${reprText(token.value)}.`,
        token.value,
        this.ends,
        token.line,
      );
    }
    this.tags.push(token.value);
    const statement = parse();
    this.tags.pop();
    return statement;
  }

  /** An unknown tag or the end of the template, where the end of an open tag is missing. */
  private failAt(
    problem: string,
    tag: string | null,
    ends: readonly (readonly string[])[],
    line: number,
  ): never {
    let message = problem;
    const wanted =
      ends
        .at(-1)
        ?.map((end) => reprText(describeExpected(end)))
        .join(" or ") ?? "";
    if (wanted !== "") {
      message +=
        tag !== null && ends.flat().some((end) => describeExpected(end) === tag)
          ? ` You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${wanted}.`
          : ` Jinja was looking for the following tags: ${wanted}.`;
    }
    const open = this.tags.at(-1);
    if (open !== undefined) {
      message += ` The innermost block that needs to be closed is ${reprText(open)}.`;
    }
    return this.stream.fail(message, line);
  }

  /** The body of a tag; the tag that ends it becomes the current token. */
  private parseUntil(...ends: string[]): Statement[] {
    this.stream.skipType("colon");
    this.stream.expect("block_end");
    const names = ends.map((end) => `name:${end}`);
    const body = this.parseBody(names);
    if (this.stream.isType("eof")) {
      this.failAt("Unexpected end of template.", null, [...this.ends, names], this.stream.current.line);
    }
    return body;
  }

  private parseTo(end: string): Statement[] {
    const body = this.parseUntil(end);
    this.stream.next();
    return body;
  }

  private parseFor(): Statement {
    const { line } = this.stream.next();
    const target = this.parseTarget();
    this.stream.expect("name:in");
    const iterable = this.parseTuple({ conditional: false });
    const test = this.stream.skipName("if") ? this.parseExpression() : null;
    const recursive = this.stream.skipName("recursive");
    const body = this.parseUntil("endfor", "else");
    const otherwise = this.stream.next().value === "endfor" ? [] : this.parseTo("endfor");
    return { kind: "for", line, target, iterable, body, otherwise, test, recursive };
  }

  private parseIf(): Statement {
    const { line } = this.stream.next();
    const test = this.parseTuple({ conditional: false });
    const body = this.parseUntil("elif", "else", "endif");
    const elifs: If[] = [];
    let end = this.stream.next();
    while (end.value === "elif") {
      const elif = {
        kind: "if",
        line: this.stream.current.line,
        test: this.parseTuple({ conditional: false }),
        body: this.parseUntil("elif", "else", "endif"),
        elifs: [],
        otherwise: [],
      } as const;
      elifs.push(elif);
      end = this.stream.next();
    }
    const otherwise = end.value === "else" ? this.parseTo("endif") : [];
    return { kind: "if", line, test, body, elifs, otherwise };
  }

  private parseWith(): Statement {
    const { line } = this.stream.next();
    const targets: Expression[] = [];
    const values: Expression[] = [];
    while (!this.stream.isType("block_end")) {
      if (targets.length > 0) {
        this.stream.expect("comma");
      }
      targets.push(this.parseTarget({}, "param"));
      this.stream.expect("assign");
      values.push(this.parseExpression());
    }
    return { kind: "with", line, targets, values, body: this.parseTo("endwith") };
  }

  private parseAutoescape(): Statement {
    const { line } = this.stream.next();
    return { kind: "autoescape", line, value: this.parseExpression(), body: this.parseTo("endautoescape") };
  }

  private parseBlock(): Statement {
    const { line } = this.stream.next();
    const name = this.stream.expect("name").value;
    const scoped = this.stream.skipName("scoped");
    const required = this.stream.skipName("required");
    if (this.stream.isType("sub")) {
      this.stream.fail(
        "Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.",
      );
    }
    const body = this.parseTo("endblock");
    if (required && !body.every(isBlank)) {
      this.stream.fail("Required blocks can only contain comments or whitespace");
    }
    this.stream.skipName(name);
    const block: Block = { kind: "block", line, name, scoped, required, body };
    return block;
  }

  private parseSet(): Statement {
    const { line } = this.stream.next();
    const target = this.parseTarget({ namespaces: true });
    if (this.stream.skipType("assign")) {
      return { kind: "assign", line, target, value: this.parseTuple() };
    }
    const filter = this.parseFilters(null, false);
    return { kind: "assignblock", line, target, filter, body: this.parseTo("endset") };
  }

  private parseCallBlock(): Statement {
    const { line } = this.stream.next();
    const signature = this.stream.isType("lparen") ? this.parseSignature() : { params: [], defaults: [] };
    const expression = this.parseExpression();
    const call: Call = expression.kind === "call" ? expression : this.stream.fail("expected call", line);
    return { kind: "callblock", line, ...signature, call, body: this.parseTo("endcall") };
  }

  private parseGeneration(): Statement {
    const { line } = this.stream.next();
    const body = this.parseTo("endgeneration");
    return { kind: "callblock", line, params: [], defaults: [], call: null, body };
  }

  private parseFilterBlock(): Statement {
    const { line } = this.stream.next();
    const filter = this.parseFilters(null, true) ?? this.stream.fail("filter expected");
    return { kind: "filterblock", line, filter, body: this.parseTo("endfilter") };
  }

  private parseMacro(): Statement {
    const { line } = this.stream.next();
    const { name } = this.parseTargetName();
    return { kind: "macro", line, name, ...this.parseSignature(), body: this.parseTo("endmacro") };
  }

  private parsePrint(): Statement {
    const { line } = this.stream.next();
    const parts: Expression[] = [];
    while (!this.stream.isType("block_end")) {
      if (parts.length > 0) {
        this.stream.expect("comma");
      }
      parts.push(this.parseExpression());
    }
    return { kind: "output", line, parts };
  }

  private parseLoopControl(kind: "break" | "continue"): Statement {
    return { kind, line: this.stream.next().line };
  }
}

function isBlank(statement: Statement): boolean {
  return (
    statement.kind === "output" &&
    statement.parts.every((part) => part.kind === "templatedata" && onlySpaces.test(part.text))
  );
}

/**
 * Reads a template into its statements.
 *
 * @throws PyError as Jinja's parser would.
 */
export function parse(template: string): Statement[] {
  return new Parser(new TokenStream(tokenize(template))).parseBody(null);
}
