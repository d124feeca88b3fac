/** What a server printed last: enough to say why it ended. */
export interface LogTail {
  add(chunk: Buffer): void;
  /** The last lines, in order; control characters are left out. */
  lines(): readonly string[];
}

const LINE_LIMIT = 400;

/** Keeps the last lines of an output, and never more than `count` of them. */
export function createLogTail(count = 20): LogTail {
  const decoder = new TextDecoder();
  const kept: string[] = [];
  let open = "";
  const keep = (line: string): void => {
    const shown = readable(line);
    if (shown === "") return;
    kept.push(shown);
    if (kept.length > count) kept.shift();
  };
  return {
    add(chunk) {
      const parts = (open + decoder.decode(chunk, { stream: true })).split(/\r\n|\r|\n/);
      open = (parts.pop() ?? "").slice(-LINE_LIMIT);
      for (const part of parts) keep(part);
    },
    lines: () => (readable(open) === "" ? [...kept] : [...kept, readable(open)]),
  };
}

/** Colours and other control sequences, and single control characters. */
const CONTROL = new RegExp(String.raw`\u001b\[[\d;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]`, "g");

function readable(line: string): string {
  return line.replace(CONTROL, "").trimEnd().slice(0, LINE_LIMIT);
}
