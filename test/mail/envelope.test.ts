import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Envelope,
  expectsAnswer,
  formatEnvelope,
  isStatus,
  KINDS,
  MAX_IN_REPLY_TO,
  parseEnvelope,
  STATUSES,
  wireEnvelope,
} from "../../src/mail/envelope.ts";
import { address, hostileText } from "./hostile-text.ts";

const ALICE = "0a11ce00-0000-4000-8000-000000000001";
const BOB = "0b0b0000-0000-4000-8000-000000000002";

const LETTER: Envelope = {
  id: "5e17e000-0000-4000-8000-000000000001",
  from: ALICE,
  to: BOB,
  kind: "request",
  hops: 0,
  inReplyTo: [],
  status: "",
  ts: "2026-01-02T03:04:05.678Z",
  body: "Please run the tests.",
};

const corpus = join(dirname(fileURLToPath(import.meta.url)), "../corpus/envelopes");
const corpusFiles = globSync("*", { cwd: corpus }).sort();

/** What the disk makes of a file: its bytes as UTF-8, with U+FFFD for what is none. */
function corpusText(file: string): string {
  return readFileSync(join(corpus, file)).toString("utf8");
}

function read(file: string): Envelope {
  const parsed = parseEnvelope(corpusText(file));
  if (!parsed.ok) throw new Error(`${file} is set aside: ${parsed.error.reason}`);
  return parsed.value;
}

function faultOf(text: string): { reason: string; unfinished: boolean } {
  const parsed = parseEnvelope(text);
  if (parsed.ok) throw new Error("it was read");
  return { ...parsed.error };
}

test("M-3, R-3: the corpus holds files of every kind and many that are set aside", () => {
  const expectations = corpusFiles.map((file) => file.split(".")[1]);
  for (const kind of KINDS) expect(expectations.filter((one) => one === kind).length).toBeGreaterThan(2);
  expect(expectations.filter((one) => one === "fault").length).toBeGreaterThan(60);
  for (const file of corpusFiles) expect(file).toMatch(/^[a-z0-9-]+\.(request|reply|message|ask|fault)\.json$/);
});

test.for(corpusFiles)("M-3, R-3: %s reads as its name says", (file) => {
  const parsed = parseEnvelope(corpusText(file));
  expect(parsed.ok ? parsed.value.kind : "fault").toBe(basename(file).split(".")[1]);
});

const NOT_JSON =
  /^(bom|comma-at-end|comment|cut-.*|deep-unclosed|hops-nan|invalid-utf8.*|nul-.*|plain-mail|raw-.*|single-quotes|text-after-envelope|two-envelopes|utf16)$/;
const NOT_AN_OBJECT = /^(null|number|string|true|list|list-of-one-envelope|deep-lists)$/;

function expectedReason(what: string): string {
  if (/^(empty|blank)$/.test(what)) return "it is empty";
  if (NOT_JSON.test(what)) return "it is not JSON";
  if (NOT_AN_OBJECT.test(what)) return "it is not a JSON object";
  if (/^fifty-one-ids/.test(what)) return "`in_reply_to` names 51 requests, more than 50";
  if (/^in-reply-to-/.test(what)) return "`in_reply_to` is not a list of ids";
  if (/^from-/.test(what)) return "`from` is not an address";
  if (/^body-/.test(what)) return "`body` is not a text";
  if (/^hops-/.test(what)) return "`hops` is not a count";
  if (/^(id-.*|empty-object|proto-holds-envelope|deep-objects)$/.test(what)) return "`id` is not a text";
  throw new Error(`no reason is expected of ${what}`);
}

test.for(corpusFiles.filter((file) => file.endsWith(".fault.json")))(
  "M-3, R-3: %s is set aside for the right reason, and is looked at again only when it may still grow",
  (file) => {
    const what = file.replace(".fault.json", "");
    expect(faultOf(corpusText(file))).toEqual({
      reason: expectedReason(what),
      unfinished: /^(empty|blank|deep-unclosed|cut-.*)$/.test(what),
    });
  },
);

const WHAT_A_FILE_SAYS: readonly (readonly [file: string, fields: Partial<Envelope>])[] = [
  ["whole.request.json", LETTER],
  ["whole.reply.json", { inReplyTo: ["5e17e000-0000-4000-8000-000000000002"], status: "done", body: "42" }],
  ["whole.message.json", { hops: 3 }],
  ["before-kinds.request.json", { hops: 0, inReplyTo: [], id: LETTER.id, body: LETTER.body }],
  ["before-kinds.reply.json", { hops: 0, status: "failed", inReplyTo: ["5e17e000-0000-4000-8000-000000000002"] }],
  ["without-hops.ask.json", { hops: 0 }],
  ["without-to-status-ts.request.json", { to: "", status: "", ts: "", body: LETTER.body }],
  ["kind-unknown.message.json", { inReplyTo: ["5e17e000-0000-4000-8000-000000000002"] }],
  ["status-unknown.reply.json", { status: "tired" }],
  ["status-number.reply.json", { status: "" }],
  ["answers-dotdot-ids.reply.json", { inReplyTo: ["../../.ssh/id_rsa", "", "\0"] }],
  ["id-dotdot.request.json", { id: "../../../etc/passwd" }],
  ["id-of-300-characters.request.json", { id: "x".repeat(300) }],
  ["id-nul.request.json", { id: "a\0b" }],
  ["to-dotdot.request.json", { to: "../other" }],
  ["to-and-ts-numbers.request.json", { to: "", ts: "" }],
  ["extra-fields.request.json", LETTER],
  ["proto-field.request.json", { hops: 0, id: LETTER.id }],
  ["duplicate-keys.message.json", { kind: "message", body: LETTER.body }],
  ["lone-surrogate.request.json", { body: "\ud83d alone, and \ude00" }],
  ["astral.request.json", { body: "\u{1f680} \u{20bb7} e\u0301" }],
  ["body-empty.request.json", { body: "" }],
  ["body-nul-escaped.request.json", { body: "a\0b" }],
  ["crlf.request.json", LETTER],
  ["blank-lines-around.request.json", LETTER],
  ["keys-backwards.request.json", LETTER],
  ["hops-beyond-exact.ask.json", { hops: Number.MAX_SAFE_INTEGER }],
  ["hops-spelled-as-float.ask.json", { hops: 2 }],
  ["deep-extra-field.request.json", LETTER],
  ["from-of-200-characters.request.json", { from: "a".repeat(200) }],
  ["from-proto.request.json", { from: "__proto__" }],
];

test.for(WHAT_A_FILE_SAYS)("M-3, R-3: %s is read for what it says", ([file, fields]) => {
  expect(read(file)).toMatchObject(fields);
});

test("M-3: bytes that are no UTF-8 cost a letter no more than those characters", () => {
  expect(read("invalid-utf8-in-body.request.json").body).toMatch(/^caf\ufffd \ufffd{2} \ufffd{2} \ufffd{3}$/);
});

test("M-3: a letter names 50 ids and no more", () => {
  expect(read("fifty-ids.reply.json").inReplyTo).toHaveLength(MAX_IN_REPLY_TO);
  expect(MAX_IN_REPLY_TO).toBe(50);
});

test("M-3, R-3: a letter read from a file never has other fields than the nine of the format", () => {
  for (const file of corpusFiles.filter((one) => !one.endsWith(".fault.json"))) {
    expect(Object.keys(read(file))).toEqual(Object.keys(LETTER));
    expect(Object.getPrototypeOf(read(file))).toBe(Object.prototype);
  }
});

test("R-3: what somebody hangs on Object.prototype is no field of a letter", () => {
  Object.defineProperty(Object.prototype, "body", { value: "forged", configurable: true });
  try {
    expect(faultOf(corpusText("body-missing.fault.json")).reason).toBe("`body` is not a text");
  } finally {
    Reflect.deleteProperty(Object.prototype, "body");
  }
});

test("M-2: an envelope file is two-space JSON, keys in the order of the format, and a final line feed", () => {
  const answer: Envelope = { ...LETTER, kind: "reply", hops: 2, inReplyTo: ["a", "b"], status: "done", body: "x\ny" };
  expect(formatEnvelope(answer)).toBe(`{
  "id": "5e17e000-0000-4000-8000-000000000001",
  "from": "0a11ce00-0000-4000-8000-000000000001",
  "to": "0b0b0000-0000-4000-8000-000000000002",
  "kind": "reply",
  "hops": 2,
  "in_reply_to": [
    "a",
    "b"
  ],
  "status": "done",
  "ts": "2026-01-02T03:04:05.678Z",
  "body": "x\\ny"
}
`);
});

test("M-2, M-26: a request has an empty list and an empty status, as the original writes them", () => {
  expect(formatEnvelope(LETTER)).toBe(corpusText("whole.request.json"));
  expect(formatEnvelope(LETTER)).toContain('  "in_reply_to": [],\n  "status": "",\n');
});

test("M-18: what a hook is given can be changed without changing the letter", () => {
  const letter: Envelope = { ...LETTER, inReplyTo: ["a"] };
  const given = wireEnvelope(letter);
  given.in_reply_to.push("b");
  given.body = "other";
  expect(letter).toEqual({ ...LETTER, inReplyTo: ["a"] });
  expect(Object.keys(given)).toEqual(["id", "from", "to", "kind", "hops", "in_reply_to", "status", "ts", "body"]);
});

test.for([
  ["request", true],
  ["ask", true],
  ["message", false],
  ["reply", false],
] as const)("M-7: a %s expects an answer: %s", ([kind, expected]) => {
  expect(expectsAnswer(kind)).toBe(expected);
});

test("M-2: done, stopped and failed are the statuses, and nothing else is", () => {
  expect(STATUSES).toEqual(["done", "stopped", "failed"]);
  expect(STATUSES.every(isStatus)).toBe(true);
  expect(["", "Done", "ok", "toString"].some(isStatus)).toBe(false);
});

const envelopes: fc.Arbitrary<Envelope> = fc.record({
  id: hostileText().filter((id) => id !== ""),
  from: address,
  to: hostileText(),
  kind: fc.constantFrom(...KINDS),
  hops: fc.nat(),
  inReplyTo: fc.array(hostileText(8), { maxLength: MAX_IN_REPLY_TO, size: "max" }),
  status: hostileText(8),
  ts: hostileText(8),
  body: hostileText(200),
});

test("M-2, M-3: every letter that is written is read again as it was", () => {
  fc.assert(
    fc.property(envelopes, (envelope) => {
      expect(parseEnvelope(formatEnvelope(envelope))).toEqual({ ok: true, value: envelope });
    }),
  );
});

test("R-3: no text at all makes the reader throw", () => {
  const nearlyEnvelopes = fc
    .record(
      Object.fromEntries(
        Object.keys(wireEnvelope(LETTER)).map((key) => [
          key,
          fc.oneof(fc.constant(wireEnvelope(LETTER)[key as "id"]), fc.jsonValue(), hostileText()),
        ]),
      ),
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value));
  const texts = fc.oneof(hostileText(200), fc.json(), nearlyEnvelopes);
  fc.assert(
    fc.property(texts, (text) => {
      const parsed = parseEnvelope(text);
      if (parsed.ok) expect(parseEnvelope(formatEnvelope(parsed.value))).toEqual(parsed);
      else expect(parsed.error.reason).not.toBe("");
    }),
    { numRuns: 500 },
  );
});

test("R-3: a file that still grows is known as unfinished wherever it was looked at", () => {
  const braces = fc.array(fc.constantFrom("{", "}", '"', "\\", "[", "]", "}}", "a"), { maxLength: 20 });
  const growing = fc.tuple(
    fc.record({
      id: fc.constantFrom("}", '"}', "a"),
      to: fc.constantFrom("", "{}", '\\"}'),
      status: fc.constantFrom("", "}", "\\"),
      body: braces.map((parts) => parts.join("")),
    }),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  );
  fc.assert(
    fc.property(growing, ([fields, part]) => {
      const whole = formatEnvelope({ ...LETTER, ...fields }).trimEnd();
      const cut = whole.slice(0, Math.floor(whole.length * part));
      expect(faultOf(cut).unfinished).toBe(true);
    }),
    { numRuns: 500 },
  );
});
