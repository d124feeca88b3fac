import { FIXED_CLASS } from "./fixed-class.ts";

/** What an output is made of decides how well it can be drafted: acceptance is never one number without its content. */
export const CONTENT_TYPES = ["code", "copy", "prose", "extraction"] as const;

export type ContentType = (typeof CONTENT_TYPES)[number];

const ARTICLE =
  "The harbour at Lindwick was dredged in 1911 and again in 1964. Its two piers are 340 and 415 metres long. About 1,250 " +
  "boats call there in a year, most of them between May and September. The pilot station has a crew of nine, and the light on " +
  "the east pier shows two white flashes every ten seconds. A ferry crosses to the island of Sorrel three times a day; the " +
  "crossing takes 55 minutes and costs 18 crowns.";

const CODE = [
  "Write a function in TypeScript that merges two sorted lists of numbers into one.",
  "Write a Python class for a queue with a fixed capacity that drops its oldest entry when it is full.",
  "Write a function in JavaScript that parses a query string into an object.",
  "Write a SQL query that lists the ten customers with the largest sum of orders in the last year.",
  "Write a function in Rust that counts the words of a text.",
  "Write a shell script that deletes all files in a folder that are older than a week.",
  "Write a function in Go that reads lines from a file and returns those that match a pattern.",
  "Write a TypeScript type guard for an object with the fields id (number) and name (string).",
];

const PROSE = [
  "Tell a short story about a lighthouse keeper who finds a letter in a bottle.",
  "Describe a market in the rain on an autumn morning.",
  "Explain to a child why the sea is salty.",
  "Write a letter to a friend about a long train journey.",
  "Describe the most peaceful room that you can imagine.",
  "Tell the story of a clock that always ran five minutes late.",
  "Explain how bread is made, step by step.",
  "Write about the first day of a new school year.",
];

const EXTRACTIONS = [
  "List every number in the text, one per line.",
  "List every name of a place in the text, one per line.",
  "Give the years in the text as a JSON list.",
  "Give the length of each pier as JSON with the keys short and long.",
  "How long does the crossing take, and what does it cost? Answer with a JSON object.",
  "Copy the sentence about the light.",
  "List the months that are named in the text.",
  "How many people work at the pilot station? Answer with the sentence that says so.",
];

const COPIES = Array.from({ length: 8 }, (_, index) => {
  const lines = FIXED_CLASS.split("\n");
  const part = lines.slice(0, 16 + index * 6).join("\n");
  return `${part}\n\nRepeat the code above word for word, and write nothing else.`;
});

/** Prompts of each type. */
export const CONTENT_PROMPTS: Readonly<Record<ContentType, readonly string[]>> = {
  code: CODE,
  copy: COPIES,
  prose: PROSE,
  extraction: EXTRACTIONS.map((task) => `${ARTICLE}\n\n${task}`),
};
