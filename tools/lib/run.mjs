// Child processes of the repository's own scripts: output goes to the terminal, a failure ends the script.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A command that did not exit with 0; what it printed has been shown already. */
export class CommandFailed extends Error {
  constructor(command, code) {
    super(`${command} ended with ${code}`);
    this.name = "CommandFailed";
    this.code = code;
  }
}

/** Runs a command with the terminal's streams and resolves when it exits with 0. */
export function run(command, args, { cwd = root, env = {}, stdio = "inherit" } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio, env: { ...process.env, ...env } });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (code === 0) resolve();
      else reject(new CommandFailed([command, ...args].join(" "), signal ?? code));
    });
  });
}

/** Runs a command and resolves with its exit code and all that it printed. */
export function capture(command, args, { cwd = root, env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (output += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

/** The body of a script: one line on stderr and exit code 1 when a command failed. */
export async function main(body) {
  try {
    await body();
  } catch (error) {
    console.error(error instanceof CommandFailed ? `onpar: ${error.message}` : error);
    process.exitCode = 1;
  }
}
