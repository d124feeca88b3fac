import { PyError, typeError } from "../python/errors.ts";
import { listOf } from "../python/iterate.ts";
import { truth } from "../python/truth.ts";
import { undefinedError } from "../python/undefined.ts";
import { isUndefined } from "../python/value.ts";
import type { Block, Load } from "./ast.ts";
import { compileSlot } from "./compile-name.ts";
import type { Compiler } from "./compiler.ts";
import type { Frame } from "./frame.ts";
import { NORMAL, type Execute } from "./scope.ts";

/** A block where it stands. It sees the template's variables, and the frames around it only if it is scoped. */
export function compileBlock(compiler: Compiler, frame: Frame, node: Block): Execute {
  if (frame.toplevel && compiler.knownExtends) {
    return () => NORMAL;
  }
  const locals = node.scoped ? visibleNames(frame) : [];
  const reads = locals.map((name) => [compiler.variable(name), compileSlot(compiler, frame, name)] as const);
  const { line, name, required } = node;
  return (scope) => {
    const { rt } = scope;
    rt.line = line;
    rt.budget.step();
    if (required) {
      throw new PyError("TemplateRuntimeError", `Required block '${name}' not found`);
    }
    let { variables } = scope;
    if (node.scoped) {
      variables = variables.slice();
      for (const [index, read] of reads) {
        const value = read(scope);
        if (value !== undefined) {
          variables[index] = value;
        }
      }
    }
    rt.renderBlock(name, variables);
    return NORMAL;
  };
}

function visibleNames(frame: Frame): string[] {
  const names = new Set<string>();
  for (let { symbols } = frame, at: typeof symbols | null = symbols; at !== null; at = at.parent) {
    for (const name of at.stores) {
      names.add(name);
    }
  }
  return [...names];
}

function noLoader(): PyError {
  return typeError("no loader for this environment specified");
}

/** What needs another template fails as it does for transformers, which gives Jinja nothing to load from. */
export function compileLoad(compiler: Compiler, frame: Frame, node: Load): Execute {
  if (node.kind === "extends") {
    if (!frame.toplevel) {
      compiler.fail("cannot use extend from a non top-level scope", node.line);
    }
    compiler.knownExtends ||= frame.rootlevel;
    compiler.extendsSoFar += 1;
  }
  const template = compiler.expression(frame, node.template);
  const { line, kind, ignoreMissing } = node;
  return (scope) => {
    const { rt } = scope;
    rt.line = line;
    const name = template(scope);
    if (kind !== "include" || typeof name === "string") {
      throw noLoader();
    }
    if (isUndefined(name)) {
      // A constant list of templates is looked at in another way.
      throw node.template.kind === "list" || node.template.kind === "tuple"
        ? undefinedError(rt, name)
        : noLoader();
    }
    if (truth(name) && listOf(rt, name).length > 0) {
      throw noLoader();
    }
    if (!ignoreMissing) {
      throw new PyError("TemplatesNotFound", "Tried to select from an empty list of templates.");
    }
    return NORMAL;
  };
}
