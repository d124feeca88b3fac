// What users install is the tarball, so the tarball is what is checked: publint and are-the-types-wrong on each.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { pnpmPath } from "./pnpm.mjs";
import { capture, root } from "./run.mjs";
import { workspaceFolders } from "./prepare.mjs";

const attw = path.join(root, "node_modules", ".bin", "attw");

/** One check for each published folder. */
export function checkTarballs() {
  return workspaceFolders()
    .filter((folder) => !folder.startsWith("tests"))
    .map((folder) => ({ name: `tarball of ${folder}`, run: () => checkTarball(path.join(root, folder)) }));
}

async function checkTarball(folder) {
  const target = mkdtempSync(path.join(tmpdir(), "onpar-pack-"));
  try {
    const packed = await capture(await pnpmPath(), ["pack", "--pack-destination", target], { cwd: folder });
    if (packed.code !== 0) return packed.output;
    const tarball = path.join(
      target,
      readdirSync(target).find((name) => name.endsWith(".tgz")),
    );
    const complaints = [...(await lintTarball(tarball)), ...(await typesOfTarball(tarball))];
    return complaints.length === 0 ? null : complaints.join("\n");
  } finally {
    rmSync(target, { recursive: true, force: true });
  }
}

async function lintTarball(tarball) {
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
    strict: true,
  });
  return messages.map((message) => `publint: ${formatMessage(message, pkg)}`);
}

async function typesOfTarball(tarball) {
  const { code, output } = await capture(attw, [
    tarball,
    "--profile",
    "esm-only",
    "--no-color",
    "--no-emoji",
  ]);
  return code === 0 ? [] : [output];
}
