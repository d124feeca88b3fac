export type { Acceptance, AcceptanceSource, SpecDecodeCounts } from "./acceptance.ts";
