import { split } from "./methods/str-split.ts";
import type { PyContext } from "./value.ts";

/** The names of U+00A0 to U+00FF in their order; they count without a semicolon too. */
const latin =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute " +
  "micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring " +
  "AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml " +
  "times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil " +
  "egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash " +
  "ugrave uacute ucirc uuml yacute thorn yuml";

/** Other names, with their code points. */
const others =
  "QUOT=22 quot=22 AMP=26 amp=26 apos=27 LT=3c lt=3c GT=3e gt=3e COPY=a9 REG=ae OElig=152 oelig=153 Scaron=160 " +
  "scaron=161 Yuml=178 fnof=192 circ=2c6 tilde=2dc Alpha=391 Beta=392 Gamma=393 Delta=394 Epsilon=395 Zeta=396 " +
  "Eta=397 Theta=398 Iota=399 Kappa=39a Lambda=39b Mu=39c Nu=39d Xi=39e Omicron=39f Pi=3a0 Rho=3a1 Sigma=3a3 " +
  "Tau=3a4 Upsilon=3a5 Phi=3a6 Chi=3a7 Psi=3a8 Omega=3a9 alpha=3b1 beta=3b2 gamma=3b3 delta=3b4 epsilon=3b5 " +
  "zeta=3b6 eta=3b7 theta=3b8 iota=3b9 kappa=3ba lambda=3bb mu=3bc nu=3bd xi=3be omicron=3bf pi=3c0 rho=3c1 " +
  "sigmaf=3c2 sigma=3c3 tau=3c4 upsilon=3c5 phi=3c6 chi=3c7 psi=3c8 omega=3c9 thetasym=3d1 upsih=3d2 piv=3d6 " +
  "ensp=2002 emsp=2003 thinsp=2009 zwnj=200c zwj=200d lrm=200e rlm=200f ndash=2013 mdash=2014 lsquo=2018 " +
  "rsquo=2019 sbquo=201a ldquo=201c rdquo=201d bdquo=201e dagger=2020 Dagger=2021 bull=2022 hellip=2026 " +
  "permil=2030 prime=2032 Prime=2033 lsaquo=2039 rsaquo=203a oline=203e frasl=2044 euro=20ac image=2111 " +
  "weierp=2118 real=211c trade=2122 alefsym=2135 larr=2190 uarr=2191 rarr=2192 darr=2193 harr=2194 crarr=21b5 " +
  "lArr=21d0 uArr=21d1 rArr=21d2 dArr=21d3 hArr=21d4 forall=2200 part=2202 exist=2203 empty=2205 nabla=2207 " +
  "isin=2208 notin=2209 ni=220b prod=220f sum=2211 minus=2212 lowast=2217 radic=221a prop=221d infin=221e " +
  "ang=2220 and=2227 or=2228 cap=2229 cup=222a int=222b there4=2234 sim=223c cong=2245 asymp=2248 ne=2260 " +
  "equiv=2261 le=2264 ge=2265 sub=2282 sup=2283 nsub=2284 sube=2286 supe=2287 oplus=2295 otimes=2297 perp=22a5 " +
  "sdot=22c5 lceil=2308 rceil=2309 lfloor=230a rfloor=230b lang=2329 rang=232a loz=25ca spades=2660 clubs=2663 " +
  "hearts=2665 diams=2666";

/** Names that count without a semicolon. */
const bare = new Set(`${latin} amp AMP lt LT gt GT quot QUOT COPY REG`.split(" "));

/** What numbers from 128 to 159 mean: the characters of Windows-1252. */
const windows = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

let names: ReadonlyMap<string, string> | undefined;

function namedCharacters(): ReadonlyMap<string, string> {
  names ??= new Map([
    ...latin.split(" ").map((name, index): [string, string] => [name, String.fromCharCode(0xa0 + index)]),
    ...others.split(" ").map((pair): [string, string] => {
      const [name = "", code = ""] = pair.split("=");
      return [name, String.fromCharCode(Number.parseInt(code, 16))];
    }),
  ]);
  return names;
}

function numbered(code: number): string {
  if (code === 0 || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
    return "\ufffd";
  }
  if (code === 13) {
    return "\r";
  }
  if (code >= 0x80 && code <= 0x9f) {
    return windows.charAt(code - 0x80);
  }
  const control = code < 9 || code === 11 || (code > 13 && code < 32) || code === 127;
  return control || (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) === 0xfffe
    ? ""
    : String.fromCodePoint(code);
}

function named(reference: string): string {
  const closed = reference.endsWith(";");
  const whole = namedCharacters().get(closed ? reference.slice(0, -1) : "");
  if (whole !== undefined) {
    return whole;
  }
  // The longest beginning that is a name of its own.
  for (let length = reference.length; length > 1; length -= 1) {
    const name = reference.slice(0, length);
    const character = bare.has(name) ? namedCharacters().get(name) : undefined;
    if (character !== undefined) {
      return character + reference.slice(length);
    }
  }
  return `&${reference}`;
}

const reference = /&(#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[^\t\n\f <&#;]{1,32};?)/g;

/** `html.unescape`, for the numbers and for the names of HTML 4. */
export function unescapeText(text: string): string {
  return text.replace(reference, (_all, body: string) => {
    if (!body.startsWith("#")) {
      return named(body);
    }
    const digits = body.slice(1).replace(";", "");
    return numbered(/^x/i.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits));
  });
}

const open = "<!--";
const close = "-->";

/** Without comments. What stands around one may make another when it is gone. */
function dropComments(text: string): string {
  let kept = "";
  let at = 0;
  for (;;) {
    let joined = 0;
    for (let size = Math.min(3, kept.length); size > 0 && joined === 0; size -= 1) {
      joined = kept.slice(-size) + text.slice(at, at + 4 - size) === open ? size : 0;
    }
    const start = joined > 0 ? at : text.indexOf(open, at);
    if (start < 0) {
      return kept + text.slice(at);
    }
    const near = (kept.slice(kept.length - joined) + text.slice(start, start + 3)).indexOf(close);
    const end = joined > 0 && near >= 0 ? start + near - joined : text.indexOf(close, start);
    if (end < 0) {
      return kept + text.slice(at);
    }
    kept = joined > 0 ? kept.slice(0, -joined) : kept + text.slice(at, start);
    at = end + close.length;
  }
}

function dropTags(text: string): string {
  let kept = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf("<", at);
    const end = start < 0 ? -1 : text.indexOf(">", start);
    if (end < 0) {
      return kept + text.slice(at);
    }
    kept += text.slice(at, start);
    at = end + 1;
  }
}

/** `Markup(text).striptags()`. */
export function stripTags(ctx: PyContext, text: string): string {
  ctx.budget.step(text.length >> 1);
  const plain = dropTags(dropComments(text));
  return unescapeText(split(plain, null, -1).join(" "));
}
