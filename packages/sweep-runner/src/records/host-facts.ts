import { cpus, totalmem } from "node:os";
import type { HostFacts } from "./journal-format.ts";

/** Facts about the client's machine. */
export function hostFacts(): HostFacts {
  const processors = cpus();
  return {
    node: process.version,
    platform: process.platform,
    arch: process.arch,
    cpus: processors.length,
    cpuModel: processors[0]?.model ?? null,
    memoryBytes: totalmem(),
  };
}
