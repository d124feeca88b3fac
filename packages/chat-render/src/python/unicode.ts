/*
 * Python's classes of characters and its mappings of case, from what the JavaScript engine knows of Unicode. An engine
 * of a newer Unicode version than Python's (14.0 in Python 3.11) calls more characters letters or printable.
 */

const notPrintable = /[\p{C}\p{Zl}\p{Zp}\p{Zs}]/u;

/** str.isprintable of one character. */
export function isPrintable(character: string): boolean {
  return character === " " || !notPrintable.test(character);
}

/** What str.isspace and str.strip call white space, for use in a character class. U+FEFF is none. */
export const spaceClass = "\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

const space = new RegExp(`[${spaceClass}]`);

/** The same of one UTF-16 unit. */
export function isSpaceUnit(unit: number): boolean {
  if (unit < 0x85) {
    return unit === 32 || (unit >= 9 && unit <= 13) || (unit >= 28 && unit <= 31);
  }
  return space.test(String.fromCharCode(unit));
}

/** Digits that are no decimals: superscripts, circled digits and their like. */
const digits =
  "\\xb2\\xb3\\xb9\\u1369-\\u1371\\u19da\\u2070\\u2074-\\u2079\\u2080-\\u2089\\u2460-\\u2468\\u2474-\\u247c" +
  "\\u2488-\\u2490\\u24ea\\u24f5-\\u24fd\\u24ff\\u2776-\\u277e\\u2780-\\u2788\\u278a-\\u2792\\u{10a40}-\\u{10a43}" +
  "\\u{10e60}-\\u{10e68}\\u{11052}-\\u{1105a}\\u{1f100}-\\u{1f10a}";
/** Ideographs that are numbers. */
const numerals =
  "㐅㒃㠪㭍一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁-叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰阡陆陌陸零" +
  "\\uf96b\\uf973\\uf978\\uf9b2\\uf9d1\\uf9d3\\uf9fd\\u{20001}\\u{20064}\\u{200e2}\\u{20121}\\u{2092a}\\u{20983}\\u{2098c}" +
  "\\u{2099c}\\u{20aea}\\u{20afd}\\u{20b19}\\u{22390}\\u{22998}\\u{23b1b}\\u{2626d}\\u{2f890}";

function all(characters: string): RegExp {
  return new RegExp(`^[${characters}]+$`, "u");
}

/** The methods of str that ask whether all characters are of a class; an empty text is of none. */
export const classPatterns: Readonly<Record<string, RegExp>> = {
  isalnum: all(`\\p{L}\\p{N}${numerals}`),
  isalpha: all("\\p{L}"),
  isdecimal: all("\\p{Nd}"),
  isdigit: all(`\\p{Nd}${digits}`),
  isidentifier: /^[\p{XID_Start}_]\p{XID_Continue}*$/u,
  isnumeric: all(`\\p{N}${numerals}`),
  isspace: all(spaceClass),
};

const upper = /[\p{Uppercase}\p{Lt}]/u;
const upperOnly = /\p{Uppercase}/u;
const lower = /\p{Lowercase}/u;
const lowerOrTitle = /[\p{Lowercase}\p{Lt}]/u;
const cased = /[\p{Uppercase}\p{Lowercase}\p{Lt}]/u;

export function isLower(text: string): boolean {
  return lower.test(text) && !upper.test(text);
}

export function isUpper(text: string): boolean {
  return upperOnly.test(text) && !lowerOrTitle.test(text);
}

export function isTitle(text: string): boolean {
  let inWord = false;
  let found = false;
  for (const character of text) {
    if (upper.test(character)) {
      if (inWord) {
        return false;
      }
      inWord = true;
      found = true;
    } else if (lower.test(character)) {
      if (!inWord) {
        return false;
      }
      found = true;
    } else {
      inWord = false;
    }
  }
  return found;
}

/** The title case of one character, which may be several. */
function titleOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) {
    return character.toUpperCase();
  }
  if (code >= 0x10d0 && code <= 0x10ff) {
    return character;
  }
  // Digraphs have a third form between their two.
  if (code >= 0x1c4 && code <= 0x1cc) {
    return String.fromCharCode(0x1c5 + Math.floor((code - 0x1c4) / 3) * 3);
  }
  if (code >= 0x1f1 && code <= 0x1f3) {
    return "\u01f2";
  }
  const capital = character.toUpperCase();
  const [first = "", ...rest] = capital;
  if (rest.length === 0 || first === "\u02bc") {
    return capital;
  }
  if (code >= 0x1f80 && code <= 0x1fff && capital.endsWith("\u0399")) {
    // Greek letters with an iota below keep it below, in one character where there is one.
    if (code <= 0x1faf) {
      return String.fromCharCode(code | 8);
    }
    const low = code & 0xf;
    return low === 3
      ? String.fromCharCode(code + 9)
      : low === 12
        ? character
        : capital.replace(/\u0399$/, "\u0345");
  }
  return first + rest.join("").toLowerCase();
}

/** A function for the lower case of one character of `text`, which for a sigma depends on where it stands. */
function lowering(text: string): (character: string, index: number) => string {
  // With İ, the only character whose lower case is longer, out of the way, the places stay the same.
  const small = text.includes("\u03a3") ? text.replaceAll("\u0130", "i").toLowerCase() : "";
  return (character, index) => (character === "\u03a3" ? small.charAt(index) : character.toLowerCase());
}

function mapCharacters(text: string, map: (character: string, index: number) => string): string {
  let result = "";
  let index = 0;
  for (const character of text) {
    result += map(character, index);
    index += character.length;
  }
  return result;
}

/** `str.title()`. */
export function titleCase(text: string): string {
  const lowered = lowering(text);
  let inWord = false;
  return mapCharacters(text, (character, index) => {
    const mapped = inWord ? lowered(character, index) : titleOf(character);
    inWord = cased.test(character);
    return mapped;
  });
}

/** `str.capitalize()`. */
export function capitalize(text: string): string {
  const [first] = text;
  if (first === undefined) {
    return "";
  }
  // The first character stays in front while the rest is lowered: it tells whether a sigma after it is a final one.
  return titleOf(first) + text.toLowerCase().slice(first.toLowerCase().length);
}

/** `str.swapcase()`. */
export function swapCase(text: string): string {
  const lowered = lowering(text);
  return mapCharacters(text, (character, index) =>
    upperOnly.test(character)
      ? lowered(character, index)
      : lower.test(character)
        ? character.toUpperCase()
        : character,
  );
}

const cherokee = /[\u13a0-\u13f5\u13f8-\u13fd\uab70-\uabbf]/;

/** `str.casefold()`. */
export function caseFold(text: string): string {
  return Array.from(text, (character) => {
    if (character === "\u0131") {
      return character;
    }
    if (character === "\u1e9e") {
      return "ss";
    }
    const capital = character.toUpperCase();
    // Cherokee folds to its capitals.
    return cherokee.test(character) ? capital : Array.from(capital, (one) => one.toLowerCase()).join("");
  }).join("");
}
