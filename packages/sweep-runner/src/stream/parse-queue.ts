/**
 * Puts parsing off until every socket that is ready has been stamped: Node reads all ready sockets in one phase of its
 * loop and runs immediates in the next, so one stream's JSON never delays another stream's time stamps.
 */
export interface ParseQueue {
  /** Parses what `task` holds in the next immediate; a task that waits already is not added twice. */
  add(task: ParseTask): void;
}

export interface ParseTask {
  waiting: boolean;
  parse(): void;
}

export function createParseQueue(): ParseQueue {
  let tasks: ParseTask[] = [];
  const drain = (): void => {
    const ready = tasks;
    tasks = [];
    for (const task of ready) {
      task.waiting = false;
      task.parse();
    }
  };
  return {
    add(task) {
      if (task.waiting) return;
      task.waiting = true;
      tasks.push(task);
      if (tasks.length === 1) setImmediate(drain);
    },
  };
}
