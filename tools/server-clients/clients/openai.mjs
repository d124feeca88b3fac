// The openai package for Python: no load, but what programs do with it.
import { fileURLToPath } from "node:url";
import { must } from "../lib/environments.mjs";

const script = fileURLToPath(new URL("../openai_checks.py", import.meta.url));

export const openai = {
  name: "openai",
  packages: ["openai"],
  async run({ url, model, environment }) {
    const output = await must(environment.python, [script, url, model]);
    console.log(`openai ${environment.version}\n${output.trim()}`);
    return { problems: [] };
  },
};
