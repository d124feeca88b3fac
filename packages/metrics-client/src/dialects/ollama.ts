import type { Dialect } from "./dialect.ts";
import { unmeasured } from "./unmeasured.ts";

/** Ollama has no metrics page, and drops its runner's draft counts from its answers. */
export const ollama: Dialect = unmeasured(
  { engine: "ollama", title: "Ollama", enabling: null, recognises: () => false },
  "Ollama has no metrics page, and its answers carry no draft counts: its acceptance cannot be read",
);
