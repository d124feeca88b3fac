/** One thing that was checked. */
export interface Check {
  readonly name: string;
  readonly passed: boolean;
  /** What was found, in a sentence; always, so that a passed check tells its value. */
  readonly message: string;
}

/** Checks as JUnit XML, which CI systems show as tests. */
export function junitXml(suite: string, checks: readonly Check[]): string {
  const failures = checks.filter(({ passed }) => !passed).length;
  const cases = checks.map(({ name, passed, message }) => {
    const open = `    <testcase classname="${xml(suite)}" name="${xml(name)}"`;
    return passed
      ? `${open}><system-out>${xml(message)}</system-out></testcase>`
      : `${open}><failure message="${xml(message)}"/></testcase>`;
  });
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${checks.length}" failures="${failures}">`,
    `  <testsuite name="${xml(suite)}" tests="${checks.length}" failures="${failures}" errors="0" skipped="0">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
  ].join("\n")}\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text for XML and HTML, in elements and in quoted attributes. Characters that XML cannot hold become spaces. */
export function xml(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, " ")
      .replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? "")
  );
}
