import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Document } from "yaml";
import type { ConfigIssue, Place } from "./error.ts";
import type { ConfigLayer } from "./layers.ts";
import { isPlainObject } from "./values.ts";

/** A configuration file as it was read. */
export interface ConfigFile {
  /** As messages name it: the path that the user gave. */
  readonly name: string;
  /** YAML 1.2, or JSON, which is a part of it. */
  readonly text: string;
}

/** Longest file that is read, characters; one that a person writes stays far below it. */
export const MAX_CONFIG_CHARS = 1_048_576;
/** Most values, counted with what an alias repeats. */
const MAX_NODES = 100_000;
const MAX_DEPTH = 64;

class Reader {
  readonly origin = new Map<string, string>();
  readonly places = new Map<string, Place>();
  readonly issues: ConfigIssue[] = [];
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #name: string;
  #nodes = 0;

  constructor(document: Document, lines: LineCounter, name: string) {
    this.#document = document;
    this.#lines = lines;
    this.#name = name;
  }

  placeAt(offset: number): Place {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }

  refuse(path: string, place: Place, message: string): void {
    this.issues.push({ path, origin: placed(this.#name, place, path), message, place });
  }

  /** The settings of the document; nothing where it holds none. */
  read(): Record<string, unknown> {
    const { contents } = this.#document;
    if (contents === null || (isScalar(contents) && contents.value === null)) {
      return {};
    }
    if (!isMap(contents)) {
      this.refuse("", this.placeAt(contents.range?.[0] ?? 0), "expected settings, one `name: value` a line");
      return {};
    }
    const value = this.#value(contents, "", 0);
    return isPlainObject(value) ? value : {};
  }

  #value(node: unknown, path: string, depth: number): unknown {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES || depth > MAX_DEPTH) {
      throw new RangeError(
        this.#nodes > MAX_NODES ? `more than ${MAX_NODES} values` : `more than ${MAX_DEPTH} levels`,
      );
    }
    if (isAlias(node)) {
      const meant = node.resolve(this.#document);
      if (meant === undefined) {
        this.refuse(path, this.placeAt(node.range?.[0] ?? 0), `*${node.source} refers to nothing`);
        return undefined;
      }
      return this.#value(meant, path, depth + 1);
    }
    if (isMap(node)) {
      const entries = new Map<string, unknown>();
      for (const pair of node.items) {
        const key = isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
        const inner = path === "" ? key : `${path}.${key}`;
        // A repeated key is an error of the document already; what stands first is judged. Editors write `$schema`.
        if (!entries.has(key) && inner !== "$schema") {
          this.#mark(inner, pair.key);
          entries.set(key, this.#value(pair.value, inner, depth + 1));
        }
      }
      return Object.fromEntries(entries);
    }
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        this.#mark(`${path}.${index}`, item);
        return this.#value(item, `${path}.${index}`, depth + 1);
      });
    }
    // The words of a command are texts, whatever else they could be: the port 8000 is one.
    const isWord = path.startsWith("server.command.");
    return isScalar(node) ? (isWord ? (node.source ?? String(node.value)) : node.value) : null;
  }

  #mark(path: string, node: unknown): void {
    const start = isNode(node) ? node.range?.[0] : undefined;
    if (start !== undefined) {
      const place = this.placeAt(start);
      this.places.set(path, place);
      this.origin.set(path, placed(this.#name, place, path));
    }
  }
}

function placed(name: string, { line, column }: Place, path: string): string {
  return `${name}:${line}:${column}${path === "" ? "" : ` ${path}`}`;
}

/**
 * Reads a configuration file into a layer. Problems are carried in the layer with their line and column, and
 * `resolveConfig` reports them together with those of the other layers. After the first place where the text is no YAML
 * nothing is judged, because what it means is not certain.
 */
export function configLayerFromText({ name, text }: ConfigFile): ConfigLayer {
  const refused = (message: string, place: Place = { line: 1, column: 1 }): ConfigLayer => ({
    source: "file",
    value: {},
    issues: [{ path: "", origin: placed(name, place, ""), message, place }],
  });
  if (text.length > MAX_CONFIG_CHARS) {
    return refused(`has ${text.length} characters, and at most ${MAX_CONFIG_CHARS} are read`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    version: "1.2",
    strict: true,
    uniqueKeys: true,
  });
  const reader = new Reader(document, lines, name);
  let value: Record<string, unknown> = {};
  try {
    value = reader.read();
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof ReferenceError)) {
      throw error;
    }
    return refused(`cannot be read: ${error.message}`);
  }
  const problems = [...document.errors, ...document.warnings].map(({ code, message, pos }) => {
    const place = reader.placeAt(pos[0]);
    return {
      code,
      issue: { path: "", origin: placed(name, place, ""), message: `no valid YAML: ${message}`, place },
    };
  });
  // A repeated key or an unknown tag leaves the rest of the text as certain as it was.
  const first = problems.find(({ code }) => code !== "DUPLICATE_KEY" && code !== "TAG_RESOLVE_FAILED");
  const tagged = new Set(
    problems.filter(({ code }) => code === "TAG_RESOLVE_FAILED").map(({ issue }) => issue.place.line),
  );
  const isCertain = (path: string): boolean => {
    const place = reader.places.get(path);
    return (
      place !== undefined &&
      !tagged.has(place.line) &&
      (first === undefined || isBefore(place, first.issue.place))
    );
  };
  return {
    source: "file",
    value: keepCertain(value, "", isCertain),
    ...(first === undefined ? {} : { isPartial: true }),
    origin: reader.origin,
    places: reader.places,
    issues: [...reader.issues, ...problems.map(({ issue }) => issue)],
  };
}

function isBefore(place: Place, limit: Place): boolean {
  return place.line < limit.line;
}

function keepCertain(
  value: Record<string, unknown>,
  path: string,
  isCertain: (path: string) => boolean,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, inner]): [string, unknown, string] => [key, inner, path === "" ? key : `${path}.${key}`])
      .filter(([, , where]) => isCertain(where))
      .map(([key, inner, where]) => [
        key,
        isPlainObject(inner) ? keepCertain(inner, where, isCertain) : inner,
      ]),
  );
}
