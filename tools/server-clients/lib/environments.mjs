// Python environments, one for each client: what one of them needs may contradict what another does.
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { capture } from "../../lib/run.mjs";

/** A client that could not be installed or did not end well; the message ends with what it printed last. */
export class ClientFailed extends Error {
  constructor(what, output = "") {
    const last = output.trim().split("\n").slice(-15).join("\n");
    super(last === "" ? what : `${what}:\n${last}`);
    this.name = "ClientFailed";
  }
}

/** Runs a program to its end and gives what it printed. */
export async function must(program, args, options) {
  const { code, output } = await capture(program, args, options);
  if (code !== 0) throw new ClientFailed(`${path.basename(program)} ended with ${code}`, output);
  return output;
}

export class Environments {
  #folder;
  #python;

  constructor(folder, python) {
    this.#folder = path.resolve(folder);
    this.#python = python;
  }

  /** The environment of a client, made where it is missing; null for one that needs none. */
  async of({ name, packages }) {
    if (packages === undefined) return null;
    const folder = path.join(this.#folder, name);
    const bin = path.join(folder, "bin");
    if (!existsSync(bin)) {
      mkdirSync(this.#folder, { recursive: true });
      await must(this.#python, ["-m", "venv", folder]);
    }
    const python = path.join(bin, "python");
    await must(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages]);
    const script = "import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))";
    const version = (await must(python, ["-c", script, packages[0].replace(/\[.*/u, "")])).trim();
    return { bin, python, version };
  }
}
