/** Whether a header can be sent: a name by RFC 9110, and a value without control characters. */
export function isHeader(name: string, value: string): boolean {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/**
 * Request line and headers of every request to a place, up to the value of the last one, which is the length of the body.
 *
 * @throws {TypeError} for a header that cannot be sent
 */
export function requestHead(url: URL, headers: Readonly<Record<string, string>>): string {
  const lines = [`POST ${url.pathname}${url.search} HTTP/1.1`, `host: ${url.host}`];
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeader(name, value))
      throw new TypeError(
        `the header ${JSON.stringify(name)} holds a character that no HTTP header can carry`,
      );
    lines.push(`${name.toLowerCase()}: ${value}`);
  }
  return `${lines.join("\r\n")}\r\ncontent-length: `;
}
