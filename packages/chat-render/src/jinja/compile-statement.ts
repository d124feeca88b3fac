import { PyError, typeError } from "../python/errors.ts";
import { listOf } from "../python/iterate.ts";
import { truth } from "../python/truth.ts";
import { undefinedError } from "../python/undefined.ts";
import { PyMarkup, PyUndefined, type PyValue } from "../python/value.ts";
import type {
  Assign,
  AssignBlock,
  Autoescape,
  Block,
  FilterBlock,
  If,
  Load,
  Statement,
  With,
} from "./ast.ts";
import { compileFilter } from "./compile-call.ts";
import { compileFor } from "./compile-for.ts";
import { compileCallBlock, compileMacro } from "./compile-macro.ts";
import { compileEntry, compileExit, compileSlot } from "./compile-name.ts";
import { compileOutput } from "./compile-output.ts";
import { compileTarget } from "./compile-target.ts";
import type { Compiler } from "./compiler.ts";
import { findAll, analyzeFrame } from "./scope-analysis.ts";
import type { Frame } from "./frame.ts";
import { Namespace } from "./namespace.ts";
import { BREAK, CONTINUE, NORMAL, Scope, type Execute, type SavedOutput } from "./scope.ts";

const nothing: Execute = () => NORMAL;

/** Statements one after the other. */
export function compileBody(compiler: Compiler, frame: Frame, body: readonly Statement[]): Execute {
  const steps = body.map((statement) => compileStatement(compiler, frame, statement));
  const [first, second, third] = steps;
  if (first === undefined) {
    return nothing;
  }
  if (second === undefined) {
    return first;
  }
  if (third === undefined) {
    return (scope) => {
      const completion = first(scope);
      return completion === NORMAL ? second(scope) : completion;
    };
  }
  return (scope) => {
    for (const step of steps) {
      const completion = step(scope);
      if (completion !== NORMAL) {
        return completion;
      }
    }
    return NORMAL;
  };
}

/** A body that writes into a text of its own, which `use` is given. */
export function capturing(body: Execute, use: (scope: Scope, text: string) => void): Execute {
  return (scope) => {
    const { rt } = scope;
    const saved: SavedOutput = rt.capture();
    const completion = body(scope);
    if (completion !== NORMAL) {
      rt.drop(saved);
      return completion;
    }
    use(scope, rt.release(saved));
    return NORMAL;
  };
}

function compileIf(compiler: Compiler, outer: Frame, node: If): Execute {
  const frame = outer.branch();
  compiler.checkNesting(frame, node.line);
  const branches = [node, ...node.elifs].map(({ line, test, body }, index) => {
    const before = compiler.cost;
    const condition = compiler.truth(frame, test);
    // All branches together are one statement.
    const cost = compiler.costSince(before) - (index === 0 ? 0 : 1);
    return { line, condition, cost, body: compiler.body(frame, body) };
  });
  const otherwise = compiler.body(frame, node.otherwise);
  const [only, second] = branches;
  if (only !== undefined && second === undefined) {
    const { line, condition, cost, body } = only;
    return (scope) => {
      scope.rt.line = line;
      scope.rt.budget.step(cost);
      return condition(scope) ? body(scope) : otherwise(scope);
    };
  }
  return (scope) => {
    const { rt } = scope;
    for (const { line, condition, cost, body } of branches) {
      rt.line = line;
      rt.budget.step(cost);
      if (condition(scope)) {
        return body(scope);
      }
    }
    return otherwise(scope);
  };
}

function compileAssign(compiler: Compiler, frame: Frame, node: Assign): Execute {
  const before = compiler.cost;
  const value = compiler.expression(frame, node.value);
  const { line } = node;
  const namespaces: string[] = [];
  findAll([node.target], (part) => {
    if (part.kind === "nsref") {
      namespaces.push(part.name);
    }
  });
  const reads = namespaces.map((name) => compileSlot(compiler, frame, name));
  const write = compileTarget(compiler, frame, node.target);
  const cost = compiler.costSince(before);
  if (reads.length === 0) {
    return (scope) => {
      scope.rt.line = line;
      scope.rt.budget.step(cost);
      write(scope, value(scope));
      return NORMAL;
    };
  }
  return (scope) => {
    scope.rt.line = line;
    scope.rt.budget.step(cost);
    for (const read of reads) {
      if (!(read(scope) instanceof Namespace)) {
        throw new PyError("TemplateRuntimeError", "cannot assign attribute on non-namespace object");
      }
    }
    write(scope, value(scope));
    return NORMAL;
  };
}

function compileAssignBlock(compiler: Compiler, frame: Frame, node: AssignBlock): Execute {
  const inner = frame.inner();
  inner.checksOutput = false;
  analyzeFrame(inner.symbols, node);
  const enter = compileEntry(compiler, inner);
  const body = compiler.body(inner, node.body);
  const write = compileTarget(compiler, frame, node.target);
  let text = "";
  const filter = node.filter === null ? null : compileFilter(compiler, inner, node.filter, () => text);
  const exit = compileExit(inner);
  return capturing(
    (scope) => {
      scope.rt.budget.step();
      enter?.(scope);
      return body(scope);
    },
    (scope, written) => {
      const { rt } = scope;
      rt.line = node.line;
      text = written;
      const value = filter === null ? written : filter(scope);
      write(scope, rt.autoescape ? new PyMarkup(rt.text(value)) : value);
      exit(scope);
    },
  );
}

function compileFilterBlock(compiler: Compiler, frame: Frame, node: FilterBlock): Execute {
  const inner = frame.inner();
  analyzeFrame(inner.symbols, node);
  const enter = compileEntry(compiler, inner);
  const body = compiler.body(inner, node.body);
  let text: PyValue = "";
  const filter = compileFilter(compiler, inner, node.filter, () => text);
  const exit = compileExit(inner);
  return capturing(
    (scope) => {
      scope.rt.budget.step();
      enter?.(scope);
      return body(scope);
    },
    (scope, written) => {
      const { rt } = scope;
      rt.line = node.line;
      text = rt.autoescape ? new PyMarkup(written) : written;
      rt.writeUnchecked(filter(scope));
      exit(scope);
    },
  );
}

function compileWith(compiler: Compiler, frame: Frame, node: With): Execute {
  const inner = frame.inner();
  analyzeFrame(inner.symbols, node);
  const enter = compileEntry(compiler, inner);
  const before = compiler.cost;
  const values = node.values.map((value) => compiler.expression(frame, value));
  const cost = compiler.costSince(before);
  const targets = node.targets.map((target) => compileTarget(compiler, inner, target));
  const body = compiler.body(inner, node.body);
  const exit = compileExit(inner);
  const { line } = node;
  return (scope) => {
    scope.rt.line = line;
    scope.rt.budget.step(cost);
    enter?.(scope);
    values.forEach((value, index) => {
      targets[index]?.(scope, value(scope));
    });
    const completion = body(scope);
    exit(scope);
    return completion;
  };
}

function compileAutoescape(compiler: Compiler, outer: Frame, node: Autoescape): Execute {
  const frame = outer.inner();
  analyzeFrame(frame.symbols, node);
  const enter = compileEntry(compiler, frame);
  const value = compiler.expression(frame, node.value);
  const saved = compiler.autoescape;
  const constant = node.value.kind === "const" ? truth(node.value.value) : null;
  compiler.autoescape = saved === "runtime" ? saved : (constant ?? "runtime");
  const body = compiler.body(frame, node.body);
  compiler.autoescape = saved;
  const exit = compileExit(frame);
  return (scope) => {
    const { rt } = scope;
    rt.budget.step();
    enter?.(scope);
    const before = rt.autoescape;
    rt.autoescape = truth(value(scope));
    const completion = body(scope);
    if (completion !== NORMAL) {
      // A loop that is left here leaves it as it is.
      return completion;
    }
    rt.autoescape = before;
    exit(scope);
    return NORMAL;
  };
}

/** A block where it stands. It sees the template's variables, and the frames around it only if it is scoped. */
function compileBlock(compiler: Compiler, frame: Frame, node: Block): Execute {
  if (frame.toplevel && compiler.knownExtends) {
    return nothing;
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
function compileLoad(compiler: Compiler, frame: Frame, node: Load): Execute {
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
    if (name instanceof PyUndefined) {
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

function compileStatement(compiler: Compiler, frame: Frame, node: Statement): Execute {
  switch (node.kind) {
    case "output":
      return compileOutput(compiler, frame, node);
    case "for":
      return compileFor(compiler, frame, node);
    case "if":
      return compileIf(compiler, frame, node);
    case "macro":
      return compileMacro(compiler, frame, node);
    case "callblock":
      return compileCallBlock(compiler, frame, node);
    case "filterblock":
      return compileFilterBlock(compiler, frame, node);
    case "assign":
      return compileAssign(compiler, frame, node);
    case "assignblock":
      return compileAssignBlock(compiler, frame, node);
    case "with":
      return compileWith(compiler, frame, node);
    case "autoescape":
      return compileAutoescape(compiler, frame, node);
    case "block":
      return compileBlock(compiler, frame, node);
    case "break":
    case "continue": {
      if (frame.loops === 0) {
        compiler.refuse(
          node.kind === "break" ? "'break' outside loop" : "'continue' not properly in loop",
          node.line,
        );
      }
      const completion = node.kind === "break" ? BREAK : CONTINUE;
      return () => completion;
    }
    default:
      return compileLoad(compiler, frame, node);
  }
}
