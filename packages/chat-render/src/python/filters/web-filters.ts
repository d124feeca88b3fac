import { codePointCount } from "../code-points.ts";
import { order } from "../compare.ts";
import { filterArgumentError, PyError, typeError, valueError } from "../errors.ts";
import { isIterable, listOf, unpack } from "../iterate.ts";
import { escape, escapeText } from "../markup.ts";
import { split } from "../methods/str-split.ts";
import { compareTexts } from "../code-points.ts";
import { reprText, str } from "../repr.ts";
import { truth } from "../truth.ts";
import { spaceClass } from "../unicode.ts";
import {
  isStr,
  PyMarkup,
  PyTuple,
  textOf,
  typeName,
  type PyContext,
  type PyFilter,
  type PyValue,
  isDict,
  isUndefined,
} from "../value.ts";
import { PyBytes } from "../bytes.ts";
import { filter } from "./filter.ts";
import { firstPart, noAttribute } from "./text-filters.ts";

/** `urllib.parse.quote`. */
function urlQuote(ctx: PyContext, value: PyValue, forQuery: boolean): string {
  const text = str(ctx, value);
  ctx.budget.collect(text.length);
  ctx.budget.grow(text.length * 12);
  const quoted = text.replace(/[^A-Za-z0-9_.~-]/gu, (character) => {
    if (character === "/" && !forQuery) {
      return character;
    }
    return PyBytes.encode(character, 0x110000)
      .bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join("");
  });
  return forQuery ? quoted.replaceAll("%20", "+") : quoted;
}

function urlEncode(ctx: PyContext, value: PyValue): string {
  if (isStr(value) || !isIterable(value)) {
    return urlQuote(ctx, value, false);
  }
  const pairs = isDict(value) ? value.entries().map((entry) => new PyTuple(entry)) : listOf(ctx, value);
  return pairs
    .map((pair) => {
      const [key = null, item = null] = unpack(ctx, pair, 2);
      return `${urlQuote(ctx, key, true)}=${urlQuote(ctx, item, true)}`;
    })
    .join("&");
}

/** What is HTML by itself is so for the template as well where it escapes. */
function markedUp(ctx: PyContext, text: string): string | PyMarkup {
  return ctx.autoescape === true ? new PyMarkup(text) : text;
}

function xmlAttributes(ctx: PyContext, value: PyValue, autospace: boolean): string {
  if (!isDict(value)) {
    throw noAttribute(ctx, value, "items");
  }
  const parts: string[] = [];
  for (const [key, item] of value.entries()) {
    if (item === null || isUndefined(item)) {
      continue;
    }
    const name = textOf(key);
    if (name === undefined) {
      throw typeError(`expected string or bytes-like object, got '${typeName(key)}'`);
    }
    if (/[ \t\n\r\f\v/>=]/.test(name)) {
      throw valueError(`Invalid character in attribute name: ${reprText(name)}`);
    }
    parts.push(`${escape(ctx, key).text}="${escape(ctx, item).text}"`);
  }
  const text = parts.join(" ");
  ctx.budget.grow(text.length);
  return autospace && text !== "" ? ` ${text}` : text;
}

const word = "[\\p{L}\\p{N}_%-]";
const httpUrl = new RegExp(
  `^(?:(?:https?://|www\\.)(?:(?:${word}+\\.)+)?(?:[a-z]{2,63}|xn--[\\p{L}\\p{N}_%]{2,59})` +
    `|(?:${word}{2,63}\\.)+(?:com|net|int|edu|gov|org|info|mil)` +
    "|https?://(?:\\p{Nd}{1,3}(?:\\.\\p{Nd}{1,3}){3}|\\[(?:[\\p{Nd}a-f]{0,4}:){2}(?:[\\p{Nd}a-f]{0,4}:?){1,6}\\])" +
    `)(?::\\p{Nd}{1,5})?(?:[/?#][^${spaceClass}]*)?$`,
  "iu",
);
const email = new RegExp(`^[^${spaceClass}]+@[\\p{L}\\p{N}_][\\p{L}\\p{N}_.-]*\\.[\\p{L}\\p{N}_]+$`, "u");
const spaces = new RegExp(`([${spaceClass}]+)`, "u");
const leading = /^(?:[(<]|&lt;)+/;

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Where the closing marks at the end of a word begin. */
function tailStart(text: string): number {
  let end = text.length;
  for (;;) {
    if (/[)>.,\n]/.test(text.charAt(end - 1))) {
      end -= 1;
    } else if (text.endsWith("&gt;", end)) {
      end -= 4;
    } else {
      return end;
    }
  }
}

/** Gives closing brackets back to a word that has more opening ones. */
function balance(word_: string, tail: string): [string, string] {
  let middle = word_;
  let rest = tail;
  for (const [open, close] of [
    ["(", ")"],
    ["<", ">"],
    ["&lt;", "&gt;"],
  ] as const) {
    const opened = count(middle, open);
    if (opened <= count(middle, close)) {
      continue;
    }
    let end = 0;
    for (let left = Math.min(opened, count(rest, close)); left > 0; left -= 1) {
      end = rest.indexOf(close, end) + close.length;
    }
    middle += rest.slice(0, end);
    rest = rest.slice(end);
  }
  return [middle, rest];
}

interface LinkOptions {
  readonly attributes: string;
  /** The text of a link. */
  readonly shown: (url: string) => string;
  readonly schemes: readonly string[];
}

function link(middle: string, { attributes, shown, schemes }: LinkOptions): string {
  if (httpUrl.test(middle)) {
    const scheme = /^https?:\/\//.test(middle) ? "" : "https://";
    return `<a href="${scheme}${middle}"${attributes}>${shown(middle)}</a>`;
  }
  if (middle.startsWith("mailto:") && email.test(middle.slice(7))) {
    return `<a href="${middle}">${middle.slice(7)}</a>`;
  }
  if (/^(?!www\.|@)[^:]*@[^:]*$/.test(middle) && email.test(middle)) {
    return `<a href="mailto:${middle}">${middle}</a>`;
  }
  let text = middle;
  for (const scheme of schemes) {
    if (text !== scheme && text.startsWith(scheme)) {
      text = `<a href="${text}"${attributes}>${text}</a>`;
    }
  }
  return text;
}

function urlize(
  ctx: PyContext,
  [value = null, limit = null, nofollow = false, target = null, rel = null, schemes = null]: readonly (
    | PyValue
    | undefined
  )[],
): string {
  const relText = truth(rel) ? textOf(rel) : "";
  if (relText === undefined) {
    throw new PyError("AttributeError", `'${typeName(rel)}' object has no attribute 'split'`);
  }
  const rels = new Set([...split(relText, null, -1), ...(truth(nofollow) ? ["nofollow"] : []), "noopener"]);
  const relAttribute = escapeText([...rels].sort(compareTexts).join(" "));
  const schemeTexts = (schemes === null ? [] : listOf(ctx, schemes)).map((scheme) => {
    const text = textOf(scheme);
    if (text === undefined) {
      throw typeError(`expected string or bytes-like object, got '${typeName(scheme)}'`);
    }
    if (!/^[\p{L}\p{N}_.+-]{2,}:\/{0,2}$/u.test(text)) {
      throw filterArgumentError(`${reprText(text)} is not a valid URI scheme prefix.`);
    }
    return text;
  });
  const options: LinkOptions = {
    attributes: ` rel="${relAttribute}"${truth(target) ? ` target="${escape(ctx, target).text}"` : ""}`,
    shown: (url) =>
      limit !== null && order(ctx, ">", codePointCount(url), limit)
        ? `${textOf(firstPart(ctx, url, limit))}...`
        : url,
    schemes: schemeTexts,
  };
  const escaped = escape(ctx, value).text;
  ctx.budget.collect(escaped.length);
  const words = escaped.split(spaces).map((text) => {
    const head = leading.exec(text)?.[0] ?? "";
    const body = text.slice(head.length);
    const end = tailStart(body);
    const [middle, tail] = balance(body.slice(0, end), body.slice(end));
    ctx.budget.step(schemeTexts.length);
    return head + link(middle, options) + tail;
  });
  const result = words.join("");
  ctx.budget.grow(result.length);
  return result;
}

export const webFilters: Readonly<Record<string, PyFilter>> = {
  urlencode: filter("do_urlencode(value)", (ctx, [value = null]) => urlEncode(ctx, value)),
  urlize: filter(
    "*do_urlize(value, trim_url_limit=, nofollow=, target=, rel=, extra_schemes=)",
    (ctx, args) => markedUp(ctx, urlize(ctx, args)),
  ),
  xmlattr: filter("*do_xmlattr(d, autospace=)", (ctx, [value = null, autospace = true]) =>
    markedUp(ctx, xmlAttributes(ctx, value, truth(autospace))),
  ),
};
