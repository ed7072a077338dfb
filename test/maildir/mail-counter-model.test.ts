import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { claim, claimedName } from "../../src/maildir/claim.ts";
import { MailCounter } from "../../src/maildir/mail-counter.ts";
import { ensureBoxes, type Mailbox, mailboxAt } from "../../src/maildir/mailbox.ts";
import { readEnvelope } from "../../src/maildir/read-envelope.ts";
import { sendMail } from "../../src/maildir/send.ts";
import { originalEnvelope } from "../support/original-form.ts";
import { postAt, useTempRoot } from "../support/temp-root.ts";

const temp = useTempRoot();

/** Ids come from a small pool, so that copies, answers and second answers meet. */
const id = fc.constantFrom("1", "2", "3", "4");
const ids = fc.array(id, { maxLength: 3 });
const kind = fc.constantFrom("request" as const, "ask" as const, "message" as const, "reply" as const);
const step = fc.oneof(
  fc.record({ type: fc.constant("send" as const), id, kind: fc.constantFrom("request" as const, "message" as const) }),
  fc.record({ type: fc.constant("arrive and claim" as const), id, kind, ids }),
  fc.record({ type: fc.constant("arrive" as const), id, kind, ids }),
  fc.record({
    type: fc.constant("foreign add" as const),
    box: fc.constantFrom("cur" as const, "sent" as const),
    id,
    kind,
    ids,
  }),
  fc.record({ type: fc.constant("foreign odd" as const), box: fc.constantFrom("cur" as const, "sent" as const) }),
  fc.record({
    type: fc.constant("foreign delete" as const),
    box: fc.constantFrom("cur" as const, "sent" as const),
    at: fc.nat(20),
  }),
  fc.record({ type: fc.constant("folder replaced" as const), whole: fc.boolean() }),
  fc.record({ type: fc.constant("look" as const), budget: fc.integer({ min: 1, max: 3 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What a person counts who looks at every file. */
function recount(mailbox: Mailbox): { waiting: number; read: number; awaiting: number } {
  const texts = (box: string) =>
    readdirSync(join(mailbox.path, box), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(mailbox.path, box, entry.name), "utf8"));
  const envelopes = (box: string) =>
    texts(box)
      .filter((text) => text.startsWith("{"))
      .map((text) => JSON.parse(text) as { id: string; kind: string; in_reply_to: string[] });
  const answered = new Set(envelopes("cur").flatMap(({ in_reply_to }) => in_reply_to));
  return {
    waiting: texts("new").length,
    read: texts("cur").length,
    awaiting: envelopes("sent").filter((one) => /request|ask/.test(one.kind) && !answered.has(one.id)).length,
  };
}

class World {
  readonly mailbox = mailboxAt(temp.path, "a");
  readonly counter = new MailCounter(this.mailbox);
  #foreignChanges = 0;

  take(step: Step): void {
    const { mailbox, counter } = this;
    if (step.type === "send") {
      const post = postAt(temp.path, { uuid: () => step.id });
      const { envelope, copyPath = "" } = counter.ownChange("sent", () =>
        sendMail(post, { from: "a", to: "b", kind: step.kind, hops: 0, body: "" }),
      );
      counter.noteSent(basename(copyPath), envelope);
    } else if (step.type === "arrive" || step.type === "arrive and claim") {
      const name = this.#write("new", step);
      if (step.type === "arrive") return;
      const to = claimedName(mailbox, name);
      const path = counter.ownChange("cur", () => claim(mailbox, name, to, { durable: false }));
      const reading = readEnvelope(path ?? "");
      counter.noteClaimed(to, reading.type === "envelope" ? reading.envelope : undefined);
    } else if (step.type === "look") counter.catchUp(step.budget);
    else this.#change(step);
  }

  #change(step: Step): void {
    const { mailbox } = this;
    if (step.type === "foreign add") {
      this.#write(step.box, step);
      this.#touch(step.box);
    } else if (step.type === "foreign odd") {
      const at = readdirSync(join(mailbox.path, step.box)).length;
      writeFileSync(join(mailbox.path, step.box, `odd-${at}.json`), "odd");
      mkdirSync(join(mailbox.path, step.box, `folder-${at}`), { recursive: true });
      this.#touch(step.box);
    } else if (step.type === "foreign delete") {
      const names = readdirSync(join(mailbox.path, step.box)).sort();
      const name = names[step.at % Math.max(1, names.length)];
      if (name !== undefined) rmSync(join(mailbox.path, step.box, name), { recursive: true });
      this.#touch(step.box);
    } else if (step.type === "folder replaced") {
      renameSync(mailbox.path, `${temp.folder}/${crypto.randomUUID()}`);
      ensureBoxes(mailbox);
      if (step.whole) return;
      this.#write("cur", { id: "9", kind: "reply", ids: ["1"] });
    }
  }

  #write(box: string, letter: { id: string; kind: "request" | "ask" | "message" | "reply"; ids: string[] }): string {
    const { fileName, text } = originalEnvelope({ from: "b", to: "a", ...letter, inReplyTo: letter.ids });
    // Names are unique, ids are not.
    const name = fileName.replace(/-.*/, `-${letter.id}.${crypto.randomUUID()}.json`);
    writeFileSync(join(this.mailbox.path, box, name), text);
    return name;
  }

  /** Some systems' folder times go on in steps of some ms: two changes in one such step are told apart by nobody. */
  #touch(box: string): void {
    this.#foreignChanges += 1;
    utimesSync(join(this.mailbox.path, box), 1, this.#foreignChanges);
  }
}

test("M-19: after whatever we and others do to a mailbox, the counts are those of somebody who reads every file", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      rmSync(temp.path, { recursive: true, force: true });
      ensureBoxes(mailboxAt(temp.path, "a"));
      const world = new World();
      for (const one of steps) world.take(one);
      while (world.counter.catchUp(2));
      expect(world.counter.counts()).toEqual(recount(world.mailbox));
    }),
    { numRuns: 250 },
  );
});
