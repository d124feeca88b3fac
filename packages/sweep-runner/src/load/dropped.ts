import { NO_FINISH } from "../stream/finish.ts";
import { StreamTrace } from "../stream/stream-trace.ts";
import type { Exchanged } from "./recorder.ts";

const NOTHING = new StreamTrace();
const NO_TEXT = Buffer.alloc(0);

/** What is known of a request that was never sent. */
export function dropped(endNs: number): Exchanged {
  return {
    sentNs: null,
    headersNs: null,
    outcome: {
      endNs,
      status: null,
      connection: null,
      connectNs: null,
      attempts: 0,
      retryAfterS: null,
      finish: NO_FINISH,
      usage: null,
      tokenIdCount: null,
      acceptance: null,
      firstEosIndex: null,
      error: null,
      aborted: false,
      dropped: true,
    },
    columns: NOTHING,
    texts: { reasoning: NO_TEXT, content: NO_TEXT, tool: NO_TEXT },
  };
}
