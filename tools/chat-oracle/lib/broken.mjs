// Templates of constructs.jsonl with words taken out, put in and changed: most cannot be parsed any more.
import { readFileSync } from "node:fs";

const words =
  "{% %} {{ }} -%} {%- ( ) [ ] { } , . | is not in and or if else elif endif for endfor set endset macro endmacro call endcall filter endfilter with endwith block endblock raw endraw generation endgeneration recursive = == ~ * ** // % - + < : 'a' 1 1.5 none true loop u x self super caller varargs kwargs {# #} namespace scoped required break continue import from as include extends autoescape endautoescape context ignore missing print do trans \\"
    .split(" ")
    .concat("\n", " ");

const pieces = (template) =>
  template.match(
    /\{[%{#][-+]?|[-+]?[%}#]\}|\s+|\w+|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\*\*|\/\/|[=!<>]=|[^\w\s]/g,
  ) ?? [];

/** What is random in itself, and values that print where they lie in memory. */
const unsteady = /lipsum|random/;

const rows = readFileSync(new URL("../constructs.jsonl", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line))
  .filter(({ template }) => template.length < 600 && !unsteady.test(template))
  .map(({ template, vars = "{}" }) => ({ parts: pieces(template), vars }));

function change(random, parts) {
  const at = random.below(parts.length);
  const changed = [...parts];
  return random.weighted([
    [25, () => changed.toSpliced(at, 1 + random.below(2))],
    [25, () => changed.toSpliced(at, 0, random.pick(words), " ")],
    [10, () => changed.toSpliced(at, 0, parts[at] ?? "")],
    [15, () => changed.toSpliced(at, 1, random.pick(words))],
    [10, () => changed.toSpliced(at, 1, random.pick(random.pick(rows).parts))],
    [
      8,
      () => {
        const other = random.below(parts.length);
        [changed[at], changed[other]] = [changed[other] ?? "", changed[at] ?? ""];
        return changed;
      },
    ],
    [
      7,
      () => {
        const { parts: tail } = random.pick(rows);
        return [...parts.slice(0, at), ...tail.slice(random.below(tail.length))];
      },
    ],
  ]);
}

/** A changed template and the variables of the one that it was. */
export function brokenTemplate(random) {
  const { parts, vars } = random.pick(rows);
  const template = random
    .some(1, 3, () => (changing) => change(random, changing))
    .reduce((changed, step) => step(changed), parts)
    .join("");
  return { vars, template: unsteady.test(template) ? "" : template };
}
