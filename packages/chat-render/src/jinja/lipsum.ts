import { valueError } from "../python/errors.ts";
import { notAnInteger } from "../python/refusals.ts";
import { intOf } from "../python/numbers.ts";
import { truth } from "../python/truth.ts";
import { PyMarkup, type PyContext, type PyKwargs, type PyValue } from "../python/value.ts";
import { bindArguments } from "./bind-arguments.ts";

/** The beginning of Cicero's text: what is drawn from is random, so which words there are does not matter. */
const words =
  "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua".split(
    " ",
  );

function integer(value: PyValue): number {
  const int = intOf(value);
  if (int === undefined) {
    throw notAnInteger(value);
  }
  return Number(int);
}

function paragraph(ctx: PyContext, count: number): string {
  const text: string[] = [];
  let begins = true;
  for (let index = 0; index < count; index += 1) {
    let word = words[Math.floor(ctx.random() * words.length)] ?? "lorem";
    if (begins) {
      word = word.charAt(0).toUpperCase() + word.slice(1);
    }
    begins = index === count - 1 || ctx.random() < 1 / 12;
    text.push(begins ? `${word}.` : word);
  }
  return text.length === 0 ? "." : text.join(" ");
}

/** `lipsum(n, html, min, max)`: paragraphs without a meaning. */
export function lipsum(args: readonly PyValue[], kwargs: PyKwargs, ctx: PyContext): PyValue {
  const [n = 5, html = true, min = 20, max = 100] = bindArguments(
    "generate_lorem_ipsum",
    ["n", "html", "min", "max"],
    0,
    args,
    kwargs,
  );
  const paragraphs = Math.max(integer(n), 0);
  const [least, most] = [integer(min), integer(max)];
  if (paragraphs > 0 && least >= most) {
    throw valueError(`empty range for randrange() (${least}, ${most}, ${most - least})`);
  }
  const texts: string[] = [];
  for (let index = 0; index < paragraphs; index += 1) {
    const count = Math.max(least + Math.floor(ctx.random() * (most - least)), 0);
    ctx.budget.collect(count + 1);
    texts.push(paragraph(ctx, count));
  }
  return truth(html) ? new PyMarkup(texts.map((text) => `<p>${text}</p>`).join("\n")) : texts.join("\n\n");
}
