import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

type Replacements = Partial<Record<keyof typeof fs, (...args: never[]) => unknown>>;

/**
 * Replaces functions of `node:fs` for every module of this process, also for those that imported them by name before.
 * The disk stays real: a replacement does something before or after the function it replaces.
 * @param make gets the functions as they were.
 * @returns puts them back.
 */
export function patchFs(make: (real: typeof fs) => Replacements): () => void {
  const real = { ...fs };
  const replacements = make(real);
  Object.assign(fs, replacements);
  syncBuiltinESMExports();
  return () => {
    for (const name of Object.keys(replacements) as (keyof typeof fs)[]) Object.assign(fs, { [name]: real[name] });
    syncBuiltinESMExports();
  };
}
