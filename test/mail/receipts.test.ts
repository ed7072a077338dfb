import fc from "fast-check";
import { expect, test } from "vitest";
import { KINDS } from "../../src/mail/envelope.ts";
import {
  formatReceipt,
  parseReceipts,
  RECEIPT_STEPS,
  type Receipt,
  type ReceiptStep,
  standings,
} from "../../src/mail/receipts.ts";
import { address, hostileText } from "./hostile-text.ts";

const ALICE = "0a11ce00-0000-4000-8000-000000000001";
const MAIL = "5e17e000-0000-4000-8000-000000000001";
const REPLY = "5e17e000-0000-4000-8000-000000000002";
const TS = "2026-01-02T03:04:05.678Z";

const CLAIMED: Receipt = { ts: TS, id: MAIL, step: "claimed", name: "1.json", from: ALICE, kind: "request", hops: 2 };

function step(of: ReceiptStep, more: Partial<Receipt> = {}): Receipt {
  return { ts: TS, id: MAIL, step: of, ...more };
}

test("M-12: a receipt is one line of JSON that begins with ts, id and step", () => {
  expect(formatReceipt(step("answered", { reply: REPLY, status: "done" }))).toBe(
    `{"ts":"${TS}","id":"${MAIL}","step":"answered","reply":"${REPLY}","status":"done"}\n`,
  );
  expect(RECEIPT_STEPS).toEqual(["claimed", "read", "answered", "held", "delivered", "acknowledged"]);
});

const fileName = hostileText(12).filter((name) => !/[/\\\0]/.test(name) && !["", ".", ".."].includes(name));

const receipts: fc.Arbitrary<Receipt> = fc.record(
  {
    ts: hostileText(8),
    id: fc.oneof(hostileText(8), fc.constantFrom("", "a", "b", "__proto__")),
    step: fc.constantFrom(...RECEIPT_STEPS),
    name: fileName,
    from: address,
    kind: fc.constantFrom(...KINDS),
    hops: fc.nat(),
    reason: hostileText(8),
    handled: fc.constant(true),
    reply: hostileText(8),
    status: hostileText(8),
  },
  { requiredKeys: ["ts", "id", "step"] },
);

test("M-12: every receipt that is written is read again as it was, in order", () => {
  fc.assert(
    fc.property(fc.array(receipts), (all) => {
      const text = all.map(formatReceipt).join("");
      expect(text.split("\n")).toHaveLength(all.length + 1);
      expect(parseReceipts(text)).toEqual(all);
    }),
  );
});

test("M-12, R-1: a file cut anywhere keeps every whole line, and what is appended after the cut line counts", () => {
  fc.assert(
    fc.property(
      fc.array(receipts, { minLength: 1, maxLength: 5 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      receipts,
      (all, part, next) => {
        const text = all.map(formatReceipt).join("");
        const cut = text.slice(0, Math.floor(text.length * part));
        // A line that lacks nothing but its line feed is whole.
        const whole = all.filter(
          (_, at) =>
            cut.length >=
            all
              .slice(0, at + 1)
              .map(formatReceipt)
              .join("").length -
              1,
        );
        expect(parseReceipts(cut)).toEqual(whole);
        expect(parseReceipts(`${cut}\n${formatReceipt(next)}`)).toEqual([...whole, next]);
      },
    ),
  );
});

test("M-12, R-3: no text at all makes the reader throw, and every line it takes is a receipt", () => {
  const line = fc.oneof(
    hostileText(),
    fc.json(),
    fc
      .record(
        {
          id: fc.oneof(fc.jsonValue(), fc.constant(MAIL)),
          step: fc.oneof(fc.jsonValue(), fc.constantFrom(...RECEIPT_STEPS)),
          ts: fc.jsonValue(),
          name: fc.oneof(fc.jsonValue(), hostileText()),
          from: fc.oneof(fc.jsonValue(), hostileText()),
          kind: fc.oneof(fc.jsonValue(), fc.constantFrom(...KINDS)),
          hops: fc.oneof(fc.jsonValue(), fc.double()),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      for (const receipt of parseReceipts(lines.join("\n"))) {
        expect(typeof receipt.id).toBe("string");
        expect(RECEIPT_STEPS).toContain(receipt.step);
        expect(typeof receipt.ts).toBe("string");
        if (receipt.hops !== undefined) expect(Number.isSafeInteger(receipt.hops) && receipt.hops >= 0).toBe(true);
        if (receipt.name !== undefined) expect(receipt.name).not.toMatch(/[/\\\0]|^\.{0,2}$/);
        if (receipt.from !== undefined) expect(receipt.from).toMatch(/^[A-Za-z0-9_-]+$/);
      }
    }),
    { numRuns: 500 },
  );
});

test.for([
  ["nothing", ""],
  ["blank lines", "\n\n \n"],
  ["the value null", "null"],
  ["a number", "7"],
  ["a list", `[${JSON.stringify(CLAIMED)}]`],
  ["half a line", formatReceipt(CLAIMED).slice(0, 40)],
  ["the end of a line", formatReceipt(CLAIMED).slice(40)],
  ["an unknown step", JSON.stringify({ ...CLAIMED, step: "eaten" })],
  ["a step of Object.prototype", JSON.stringify({ ...CLAIMED, step: "constructor" })],
  ["no step", JSON.stringify({ ...CLAIMED, step: undefined })],
  ["no id", JSON.stringify({ ...CLAIMED, id: undefined })],
  ["an id that is a number", JSON.stringify({ ...CLAIMED, id: 7 })],
  ["a receipt below __proto__", `{"__proto__": ${JSON.stringify(CLAIMED)}}`],
  ["NUL bytes, as a crash of the system leaves them", "\0".repeat(512)],
  ["deep JSON", "[".repeat(100_000) + "]".repeat(100_000)],
] as const)("M-12, R-3: %s is no receipt, and the lines round it count", ([, text]) => {
  const read = step("read");
  expect(parseReceipts(`${formatReceipt(CLAIMED)}${text}\n${formatReceipt(read)}`)).toEqual([CLAIMED, read]);
});

test.for([
  ["a path for a name", { name: "../../.ssh/id_rsa" }, "name"],
  ["a path with backslashes for a name", { name: "a\\b" }, "name"],
  ["the folder for a name", { name: "." }, "name"],
  ["the folder above for a name", { name: ".." }, "name"],
  ["no name", { name: "" }, "name"],
  ["a NUL in the name", { name: "a\0.json" }, "name"],
  ["a name that is a number", { name: 7 }, "name"],
  ["a sender that is no address", { from: "../x" }, "from"],
  ["an unknown kind", { kind: "broadcast" }, "kind"],
  ["negative hops", { hops: -1 }, "hops"],
  ["half a hop", { hops: 0.5 }, "hops"],
  ["hops as text", { hops: "2" }, "hops"],
] as const)("M-12, R-3: a receipt with %s is read without it", ([, changes, key]) => {
  const { [key]: _, ...rest } = CLAIMED;
  expect(parseReceipts(JSON.stringify({ ...CLAIMED, ...changes }))).toEqual([rest]);
});

test.for([false, 0, "true", null])("M-12: handled counts only when it is true: %j does not", (handled) => {
  expect(parseReceipts(JSON.stringify({ ...step("read"), handled }))).toEqual([step("read")]);
});

test("M-12: a receipts file with Windows line ends is read too", () => {
  expect(parseReceipts(formatReceipt(CLAIMED).replace("\n", "\r\n").repeat(2))).toEqual([CLAIMED, CLAIMED]);
});

const NOT_YET = { read: false, held: false, answered: false, handled: false };

test.for([
  ["claimed", [], {}],
  ["read", [step("read")], { read: true }],
  ["read by a listener", [step("read", { handled: true })], { read: true, handled: true }],
  ["held, and so read", [step("held")], { read: true, held: true }],
  ["answered", [step("read"), step("answered")], { read: true, answered: true }],
  ["answered before it was read", [step("answered")], { answered: true }],
  ["held and then answered", [step("held"), step("answered")], { read: true, held: true, answered: true }],
  ["delivered to a team", [step("delivered"), step("acknowledged")], {}],
  ["claimed twice", [{ ...CLAIMED, ts: "later" }], {}],
] as const)("M-12: mail that is %s stands so", ([, steps, expected]) => {
  const { id, name, from, kind, hops } = CLAIMED;
  expect([...standings([CLAIMED, ...steps])]).toEqual([
    [MAIL, { id, name, from, kind, hops, claimedAt: TS, ...NOT_YET, ...expected }],
  ]);
});

test("M-12: receipts whose claim is lost still tell that the mail was answered", () => {
  expect(standings([step("answered")]).get(MAIL)).toEqual({
    id: MAIL,
    name: undefined,
    from: undefined,
    kind: undefined,
    hops: 0,
    claimedAt: "",
    ...NOT_YET,
    answered: true,
  });
});

test("M-12: files that were set aside stand for no mail", () => {
  const aside: Receipt = { ts: TS, id: "", step: "claimed", name: "2.json", reason: "it is empty" };
  expect([...standings([aside, CLAIMED, aside]).keys()]).toEqual([MAIL]);
});

test("M-12: nothing that was once read, held or answered is ever undone by a later receipt", () => {
  fc.assert(
    fc.property(fc.array(receipts, { maxLength: 30 }), (all) => {
      const stand = standings(all);
      const ids = all.map((receipt) => receipt.id).filter((id) => id !== "");
      expect([...stand.keys()]).toEqual([...new Set(ids)]);
      for (const [id, standing] of stand) {
        const steps = all.filter((receipt) => receipt.id === id).map((receipt) => receipt.step);
        expect(standing.id).toBe(id);
        expect(standing.answered).toBe(steps.includes("answered"));
        expect(standing.held).toBe(steps.includes("held"));
        expect(standing.read).toBe(steps.includes("read") || steps.includes("held"));
      }
    }),
  );
});
