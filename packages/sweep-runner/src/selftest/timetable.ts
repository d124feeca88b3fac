/** When a timetable server writes, and what. */
export interface Timetable {
  /** From the arrival of a request to its first token, ms. */
  readonly firstMs: number;
  /** From one token to the next, ms; 0 writes as fast as the connections take it. */
  readonly everyMs: number;
  /** Tokens of each answer. */
  readonly tokens: number;
  /** Events in one write. */
  readonly eventsPerWrite: number;
}

export type ToTimetable =
  | {
      readonly type: "timetable";
      readonly timetable: Timetable;
      /** Stamps count from here, ns of the monotonic clock. */
      readonly startNs: bigint;
    }
  /** Stands still for so long: nothing is read, answered or accepted. */
  | { readonly type: "freeze"; readonly ms: number }
  | { readonly type: "report" };

export type FromTimetable =
  | { readonly type: "listening"; readonly port: number }
  | { readonly type: "report"; readonly report: TimetableReport };

/** How well a timetable server kept its own times since it was given them. */
export interface TimetableReport {
  readonly writes: number;
  readonly latenessMs: { readonly p50: number; readonly p99: number; readonly max: number };
}
