import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../oracle.py", import.meta.url));

/** Python's Jinja2 in a process of its own that answers one batch after another. */
export class OracleProcess {
  #child;
  #waiting = [];

  constructor(python = process.env.PYTHON ?? "python3") {
    this.#child = spawn(python, [script, "serve"], { stdio: ["pipe", "pipe", "inherit"] });
    const fail = (error) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    };
    this.#child.on("error", fail);
    this.#child.on("exit", (code, signal) =>
      fail(new Error(`the oracle ended (${signal ?? code}): is jinja2 installed?`)),
    );
    this.#child.stdin.on("error", fail);
    createInterface({ input: this.#child.stdout }).on("line", (line) =>
      this.#waiting.shift()?.resolve(JSON.parse(line)),
    );
  }

  /** Results of these requests, in their order. */
  ask(requests) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.stdin.write(`${JSON.stringify(requests)}\n`);
    });
  }

  close() {
    this.#waiting.length = 0;
    this.#child.removeAllListeners("exit");
    this.#child.stdin.end();
  }
}
