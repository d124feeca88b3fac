/** Names under which a secret is sent or stored. */
const secretName =
  /(^|[-_.])(?:(?:authorization|cookie|api[-_]?key|secret|password|passwd|credential)s?($|[-_.])|token$)/iu;

/** Texts that are keys by their form: of OpenAI, Anthropic, Hugging Face, GitHub, and HTTP's two schemes. */
const secretForm = /\b(?:sk|hf|ghp|gho|xox[a-z])[-_][A-Za-z0-9_-]{8,}|^\s*(?:bearer|basic)\s+\S+/iu;

const everySecretForm = new RegExp(secretForm.source, "giu");

/** Whether a name says that its value is a secret: `Authorization`, `X-Api-Key`, `--hf-token`. */
export function isSecretName(name: string): boolean {
  return secretName.test(name.replace(/([a-z])([A-Z])/gu, "$1-$2"));
}

/** Whether a text is a key by its form. */
export function isSecretText(text: string): boolean {
  return secretForm.test(text);
}

/** A text for messages: the user part of a URL and whatever has the form of a key are left out. */
export function withoutSecrets(text: string): string {
  return text.replace(/\/\/[^/@]*@/gu, "//…@").replace(everySecretForm, "…");
}

const fromEnvironment = /^env:([A-Za-z_][A-Za-z0-9_]*)$/u;

/** The variable that a value `env:NAME` is read from; null for a value that stands for itself. */
export function variableOf(value: string): string | null {
  return fromEnvironment.exec(value)?.[1] ?? null;
}

/**
 * The headers as they are sent, with values from the environment filled in.
 *
 * @throws {RangeError} naming the header and the variable that is not set
 */
export function headersOf(
  headers: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const variable = variableOf(value);
      if (variable === null) {
        return [name, value];
      }
      const found = variables[variable];
      if (found === undefined || found === "") {
        throw new RangeError(`the header ${name} is read from the variable ${variable}, which is not set`);
      }
      return [name, found];
    }),
  );
}
