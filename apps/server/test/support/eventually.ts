import { vi } from "vitest";

/** Waits until `check` holds; patient, because a busy machine may take seconds for what takes milliseconds. */
export function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 15_000 });
}
