import { FunctionUnit, Symbols } from "./symbols.ts";

/** Where the compiler is: the names in reach and what Jinja's compiler knows of the place. */
export class Frame {
  readonly symbols: Symbols;
  /** In the template's own code, or in an `if` there. */
  toplevel = false;
  /** In the template's own code and in no `if`. */
  rootlevel = false;
  /** In a branch of an `if` or of a conditional expression: an unknown filter is an error only when it is reached. */
  soft = false;
  /** Whether output has to be left out once a template is extended. */
  checksOutput = false;
  /** Loops around, in the same function. */
  loops = 0;
  /** Levels of indentation of Jinja's code. */
  indent = 1;
  /** Parameters of a macro that have no value yet while its defaults are computed. */
  pending: Set<string> | null = null;

  constructor(symbols: Symbols) {
    this.symbols = symbols;
  }

  static root(): Frame {
    return new Frame(new Symbols(new FunctionUnit(null), null));
  }

  get unit(): FunctionUnit {
    return this.symbols.unit;
  }

  /** A frame inside this one: in the same function, in one of its own, or in that of another frame. */
  inner(place: "here" | "separate" | FunctionUnit = "here"): Frame {
    const unit = place === "here" ? this.unit : place === "separate" ? new FunctionUnit(this.unit) : place;
    const frame = new Frame(new Symbols(unit, this.symbols));
    frame.checksOutput = this.checksOutput;
    frame.loops = place === "here" ? this.loops : 0;
    frame.indent = this.indent + (place === "here" ? 0 : 1);
    return frame;
  }

  /** The same frame in a branch. */
  branch(): Frame {
    const frame = new Frame(this.symbols.copy());
    frame.toplevel = this.toplevel;
    frame.soft = true;
    frame.checksOutput = this.checksOutput;
    frame.loops = this.loops;
    frame.indent = this.indent + 1;
    frame.pending = this.pending;
    return frame;
  }
}
