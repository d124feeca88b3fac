import { Environment, Interpreter, parse, tokenize } from "@huggingface/jinja";

/*
 * The declarations of @huggingface/jinja name their parts without file endings, which TypeScript does not follow under
 * Node's module resolution: everything would be `any`. These are the parts used here.
 */

/** A parsed template. */
export interface Program {
  readonly type: string;
}

export interface RuntimeNode {
  readonly type: string;
}

export interface RuntimeValue {
  readonly type: string;
  readonly value: unknown;
}

export interface RuntimeEnvironment {
  readonly variables: Map<string, RuntimeValue>;
  set(name: string, value: unknown): RuntimeValue;
}

export interface RuntimeInterpreter {
  run(program: Program): RuntimeValue;
  evaluate(node: RuntimeNode | undefined, environment: RuntimeEnvironment): RuntimeValue;
  /** Internal to the library; called once for each round of a loop and each call of a macro. */
  evaluateBlock(nodes: readonly RuntimeNode[], environment: RuntimeEnvironment): RuntimeValue;
}

export const RuntimeEnvironment: new () => RuntimeEnvironment = Environment;

export const RuntimeInterpreter: new (environment: RuntimeEnvironment) => RuntimeInterpreter = Interpreter;

/** Parses with the block settings of transformers. */
export function parseTemplate(source: string): Program {
  return parse(tokenize(source, { trim_blocks: true, lstrip_blocks: true }));
}
