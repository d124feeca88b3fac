const LONGEST = 160;

/** Codes of errors, and what they mean for somebody who asked for a page. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there: is the server up, and is this its port?",
  ECONNRESET: "the connection was closed without an answer: does another program, or TLS, listen there?",
  UND_ERR_SOCKET:
    "the connection was closed before the answer was whole: does another program, or TLS, listen there?",
  ENOTFOUND: "there is no host of this name",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "there is no way to this host",
  ENETUNREACH: "there is no way to this host",
  UND_ERR_HEADERS_OVERFLOW: "its headers are too long",
  Z_BUF_ERROR: "the compressed answer was cut off",
  Z_DATA_ERROR: "the answer is not compressed as its header says",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed: name it in NODE_EXTRA_CA_CERTS",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is of an unknown authority: name that in NODE_EXTRA_CA_CERTS",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate is of an unknown authority: name that in NODE_EXTRA_CA_CERTS",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate is of an unknown authority: name that in NODE_EXTRA_CA_CERTS",
  CERT_HAS_EXPIRED: "its certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name",
};

/** Why a request failed, in one line, with what to do where that is known. */
export function connectionProblem(error: unknown, address: string): string {
  const cause = innermost(error);
  const code = codeOf(cause);
  const text = (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s+/g, " ").trim();
  const told = text.slice(0, LONGEST);
  if (/wrong version number|packet length too long|unknown protocol/i.test(text)) {
    return `no TLS is spoken there: try ${address.replace(/^https:/, "http:")}`;
  }
  if (code.startsWith("HPE_") || text.includes("does not match the HTTP"))
    return `what answers there is not HTTP (${told})`;
  const meaning = MEANINGS[code];
  return meaning === undefined ? told : `${code}, ${meaning}`;
}

/** The cause of a failed request says more than the failure itself. */
function innermost(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  return error instanceof Error && error.cause instanceof Error ? innermost(error.cause) : error;
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : "";
  return typeof code === "string" ? code : "";
}
