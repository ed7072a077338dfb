/** Installs the older Pis that the tests beside this file run on, where they are not there yet. */
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { installFolder, isInstalled, manifest, OLD_PIS, type OldPi } from "./versions.ts";

function install(pi: OldPi): void {
  const folder = installFolder(pi);
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(`${unfinished}/package.json`, JSON.stringify(manifest(pi), null, 2));
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const { status } = spawnSync("npm", args, { cwd: unfinished, stdio: "inherit" });
  if (status !== 0) throw new Error(`npm could not install Pi ${pi.version} in ${unfinished}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  renameSync(unfinished, folder);
}

for (const pi of OLD_PIS) if (!isInstalled(pi)) install(pi);
