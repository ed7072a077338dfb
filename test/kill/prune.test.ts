import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { closedMailbox, touchMailbox } from "../support/closed-mailbox.ts";
import { filesBelow } from "../support/files-below.ts";
import { originalEnvelope } from "../support/original-form.ts";
import { startProgram } from "../support/program.ts";
import { mailRootOf } from "./accounts.ts";
import { killEverywhere } from "./kill-points.ts";
import type { PruneOrder } from "./programs/prune.ts";

const letter = originalEnvelope({ from: "sender", to: "late", kind: "message" });
const KEPT = ["late", "unread", "young"];
const mailOf = (home: string) => filesBelow(mailRootOf(home)).filter((file) => KEPT.includes(file.split("/")[0] ?? ""));

async function prune(home: string, killAt?: number, isLate = false): Promise<{ readonly steps: number } | undefined> {
  const late = isLate ? { address: "late", name: letter.fileName, text: letter.text } : undefined;
  const order: PruneOrder = { root: mailRootOf(home), killAt, late };
  const program = startProgram(new URL("./programs/prune.ts", import.meta.url), order);
  const report = program.heard().catch(() => undefined) as Promise<{ steps: number } | undefined>;
  const { code, signal, stderr } = await program.ended;
  if (signal === "SIGKILL") return undefined;
  if (code !== 0) throw new Error(stderr);
  return report;
}

test("R-1, M-20: killed at any step of pruning, and again while that is mended, no mail is lost that should stay", async () => {
  const before = new Map<string, string[]>();
  const lateCame = new Set<boolean>();
  const kills = await killEverywhere({
    prepare(home) {
      const root = mailRootOf(home);
      for (const address of ["gone", "gone-too", "late", "unread"]) closedMailbox(root, address);
      closedMailbox(root, "young", { ageDays: 1 });
      const unread = closedMailbox(root, "unread");
      writeFileSync(join(unread, "new", letter.fileName), letter.text);
      touchMailbox(unread, 0);
      before.set(home, mailOf(home));
    },
    act: (home, killAt) => prune(home, killAt, true),
    async recover(home, random) {
      for (let again = 0; again < 2; again += 1) await prune(home, 1 + Math.floor(random() * 12));
      await prune(home);
    },
    check(home) {
      const root = mailRootOf(home);
      const left = readdirSync(root);
      expect(left.filter((name) => name.startsWith("."))).toEqual([]);
      expect(left.filter((name) => name.startsWith("gone"))).toEqual([]);
      const files = before.get(home) ?? [];
      const hasCome = existsSync(join(home, "late-letter-came"));
      lateCame.add(hasCome);
      // Killed before its folder was moved aside, that mailbox went later, when no mail came.
      const wanted = hasCome
        ? [...files, `late/new/${letter.fileName}`].sort()
        : files.filter((file) => !file.startsWith("late/"));
      expect(mailOf(home)).toEqual(wanted);
    },
  });
  expect(kills).toBeGreaterThan(20);
  expect(lateCame.size).toBe(2);
});
