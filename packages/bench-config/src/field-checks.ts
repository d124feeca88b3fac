import { isPlainObject } from "./values.ts";

/**
 * What a single value must fulfil beyond the schema. Each check gets a value that the schema accepts and answers
 * with what is wrong, or null.
 */
type FieldCheck = (value: unknown) => string | null;

function refuseCredentials(value: unknown): string | null {
  if (typeof value !== "string") {
    return null;
  }
  const url = new URL(value);
  return url.username === "" && url.password === ""
    ? null
    : "holds a user name or password, which would be stored with the result; put the key into an environment " +
        "variable and name it with --api-key-env";
}

function checkBaseUrl(value: unknown): string | null {
  const credentials = refuseCredentials(value);
  if (credentials !== null || typeof value !== "string") {
    return credentials;
  }
  const url = new URL(value);
  return url.search === "" && url.hash === ""
    ? null
    : "must end with the path: a server root has no ?query and no #part";
}

/** Names that every template gets anyway; transformers has them as parameters, so they cannot be variables. */
const fixedVariables = new Set(["messages", "tools", "documents", "add_generation_prompt"]);

function checkTemplateVariables(value: unknown): string | null {
  const names = isPlainObject(value) ? Object.keys(value) : [];
  const fixed = names.find((name) => fixedVariables.has(name));
  if (fixed !== undefined) {
    return `"${fixed}" is always passed to a template and cannot be set as a variable`;
  }
  return names.includes("__proto__") ? '"__proto__" cannot be the name of a variable' : null;
}

export const fieldChecks: ReadonlyMap<string, FieldCheck> = new Map([
  ["target.baseUrl", checkBaseUrl],
  ["target.metricsUrl", refuseCredentials],
  ["chatTemplateKwargs", checkTemplateVariables],
]);
