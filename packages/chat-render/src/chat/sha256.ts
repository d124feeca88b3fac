import { sha256 as hash } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** sha256 (hex) of a text in UTF-8. */
export function sha256(text: string): string {
  return bytesToHex(hash(utf8ToBytes(text)));
}
