/** Every exit code of `onpar`, and what it says. */
export const exitCodes = {
  ok: { code: 0, meaning: "measured, and the stated protocol was kept" },
  unexpected: { code: 1, meaning: "something went wrong that should not have: please report it" },
  usage: { code: 2, meaning: "a flag, a setting or a file is wrong" },
  unusable: {
    code: 3,
    meaning: "the server or engine cannot be used: unreachable, key refused, model unknown, request refused",
  },
  failures: { code: 4, meaning: "measured, but some requests failed or were never sent" },
  breach: {
    code: 5,
    meaning: "measured, but not as stated: the protocol was not kept, or counts contradict each other",
  },
  gate: { code: 6, meaning: "judged, and a limit was missed or a figure is worse than allowed" },
  incomparable: { code: 7, meaning: "compared, and not as comparable as was required" },
  interrupted: { code: 130, meaning: "interrupted; what was measured is kept and printed" },
} as const;

/** One of the numbers of {@link exitCodes}. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]["code"];
