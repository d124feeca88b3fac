import { z } from "zod";

/** Longest prompt, output or context that can be asked for, tokens: far over what any model takes. */
export const MAX_TOKENS = 2 ** 24;
export const MAX_INT32 = 2 ** 31 - 1;
/** A week, in seconds: longer is a mistake in the unit. */
export const MAX_SECONDS = 604_800;

/** The name of an environment variable. */
export const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

/** A text or null, where null means that nothing was said. */
export function optionalText(description: string) {
  return z.string().min(1).nullable().default(null).describe(description);
}

export function tokens(least: number) {
  return z.int().min(least).max(MAX_TOKENS);
}

export function seconds(most: number = MAX_SECONDS) {
  return z.number().min(0).max(most);
}

/** A list of texts. */
export function texts(most: number) {
  return z.array(z.string().min(1)).max(most);
}
