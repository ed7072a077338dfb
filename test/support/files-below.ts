import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Everything below a folder that is no folder itself, by path from it, sorted; none for a missing folder. Links are not followed. */
export function filesBelow(folder: string): string[] {
  const below = (path: string): string[] =>
    readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
      const inside = join(path, entry.name);
      return entry.isDirectory() ? below(inside) : inside;
    });
  return existsSync(folder) ? below("").sort() : [];
}
