import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isErrno } from "./errno.ts";

/**
 * Opaque token of the time a process started: field 22 of `/proc/<pid>/stat` on Linux, `lstart` of `ps` on macOS.
 * Undefined on other systems, for a process that is gone, and where it can not be read.
 */
export function processStart(pid: number, platform: NodeJS.Platform): string | undefined {
  if (platform === "linux") return linuxStart(pid);
  if (platform === "darwin") return macStart(pid);
  return undefined;
}

/** True when a process with this id exists, also one of another user. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isErrno(error, "EPERM");
  }
}

function linuxStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
    const fromThird = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = fromThird[22 - 3];
    return ticks !== undefined && /^\d+$/.test(ticks) ? ticks : undefined;
  } catch {
    return undefined;
  }
}

function macStart(pid: number): string | undefined {
  const ps = spawnSync("ps", ["-o", "pid=,lstart=", "-p", String(pid)], {
    encoding: "utf8",
    env: { LC_ALL: "C", TZ: "UTC", PATH: "/bin:/usr/bin" },
    timeout: 2_000,
  });
  const [, shownPid, started] = /^\s*(\d+)\s+(.+?)\s*$/.exec(ps.stdout ?? "") ?? [];
  return shownPid === String(pid) ? started : undefined;
}
