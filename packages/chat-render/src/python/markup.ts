import { str } from "./repr.ts";
import { PyMarkup, type PyContext, type PyValue, isMarkup } from "./value.ts";

const special = /[&<>'"]/;
const entities: readonly (readonly [RegExp, string])[] = [
  [/&/g, "&amp;"],
  [/>/g, "&gt;"],
  [/</g, "&lt;"],
  [/'/g, "&#39;"],
  [/"/g, "&#34;"],
];

/** Text with the characters that mean something in HTML written as entities. */
export function escapeText(text: string): string {
  if (!special.test(text)) {
    return text;
  }
  let escaped = text;
  for (const [pattern, entity] of entities) {
    escaped = escaped.replace(pattern, entity);
  }
  return escaped;
}

/** `markupsafe.escape`: the text of everything but Markup, escaped. */
export function escape(ctx: PyContext, value: PyValue): PyMarkup {
  if (isMarkup(value)) {
    return value;
  }
  const text = str(ctx, value);
  ctx.budget.grow(text.length * 5);
  ctx.budget.step(text.length >> 2);
  return new PyMarkup(escapeText(text));
}

/** A Markup where `model` is one, else the plain text: what str methods of a Markup return. */
export function like(model: PyValue, text: string): string | PyMarkup {
  return isMarkup(model) ? new PyMarkup(text) : text;
}
