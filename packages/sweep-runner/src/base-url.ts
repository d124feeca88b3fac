import { RunError } from "./errors.ts";

/**
 * The root of a server as its paths are appended to: without trailing slashes and without a trailing `/v1`.
 *
 * @throws {RunError} `TARGET_INVALID` for a URL with a user name or password, which would end up in records
 */
export function serverRoot(baseUrl: string): string {
  const url = new URL(baseUrl);
  if (url.username !== "" || url.password !== "") {
    throw new RunError(
      "TARGET_INVALID",
      `the base URL of ${url.host} carries a user name or password: take it out and put the key into an environment variable`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  return `${url.origin}${path}`;
}
