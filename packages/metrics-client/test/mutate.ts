/** Random numbers that a seed decides: 0 to below 1. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What the formats give a meaning to, and what servers have been seen to send. */
const MORSELS = [
  ...'{}[]",=#\\\n\r\t :_+-.0e'.split(""),
  "NaN",
  "-nan",
  "+Inf",
  "1e999",
  "# TYPE x counter\n",
  "# TYPE x gauge\n",
  "# HELP x y\n",
  "# EOF",
  "# EOF\n",
  '{"a.b",c="d"} 1\n',
  ' # {t="u"} 1 2',
  String.raw`\x`,
  "\uFEFF",
  "\u0000",
  "模",
  "\u{1F600}",
  "__proto__",
  'le="+Inf"',
  "9".repeat(400),
  'a="b",'.repeat(300),
];

/** Changes a page in one to four places. */
export function mutate(page: string, random: () => number): string {
  const below = (limit: number): number => Math.floor(random() * limit);
  let text = page;
  for (let changes = 1 + below(4); changes > 0; changes--) {
    const at = below(text.length + 1);
    const until = Math.min(text.length, at + below(40));
    const kind = below(7);
    if (kind === 0) text = text.slice(0, at) + text.slice(until);
    else if (kind === 1) text = text.slice(0, at) + (MORSELS[below(MORSELS.length)] ?? "") + text.slice(at);
    else if (kind === 2) text = text.slice(0, until) + text.slice(at);
    else if (kind === 3) text = text.slice(0, at) + String.fromCharCode(below(0x250)) + text.slice(at + 1);
    else if (kind === 4)
      text = text.slice(0, at) + (MORSELS[below(MORSELS.length)] ?? "") + text.slice(until);
    else if (kind === 5) text = swapLines(text, below);
    else text = text.slice(0, Math.max(1, at));
  }
  return text;
}

function swapLines(text: string, below: (limit: number) => number): string {
  const lines = text.split("\n");
  const [a, b] = [below(lines.length), below(lines.length)];
  [lines[a], lines[b]] = [lines[b] ?? "", lines[a] ?? ""];
  return lines.join("\n");
}
