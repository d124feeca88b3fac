import { MetricsError } from "../errors.ts";

/**
 * The address of a metrics page, checked.
 *
 * @throws {MetricsError} `METRICS_URL_INVALID`
 */
export function metricsAddress(url: string | URL): string {
  if (!URL.canParse(String(url))) {
    throw new MetricsError(
      "METRICS_URL_INVALID",
      `${JSON.stringify(String(url))} is not a URL of a metrics page; it begins with http:// or https://`,
    );
  }
  const parsed = new URL(String(url));
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new MetricsError(
      "METRICS_URL_INVALID",
      `${parsed.protocol} is no protocol for metrics; begin the address with http:// or https://`,
    );
  }
  if (parsed.username !== "" || parsed.password !== "") {
    // It would end up in messages and results.
    throw new MetricsError(
      "METRICS_URL_INVALID",
      `the metrics URL for ${parsed.host} holds a user name or password; pass an authorization header instead`,
    );
  }
  return parsed.href;
}
