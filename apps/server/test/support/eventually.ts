import { vi } from "vitest";

/** Waits until `check` holds; patient, because a busy machine may take half a minute to load a model. */
export function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000 });
}
