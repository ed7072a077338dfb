/** Prunes a mail root once, and kills itself just before a given change of the disk. Mail may arrive meanwhile. */
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pruneFolders } from "../../../src/maildir/prune-folders.ts";
import { followFsSteps } from "../../support/fs-steps.ts";
import { patchFs } from "../../support/patch-fs.ts";

export interface PruneOrder {
  readonly root: string;
  /** Counted from 1; undefined: lives on to the end. */
  readonly killAt: number | undefined;
  /** A letter for this address is written into the folder that was just moved aside, as a sender does that is slow. */
  readonly late?: { readonly address: string; readonly name: string; readonly text: string } | undefined;
}

/** A file beside the mail root that says that the late letter arrived. */
const LATE_CAME = "late-letter-came";

const { root, killAt, late } = JSON.parse(process.argv[2] ?? "") as PruneOrder;
if (late !== undefined) {
  patchFs((real) => ({
    renameSync(from: string, to: string) {
      real.renameSync(from, to);
      if (!to.includes(`.pruning.${late.address}.`)) return;
      real.writeFileSync(join(to, "tmp", late.name), late.text);
      real.renameSync(join(to, "tmp", late.name), join(to, "new", late.name));
      real.writeFileSync(join(root, "..", LATE_CAME), "");
    },
  }));
}
let steps = 0;
followFsSteps(() => {
  steps += 1;
  if (steps === killAt) process.kill(process.pid, "SIGKILL");
});
const pruned = pruneFolders({ root, self: "pruner", nowMs: Date.now(), olderThanDays: 30, uuid: randomUUID });
process.send?.({ steps, pruned, left: readdirSync(root) }, () => process.exit());
