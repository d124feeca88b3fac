import { describe, expect, it } from "vitest";
import { grammarFault } from "../src/text/gbnf.ts";

describe("grammarFault", () => {
  it.each([
    ["alternatives and a comment", 'root ::= "a" | [b-c] ws # end\nws ::= [ \\t\\n]*\n'],
    [
      "groups over lines and repetitions",
      'root ::= ("x" (b | "y"+)?\n | .){2,3} b{2} b{1,}\nb ::= [^\\]"a-]',
    ],
    ["escapes", 'root ::= "\\x41\\u00e9\\U0001F600\\"\\\\\\n\\[\\]\\-"'],
    ["tokens by id", "root ::= <[5]> | !<[6]>"],
    [
      "Windows line ends and an alternative on the next line",
      'root ::= "a" |\r\n "é" b-2\r\nb-2 ::= "b"\r\n',
    ],
    ["a rule that comes back after something was read", 'root ::= "(" root ")" | a\na ::= "a" | "b" a'],
    ["a repetition of a rule that other rules leave empty", "root ::= ws*\nws ::= [ \\t]*"],
    ["an empty alternative", 'root ::= | "a"'],
  ])("takes %s", (_name, grammar) => {
    expect(grammarFault(grammar)).toBeNull();
  });

  it.each([
    ["root ::= (", "line 1, column 10: this ( is not closed"],
    ['root ::= "a" )', "line 1, column 14: this ) closes nothing"],
    ['root ::= "a', "line 1, column 10: this string is not closed"],
    ["root ::= [a", "line 1, column 10: this [ is not closed"],
    ['root ::= "é" "\\q"', "line 1, column 15: there is no escape \\q"],
    ['root ::= "\\x4"', "line 1, column 11: \\x needs 2 hexadecimal digits"],
    ['root = "a"', "line 1, column 6: ::= should stand here"],
    ['root ::= "a"\n | "b"', "line 2, column 2: the name of a rule should stand here"],
    ['root ::= ws\nw ::= "a"', "line 1, column 10: there is no rule named ws"],
    ['a ::= "x"', "line 1, column 1: there is no rule named root"],
    ["", "line 1, column 1: there is no rule named root"],
    ["root ::= *", "line 1, column 10: there is nothing before this to repeat"],
    ['root ::= ""*', "line 1, column 12: there is nothing before this to repeat"],
    ['root ::= "a"{2,x}', "line 1, column 16: a number should stand here"],
    ['root ::= "a"{2', "line 1, column 15: } should stand here"],
    ['root ::= "a"{3,1}', "line 1, column 13: from 3 to 1 repetitions are none"],
    ['root ::= "a"{0,2001}', "line 1, column 13: at most 2000 repetitions are possible"],
    ['root ::= "a"{1,1000}{3}', "line 1, column 21: this makes more than 2000 rules: repeat less often"],
    ["root ::= <|im_end|>", "line 1, column 10: a token is named by its id, as in <[5]>"],
    ['root ::= root "a"', "line 1, column 10: the rule root refers to itself before it reads anything"],
    [
      'root ::= "a"? (b | "c") "d"\nb ::= c\nc ::= "x"* root',
      "line 3, column 12: the rule root refers to itself before it reads anything",
    ],
    [
      'root ::= b root | "x"\nb ::= | "y"',
      "line 1, column 12: the rule root refers to itself before it reads anything",
    ],
    ['root ::= "a"?+', "line 1, column 10: this repeats without end what may be empty"],
    ['root ::= ( | "a" )*', "line 1, column 10: this repeats without end what may be empty"],
    ['root ::= "a\0b"', "line 1, column 12: a NUL character ends the grammar"],
  ])("refuses %j", (grammar, fault) => {
    expect(grammarFault(grammar)).toBe(fault);
  });

  it("refuses groups so deep that reading them would end the process", () => {
    const nested = (depth: number) => `root ::= ${"(".repeat(depth)}"a"${")".repeat(depth)}`;
    expect(grammarFault(nested(256))).toBeNull();
    expect(grammarFault(nested(130_000))).toBe("line 1, column 266: groups are nested more than 256 deep");
  });
});
