// Makes a differing case smaller while it still differs in the same way.

/** Pieces that can be left out: tags, words, marks, runs of white space. */
const pieces = (template) =>
  template.match(/\{%[-+]?\s*\w+|[-+]?%\}|\{\{-?|-?\}\}|'(?:[^'\\]|\\.)*'|\w+|\s+|[^\w\s]/gu) ?? [];

function* smallerTemplates(template) {
  const parts = pieces(template);
  const whole = template.match(/\{%.*?%\}|\{\{.*?\}\}|[^{]+|\{/gsu) ?? [];
  for (const list of [whole, parts]) {
    for (let size = Math.ceil(list.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let at = 0; at + size <= list.length; at += Math.max(1, size >> 1)) {
        yield [...list.slice(0, at), ...list.slice(at + size)].join("");
      }
    }
  }
}

function* smallerVariables(text) {
  const variables = JSON.parse(text);
  for (const name of Object.keys(variables)) {
    // The text is cut, not written anew: JSON.parse would lose what 1.0 and big numbers are.
    const kept = Object.keys(variables).filter((other) => other !== name);
    yield `{${kept.map((other) => entryOf(text, other)).join(", ")}}`;
  }
}

/** The entry of a top-level key, as it is written. */
function entryOf(text, name) {
  const key = `${JSON.stringify(name)}: `;
  let depth = 0;
  let inText = false;
  let start = -1;
  for (let at = 0; at < text.length; at++) {
    if (!inText && depth === 1 && start < 0 && text.startsWith(key, at)) start = at;
    const char = text[at];
    if (inText) {
      if (char === "\\") at++;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if ("{[".includes(char)) depth++;
    else if ("}]".includes(char)) depth--;
    if (start >= 0 && !inText && ((char === "," && depth === 1) || depth === 0)) return text.slice(start, at);
  }
  return text.slice(start);
}

/**
 * @param differs tells for a list of requests whether each differs in the way of the first one
 */
export async function shrink(request, differs) {
  let best = request;
  for (let round = 0; round < 40; round++) {
    const smaller = [];
    for (const vars of smallerVariables(best.vars)) smaller.push({ ...best, vars });
    for (const template of smallerTemplates(best.template)) smaller.push({ ...best, template });
    const kept = smaller.slice(0, 600);
    const answers = await differs(kept);
    const found = kept.filter((_, index) => answers[index]);
    if (found.length === 0) return best;
    const size = ({ template, vars }) => template.length * 2 + vars.length;
    found.sort((a, b) => size(a) - size(b));
    if (size(found[0]) >= size(best)) return best;
    best = found[0];
  }
  return best;
}
