/**
 * Decides when node-llama-cpp evaluates what is queued. The engine works in steps and knows how many sequences take part
 * in the next evaluation. A single one is evaluated at once; several are gathered until they all have queued, which they
 * do before the event loop goes on.
 */
export class DispatchGate {
  /** How many sequences the next evaluation will have. */
  expected = 0;

  readonly schedule = (dispatch: () => void): void => {
    if (this.expected === 1) dispatch();
    else setImmediate(dispatch);
  };
}
