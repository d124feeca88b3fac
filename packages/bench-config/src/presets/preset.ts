import type { JsonValue } from "../protocol.ts";

/** A published protocol as data. */
export interface Preset {
  readonly name: string;
  /** What it measures, in one line. */
  readonly title: string;
  readonly source: {
    readonly title: string;
    readonly url: string;
    /** Date of the version that it was read from, `YYYY-MM-DD`. */
    readonly date: string;
  };
  /** The settings that make it, nested like the configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Settings that whoever runs it chooses; every other one that changes what is measured leaves the protocol. */
  readonly free: readonly string[];
  /** Steps of a ladder that the publisher ran: the setting and its values. */
  readonly ladder: { readonly field: string; readonly values: readonly JsonValue[] } | null;
  /** Where this program cannot do what the publisher does, or the publisher does not say what was done. */
  readonly departures: readonly string[];
}
