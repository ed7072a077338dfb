import fc from "fast-check";
import { expect, test } from "vitest";
import { KINDS, type Kind } from "../../src/mail/envelope.ts";
import { type EnvelopeFacts, type EnvelopeState, envelopeState } from "../../src/mail/envelope-state.ts";

const CLAIMED: EnvelopeFacts = {
  box: "cur",
  readable: true,
  kind: "request",
  answered: false,
  receipts: { read: false, held: false, answered: false },
  receiverKnown: true,
};
const READ = { read: true, held: false, answered: false };

const CASES: readonly (readonly [what: string, facts: Partial<EnvelopeFacts>, state: EnvelopeState])[] = [
  ["a request in new/", { box: "new", receipts: undefined }, "waiting"],
  ["a message in new/", { box: "new", kind: "message" }, "waiting"],
  ["a claimed request", {}, "claimed"],
  ["a claimed message", { kind: "message" }, "claimed"],
  ["a claimed reply", { kind: "reply" }, "claimed"],
  ["a read request", { receipts: READ }, "owed"],
  ["a read ask", { kind: "ask", receipts: READ }, "owed"],
  ["a read message", { kind: "message", receipts: READ }, "no answer expected"],
  ["a read reply", { kind: "reply", receipts: READ }, "no answer expected"],
  ["a held request", { receipts: { ...READ, held: true } }, "held"],
  ["a request that a reply names", { receipts: READ, answered: true }, "answered"],
  ["an ask whose receipt says answered", { kind: "ask", receipts: { ...READ, answered: true } }, "answered"],
  ["a held request, answered later", { receipts: { read: true, held: true, answered: true } }, "answered"],
  ["a request answered failed before it was read", { receipts: { ...READ, read: false, answered: true } }, "answered"],
  ["a request answered by a session killed before the receipt", { answered: true }, "answered"],
  ["a claimed request without receipts", { receipts: undefined }, "owed"],
  ["a claimed message without receipts", { receipts: undefined, kind: "message" }, "no answer expected"],
  ["an answered request without receipts", { receipts: undefined, answered: true }, "answered"],
  ["an unreadable file in new/", { box: "new", readable: false }, "set aside"],
  ["an unreadable file in cur/", { readable: false }, "set aside"],
  ["a sent request", { box: "sent" }, "awaiting"],
  ["a sent ask", { box: "sent", kind: "ask" }, "awaiting"],
  ["a sent message", { box: "sent", kind: "message" }, "no answer expected"],
  ["a sent request that a reply names", { box: "sent", answered: true }, "answered"],
  ["a sent request to nobody ever seen", { box: "sent", receiverKnown: false }, "undeliverable"],
  ["a sent message to nobody ever seen", { box: "sent", kind: "message", receiverKnown: false }, "undeliverable"],
  ["an answered request of a receiver pruned since", { box: "sent", answered: true, receiverKnown: false }, "answered"],
];

test.for(CASES)("M-22: %s", ([, facts, state]) => {
  expect(envelopeState({ ...CLAIMED, ...facts })).toBe(state);
});

const facts: fc.Arbitrary<EnvelopeFacts> = fc.record({
  box: fc.constantFrom("new", "cur", "sent"),
  readable: fc.boolean(),
  kind: fc.constantFrom<Kind>(...KINDS),
  answered: fc.boolean(),
  receipts: fc.option(fc.record({ read: fc.boolean(), held: fc.boolean(), answered: fc.boolean() }), {
    nil: undefined,
  }),
  receiverKnown: fc.boolean(),
});

test("M-22: only requests and asks are ever owed, held, awaited or answered in a receiver's hands", () => {
  fc.assert(
    fc.property(facts, (known) => {
      const state = envelopeState(known);
      const isQuestion = known.kind === "request" || known.kind === "ask";
      if (["owed", "held", "awaiting"].includes(state)) expect(isQuestion).toBe(true);
      if (state === "answered" && known.box === "cur") expect(isQuestion).toBe(true);
      if (["awaiting", "undeliverable"].includes(state)) expect(known.box).toBe("sent");
      if (["claimed", "owed", "held"].includes(state)) expect(known.box).toBe("cur");
      expect(state === "set aside").toBe(!known.readable);
    }),
    { numRuns: 500 },
  );
});

test("M-12: what a reply names never counts as owed again", () => {
  fc.assert(
    fc.property(facts, (known) => {
      fc.pre(known.readable && known.box !== "new");
      expect(["owed", "held", "claimed", "awaiting"]).not.toContain(envelopeState({ ...known, answered: true }));
    }),
  );
});
