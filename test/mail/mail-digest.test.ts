import { expect, test } from "vitest";
import type { Envelope } from "../../src/mail/envelope.ts";
import { type DigestedMail, digestMail, openMail } from "../../src/mail/mail-digest.ts";
import { type Receipt, standings } from "../../src/mail/receipts.ts";

type Copy = Omit<DigestedMail, "state">;

const envelope = (fields: Partial<Envelope>): Envelope => ({
  id: "r1",
  from: "alice",
  to: "bob",
  kind: "request",
  hops: 0,
  inReplyTo: [],
  status: "",
  ts: "",
  body: "",
  ...fields,
});
const copy = (address: string, box: Copy["box"], fields: Partial<Envelope> | undefined, sentMs = 1): Copy => ({
  address,
  box,
  sentMs,
  path: `${address}/${box}/${fields?.id ?? "r1"}`,
  envelope: fields === undefined ? undefined : envelope(fields),
});
const reply = { id: "p1", from: "bob", to: "alice", kind: "reply", inReplyTo: ["r1"], status: "done" } as const;

function states(copies: Copy[], receipts: Omit<Receipt, "ts">[] | undefined = undefined): string[] {
  const byId = receipts && standings(receipts.map((receipt) => ({ ts: "", ...receipt })));
  return digestMail(copies, { standings: () => byId, isKnown: (address) => address !== "stranger" }).map(
    (mail) => `${mail.address}/${mail.box} ${mail.state}`,
  );
}

test.for([
  ["waits in new/", [copy("bob", "new", {})], undefined, ["bob/new waiting"]],
  ["was claimed and not shown", [copy("bob", "cur", {})], ["claimed"], ["bob/cur claimed"]],
  ["was read and not answered", [copy("bob", "cur", {})], ["claimed", "read"], ["bob/cur owed"]],
  ["is held", [copy("bob", "cur", {})], ["claimed", "read", "held"], ["bob/cur held"]],
  ["has its receipt of an answer", [copy("bob", "cur", {})], ["claimed", "read", "answered"], ["bob/cur answered"]],
  ["lies in a mailbox without receipts", [copy("bob", "cur", {})], undefined, ["bob/cur owed"]],
  ["can not be read", [copy("bob", "cur", undefined)], undefined, ["bob/cur set aside"]],
  ["needs no answer", [copy("bob", "cur", { kind: "message" })], undefined, ["bob/cur no answer expected"]],
  ["is for nobody", [copy("alice", "sent", { to: "stranger" })], undefined, ["alice/sent undeliverable"]],
] as const)("M-22: a letter that %s says so", ([, copies, steps, wanted]) => {
  expect(
    states(
      [...copies],
      steps?.map((step) => ({ id: "r1", step })),
    ),
  ).toEqual(wanted);
});

test("M-22, M-19: the sender awaits until the reply is claimed, the receiver owes until it is written", () => {
  const sent = copy("alice", "sent", {});
  const read = copy("bob", "cur", {});
  expect(states([sent, read])).toEqual(["alice/sent awaiting", "bob/cur owed"]);
  expect(states([sent, read, copy("alice", "new", reply)])).toEqual([
    "alice/sent awaiting",
    "bob/cur answered",
    "alice/new waiting",
  ]);
  expect(states([sent, read, copy("alice", "cur", reply)]).slice(0, 2)).toEqual([
    "alice/sent answered",
    "bob/cur answered",
  ]);
});

test("M-13: a reply of somebody else does not answer what the receiver owes", () => {
  expect(states([copy("bob", "cur", {}), copy("alice", "new", { ...reply, from: "mallory" })])[0]).toBe("bob/cur owed");
});

test("M-22: open mail lists each unanswered request and ask once, oldest first, as its receiver left it", () => {
  const digested = digestMail(
    [
      copy("alice", "sent", { id: "late", kind: "ask" }, 9),
      copy("bob", "new", { id: "late", kind: "ask" }, 9),
      copy("alice", "sent", { id: "early" }, 3),
      copy("alice", "sent", { id: "r1" }, 1),
      copy("alice", "cur", reply, 4),
      copy("alice", "sent", { id: "m", kind: "message" }, 2),
    ],
    { standings: () => undefined, isKnown: () => true },
  );
  expect(openMail(digested).map((mail) => [mail.envelope?.id, mail.state])).toEqual([
    ["early", "awaiting"],
    ["late", "waiting"],
  ]);
});
