// node native/soak/run.mjs [requests]: the addon under AddressSanitizer in Node, and the engine without Node under
// AddressSanitizer (leaks included), UndefinedBehaviorSanitizer and ThreadSanitizer. Everything is built in a folder that
// is thrown away. A non-zero exit code is a finding.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildAddon, buildTestLibraries, testLibraryPath } from "../lib/build.js";
import { findCompiler } from "../lib/compile.js";

const total = process.argv[2] ?? "10000";
const here = fileURLToPath(new URL(".", import.meta.url));
const compiler = findCompiler();
if (compiler === null) throw new Error("a C++ compiler is needed");
const work = mkdtempSync(path.join(tmpdir(), "onpar-soak-build-"));
const model = path.join(work, "model");
mkdirSync(model);
writeFileSync(path.join(model, "test-engine.txt"), "test-engine\naccept=2,0,3,1\n");
const debug = ["-g", "-fno-omit-frame-pointer"];
let findings = 0;
/** Frames of the addon and of the test engine in a report. */
const OURS = /asan\.node|libvllm\.so|onpar::|native\/(?:src|test-engine)/u;

function report(name, result, started) {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const well = result.status === 0;
  if (!well) findings += 1;
  console.log(`${well ? "clean" : "FOUND"}  ${name} (${seconds} s): ${result.stdout.trim()}`);
  if (!well) console.log(result.stderr.slice(0, 20_000));
}

async function inNode() {
  const flags = [...debug, "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];
  const addon = path.join(work, "asan.node");
  await buildAddon({ target: addon, flags });
  await buildTestLibraries({ flags, folder: work, names: ["abi30"] });
  const runtime = (name) =>
    execFileSync(compiler.command, [...compiler.args, `-print-file-name=${name}`], {
      encoding: "utf8",
    }).trim();
  const started = performance.now();
  const result = spawnSync(
    process.execPath,
    [path.join(here, "requests.mjs"), addon, testLibraryPath("abi30", work), total],
    {
      encoding: "utf8",
      env: {
        ...process.env,
        LD_PRELOAD: [runtime("libasan.so"), runtime("libubsan.so"), runtime("libstdc++.so.6")].join(":"),
        ASAN_OPTIONS: "detect_leaks=1:halt_on_error=1:exitcode=99",
        // Node and V8 keep much until the end of the process: what counts is what the addon or the library took.
        LSAN_OPTIONS: "exitcode=0",
      },
      maxBuffer: 2 ** 28,
    },
  );
  const leaks = result.stderr.split(/\n\n/u).filter((block) => /leak of/u.test(block) && OURS.test(block));
  if (leaks.length > 0) {
    result.status = 1;
    result.stderr = leaks.join("\n\n");
  }
  report(
    `addon in Node, AddressSanitizer and UndefinedBehaviorSanitizer, ${total} requests`,
    result,
    started,
  );
}

async function withoutNode(name, sanitizer) {
  const folder = path.join(work, sanitizer);
  mkdirSync(folder);
  const flags = [...debug, `-fsanitize=${sanitizer}`];
  await buildTestLibraries({ flags, folder, names: ["abi30"] });
  const source = path.join(here, "..", "src");
  const program = path.join(folder, "engine-soak");
  const parts = readdirSync(source).filter((file) =>
    ["engine.cc", "keeper.cc", "library.cc", "model_params.cc", "utf8.cc", "whole_file.cc"].includes(file),
  );
  execFileSync(compiler.command, [
    ...compiler.args,
    "-std=c++17",
    "-O1",
    ...flags,
    path.join(here, "engine-soak.cc"),
    ...parts.map((file) => path.join(source, file)),
    "-pthread",
    "-ldl",
    "-o",
    program,
  ]);
  const started = performance.now();
  const suppressions = path.join(folder, "suppressions");
  // Storage of threads in an opened library: glibc frees what another thread had before, out of this tool's sight.
  writeFileSync(suppressions, "race:_dl_deallocate_tls\nrace:allocate_dtv_entry\n");
  const result = spawnSync(program, [testLibraryPath("abi30", folder), model, total], {
    encoding: "utf8",
    env: { ...process.env, TSAN_OPTIONS: `suppressions=${suppressions}` },
  });
  report(`engine without Node, ${name}, ${total} requests`, result, started);
}

try {
  await withoutNode("AddressSanitizer with leaks, UndefinedBehaviorSanitizer", "address,undefined");
  await withoutNode("ThreadSanitizer", "thread");
  await inNode();
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = findings === 0 ? 0 : 1;
