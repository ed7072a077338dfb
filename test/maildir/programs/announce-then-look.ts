/** At each word "go": says in its running record whom it waits on, then looks who waits on whom, and tells the circle. */
import { waitingCycle } from "../../../src/mail/waiting.ts";
import { processStart } from "../../../src/maildir/process-start.ts";
import { findRunning, writeRecord } from "../../../src/maildir/running.ts";

export interface AnnounceOrder {
  readonly root: string;
  readonly self: string;
  readonly target: string;
}

const { root, self, target } = JSON.parse(process.argv[2] ?? "") as AnnounceOrder;
const started = processStart(process.pid, process.platform);
const announce = (waitingOn: string): void => {
  writeRecord(root, {
    address: self,
    cwd: "/",
    pid: process.pid,
    state: "busy",
    waitingOn,
    updated: "",
    ...(started === undefined ? {} : { started }),
  });
};
announce("");
process.on("message", (word) => {
  if (word === "go") {
    announce(target);
    process.send?.(waitingCycle(self, target, (address) => findRunning(root, address)?.waitingOn) ?? []);
  } else {
    announce("");
    process.send?.("clear");
  }
});
process.send?.("ready");
