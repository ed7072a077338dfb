import type { RmOptions, WriteFileOptions } from "node:fs";
import { patchFs } from "./patch-fs.ts";

/** One change of the disk. */
export interface FsStep {
  readonly call: string;
  readonly path: string;
}

/**
 * Tells of each step by which this process changes the disk, just before it. Files are written in two halves, and folders
 * removed entry by entry, so that there is a moment in between. A call that changes nothing (a folder that is there
 * already, a file that is not) is no step.
 * @returns ends it.
 */
export function followFsSteps(onStep: (step: FsStep) => void): () => void {
  return patchFs((real) => {
    const openPaths = new Map<number, string>();
    const exists = (path: string): boolean => real.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    const step = <T>(call: string, path: string, work: () => T): T => {
      onStep({ call, path });
      return work();
    };
    const open = (path: string, flags: string | number, mode?: number): number => {
      const creates = typeof flags === "string" ? /[wax]/.test(flags) : (flags & real.constants.O_CREAT) !== 0;
      const work = () => real.openSync(path, flags, mode);
      const fd = creates && !exists(path) ? step("openSync", path, work) : work();
      openPaths.set(fd, path);
      return fd;
    };
    const pathOf = (fd: number): string => openPaths.get(fd) ?? `fd ${fd}`;
    /** A first write is a short one, as the system may do it: the caller has to write the rest. */
    const write = (fd: number, bytes: Uint8Array, offset = 0): number => {
      const length = offset === 0 && bytes.length > 1 ? bytes.length >> 1 : bytes.length - offset;
      return step("writeSync", pathOf(fd), () => real.writeSync(fd, bytes, offset, length));
    };
    const writeFile = (path: string, text: string, flag: string, mode: number): void => {
      const fd = open(path, flag, mode);
      try {
        const bytes = Buffer.from(text, "utf8");
        for (let at = 0; at < bytes.length; ) at += write(fd, bytes, at);
      } finally {
        real.closeSync(fd);
      }
    };
    const removeTree = (path: string): void => {
      if (real.lstatSync(path).isDirectory()) {
        for (const name of real.readdirSync(path)) removeTree(`${path}/${name}`);
        step("rmdirSync", path, () => real.rmdirSync(path));
      } else step("unlinkSync", path, () => real.unlinkSync(path));
    };
    return {
      openSync: open,
      writeSync: write,
      writeFileSync(path: string, text: string, options?: WriteFileOptions) {
        const { flag = "w", mode = 0o666 } = typeof options === "object" && options !== null ? options : {};
        writeFile(path, text, String(flag), Number(mode));
      },
      appendFileSync: (path: string, text: string) => writeFile(path, text, "a", 0o666),
      renameSync: (from: string, to: string) => step("renameSync", to, () => real.renameSync(from, to)),
      linkSync: (from: string, to: string) => step("linkSync", to, () => real.linkSync(from, to)),
      mkdirSync(path: string, options?: object) {
        const work = () => real.mkdirSync(path, options);
        return exists(path) ? work() : step("mkdirSync", path, work);
      },
      rmdirSync: (path: string) => step("rmdirSync", path, () => real.rmdirSync(path)),
      unlinkSync: (path: string) => step("unlinkSync", path, () => real.unlinkSync(path)),
      rmSync(path: string, options: RmOptions = {}) {
        if (!exists(path)) return real.rmSync(path, options);
        if (options.recursive === true) return removeTree(path);
        return step("rmSync", path, () => real.rmSync(path, options));
      },
      chmodSync: (path: string, mode: number) => step("chmodSync", path, () => real.chmodSync(path, mode)),
      fsyncSync: (fd: number) => step("fsyncSync", pathOf(fd), () => real.fsyncSync(fd)),
    };
  });
}
