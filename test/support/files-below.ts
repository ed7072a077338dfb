import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Everything below a folder that is no folder itself, by path from it, sorted. Links are not followed. */
export function filesBelow(folder: string): string[] {
  const below = (path: string): string[] =>
    readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
      const inside = join(path, entry.name);
      return entry.isDirectory() ? below(inside) : inside;
    });
  return below("").sort();
}
