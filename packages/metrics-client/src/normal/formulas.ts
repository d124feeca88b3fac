/**
 * Every formula by which a figure of acceptance may have come about. D drafted, A accepted without the bonus token, V verify
 * steps, A_i accepted at position i, G generated tokens, R requests with a first token, S decode steps, K draft budget,
 * tau mean acceptance length with the bonus token.
 */
export const FORMULAS = {
  "A/D": "accepted / drafted",
  "A/(V*K)": "accepted / (verify steps x draft budget): every step drafts the whole budget",
  "1+A/V": "1 + accepted / verify steps",
  "(G-R)/V": "(generated - requests) / verify steps: every decode step is a verify step",
  "A_i/V": "accepted at position i / verify steps",
  "A_i/D_i": "accepted at position i / drafted at position i",
  "D/V": "drafted / verify steps",
  "(G-R)/S": "(generated - requests) / decode steps",
  "(G-R)/(G-R-A)":
    "(generated - requests) / (generated - requests - accepted): each step gives one token that was not drafted",
  "(tau-1)/K": "(mean length - 1) / draft budget, for a chain of drafts",
  "(r*(K+1)-1)/K": "undoes a rate that counted the bonus token: (r x (K + 1) - 1) / K",
  "gauge:length": "the server's own mean length over its last window",
  "gauge:rate": "the server's own rate over its last window",
  "gauge:length:weighted": "the server's own mean length, weighted with the time it stood while requests ran",
  "gauge:rate:weighted": "the server's own rate, weighted with the time it stood while requests ran",
  "lifetime:length": "mean length since the start, from the server's own average",
  "lifetime:length:difference":
    "(tokens between) / (steps between), steps being tokens / average length at both ends",
  "engine:tokens-per-step": "the engine's own tokens per step of one request",
  "drafts:completion/V": "(completion tokens - 1) / verify steps of one request",
} as const;

export type FormulaId = keyof typeof FORMULAS;
