import { posix, win32 } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Addressee,
  isAddress,
  isFullId,
  MAX_ADDRESS_LENGTH,
  MIN_ID_PREFIX,
  resolveAddress,
  shortId,
  uniqueShortIds,
} from "../../src/mail/address.ts";
import { address, hostileText } from "./hostile-text.ts";

const ALICE = "0a11ce00-0000-4000-8000-000000000001";
const BOB = "0b0b0000-0000-4000-8000-000000000002";
const BOB_TOO = "0b0b0000-0000-4000-8000-000000000003";
const GONE = "90e00000-0000-4000-8000-000000000004";

test.for([
  ALICE,
  ALICE.toUpperCase(),
  "a",
  "A_b-9",
  "-",
  "_",
  "__proto__",
  "constructor",
  "running2",
  "Running",
  "a".repeat(MAX_ADDRESS_LENGTH),
])("M-6: `%s` may name a mailbox", (text) => {
  expect(isAddress(text)).toBe(true);
});

test.for([
  ["nothing", ""],
  ["the folder itself", "."],
  ["the folder above", ".."],
  ["a path up", `../${ALICE}`],
  ["a path down", `${ALICE}/cur`],
  ["an absolute path", "/etc/passwd"],
  ["a path with backslashes", "..\\x"],
  ["a drive", "C:"],
  ["a hidden name", ".mailroom"],
  ["a name with an ending", `${ALICE}.json`],
  ["a NUL", `${ALICE}\0`],
  ["a line feed at the end", `${ALICE}\n`],
  ["a line feed inside", "a\nb"],
  ["an escape", "a\u001b[2J"],
  ["a space", "two words"],
  ["a space at the end", `${ALICE} `],
  ["a tilde", "~"],
  ["a percent", "%2e%2e"],
  ["wide letters", "ａｌｉｃｅ"],
  ["a zero-width space", `${ALICE}\u200b`],
  ["201 characters", "a".repeat(201)],
  ["300 characters", "a".repeat(300)],
  ["the folder of the running records", "running"],
  ["no text: undefined", undefined],
  ["no text: null", null],
  ["no text: a number", 7],
  ["no text: a list", [ALICE]],
  ["no text: an object", { toString: () => ALICE }],
] as const)("M-6, R-3: %s names no mailbox", ([, text]) => {
  expect(isAddress(text)).toBe(false);
});

test("R-3: whatever passes for an address stays one folder right below the root", () => {
  const pieces = fc.constantFrom("..", ".", "/", "\\", "\0", "\n", "a", "Z", "9", "-", "_", "running", " ", "~", ":");
  const texts = fc.oneof(
    hostileText(),
    address,
    fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join("")),
    fc.tuple(address, hostileText(2)).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(texts, (text) => {
      if (!isAddress(text)) return;
      for (const path of [posix, win32]) {
        const root = path === posix ? "/state/root" : "C:\\state\\root";
        for (const folder of [path.join(root, text), path.resolve(root, text)]) {
          expect(path.dirname(folder)).toBe(root);
          expect(path.basename(folder)).toBe(text);
          expect(path.relative(root, folder)).toBe(text);
        }
      }
      // The longest name that is made of it is that of a running record being written.
      expect(Buffer.byteLength(`${text}.json.4194304.tmp`)).toBeLessThanOrEqual(255);
    }),
    { numRuns: 1000 },
  );
});

test("R-3: no text with a character beyond letters, digits, - and _ is an address, wherever it stands", () => {
  const other = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point));
  fc.assert(
    fc.property(fc.string(), other, fc.string(), (before, character, after) => {
      fc.pre(!/[A-Za-z0-9_-]/.test(character));
      expect(isAddress(before + character + after)).toBe(false);
    }),
  );
});

test("M-6: every text of 1 to 200 letters, digits, - and _ is an address, but for `running`", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,200}$/), (text) => {
      expect(isAddress(text)).toBe(text !== "running");
    }),
  );
});

test.for([
  [ALICE, true],
  [ALICE.toUpperCase(), true],
  ["0a11ce00", false],
  [`${ALICE} `, false],
  [`${ALICE}0`, false],
  [ALICE.replaceAll("-", ""), false],
  [`{${ALICE}}`, false],
  [ALICE.replace("c", "g"), false],
  [`${ALICE}\n`, false],
  ["", false],
] as const)("M-6: `%s` is a full id: %s", ([text, expected]) => {
  expect(isFullId(text)).toBe(expected);
});

const RUNNING: readonly Addressee[] = [
  { address: ALICE, name: "alice" },
  { address: BOB, name: "Bob Builder" },
  { address: BOB_TOO },
  { address: "worker_1", name: "twin" },
  { address: "worker_2", name: "twin" },
  { address: "alice-the-second", name: "0b0b0000" },
  { address: "named-after-another", name: "worker_1" },
];

function resolved(to: string, self = "self", running = RUNNING): unknown {
  const found = resolveAddress(to, { self, running });
  if (found.ok) return found.value;
  const { error } = found;
  return error.code === "address/ambiguous" ? [error.code, ...error.candidates.map((one) => one.address)] : error.code;
}

test.for([
  ["a running session's address", ALICE, ALICE],
  ["an address that is no UUID", "worker_2", "worker_2"],
  ["an address before a name that is the same", "worker_1", "worker_1"],
  ["the full id of a closed session", GONE, GONE],
  ["a full id in capitals, as typed", GONE.toUpperCase(), GONE.toUpperCase()],
  ["a full id with blanks round it", `  ${GONE}\n`, GONE],
  ["an exact name", "alice", ALICE],
  ["a name with a space", "Bob Builder", BOB],
  ["a name with blanks round it", " Bob Builder ", BOB],
  ["a name before a beginning of an id", "0b0b0000", "alice-the-second"],
  ["8 characters of an id", "0a11ce00", ALICE],
  ["a longer beginning of an id", BOB.slice(0, -1), ["address/ambiguous", BOB, BOB_TOO]],
  ["a beginning of another form of id", "alice-th", "alice-the-second"],
  ["a name that two sessions have", "twin", ["address/ambiguous", "worker_1", "worker_2"]],
  ["a beginning that two sessions share", "0b0b0000-", ["address/ambiguous", BOB, BOB_TOO]],
  ["7 characters of an id", "0a11ce0", "address/unknown"],
  ["a part of a name", "Bob", "address/unknown"],
  ["a name in another case", "ALICE", "address/unknown"],
  ["a beginning in another case", "0A11CE00", "address/unknown"],
  ["characters from the middle of an id", "0000-4000-8000", "address/unknown"],
  ["nothing", "", "address/unknown"],
  ["blanks", "         ", "address/unknown"],
  ["a path", "../../etc", "address/unknown"],
  ["a short id of a closed session", "90e00000", "address/unknown"],
] as const)("M-6: %s resolves by the four rules", ([, to, expected]) => {
  expect(resolved(to)).toEqual(expected);
});

test.for([
  ["its address", ALICE],
  ["its name", "alice"],
  ["the beginning of its id", "0a11ce00"],
])("M-6: a session can not write to itself by %s", ([, to]) => {
  expect(resolved(to as string, ALICE)).toBe("address/self");
});

test("M-6: a session that is not in the list of running ones still knows its own full id", () => {
  expect(resolved(ALICE, ALICE, [])).toBe("address/self");
});

test("M-6: a name that the session shares with another is refused with both", () => {
  expect(resolved("twin", "worker_1")).toEqual(["address/ambiguous", "worker_1", "worker_2"]);
});

test("M-6: a refusal carries what was typed and each candidate's name", () => {
  expect(resolveAddress(" nobody", { self: ALICE, running: RUNNING })).toEqual({
    ok: false,
    error: { code: "address/unknown", to: " nobody" },
  });
  expect(resolveAddress("twin", { self: ALICE, running: RUNNING })).toEqual({
    ok: false,
    error: { code: "address/ambiguous", to: "twin", candidates: [RUNNING[3], RUNNING[4]] },
  });
});

const sessions = fc.uniqueArray(
  fc.record(
    { address, name: fc.oneof(fc.constantFrom("alice", "bob", "0a11ce00"), hostileText(12)) },
    { requiredKeys: ["address"] },
  ),
  { selector: (one) => one.address, maxLength: 8 },
);

test("M-6: a receiver is one running session that the text names, or a full id, and never the sender", () => {
  const typed = fc
    .tuple(sessions, address, fc.nat(), fc.nat(40), hostileText(12))
    .map(([running, self, at, cut, text]) => {
      const one = running[at % Math.max(1, running.length)];
      const known = [one?.address.slice(0, cut), one?.name, one?.address, text][at % 4] ?? text;
      return { running, self, to: known };
    });
  fc.assert(
    fc.property(typed, ({ running, self, to }) => {
      const wanted = to.trim();
      const byAddress = running.filter((one) => one.address === wanted);
      const byName = running.filter((one) => one.name === to || one.name === wanted);
      const byStart = running.filter((one) => wanted.length >= 8 && one.address.startsWith(wanted));
      const [matches] = [byAddress, isFullId(wanted) ? [{ address: wanted }] : [], byName, byStart].filter(
        (some) => some.length > 0,
      );
      const found = resolveAddress(to, { self, running });
      if (matches === undefined) expect(found).toEqual({ ok: false, error: { code: "address/unknown", to } });
      else if (matches.length > 1) {
        expect(found).toEqual({ ok: false, error: { code: "address/ambiguous", to, candidates: matches } });
      } else if (matches[0]?.address === self)
        expect(found).toEqual({ ok: false, error: { code: "address/self", to } });
      else expect(found).toEqual({ ok: true, value: matches[0]?.address });
    }),
    { numRuns: 500 },
  );
});

test("M-6: a short id is the first 8 characters of an id", () => {
  expect(MIN_ID_PREFIX).toBe(8);
  expect(shortId(ALICE)).toBe("0a11ce00");
  expect(shortId("abc")).toBe("abc");
});

test("M-6: a short id grows until it tells apart ids that begin alike", () => {
  const shown = uniqueShortIds([BOB, ALICE, BOB_TOO, "abc", "abcd"]);
  expect(Object.fromEntries(shown)).toEqual({
    [ALICE]: "0a11ce00",
    [BOB]: BOB,
    [BOB_TOO]: BOB_TOO,
    abc: "abc",
    abcd: "abcd",
  });
  expect(uniqueShortIds(["abcdefgh-1xyz", "abcdefgh-2xyz", "zzzzzzzz-3"])).toEqual(
    new Map([
      ["abcdefgh-1xyz", "abcdefgh-1"],
      ["abcdefgh-2xyz", "abcdefgh-2"],
      ["zzzzzzzz-3", "zzzzzzzz"],
    ]),
  );
  expect(uniqueShortIds([])).toEqual(new Map());
});

test("M-6: short ids of any sessions are beginnings of 8 characters or more, no longer than needed, and each resolves", () => {
  const alike = fc.stringMatching(/^(0a11ce00-0000-4000|0a11ce00|b)[ab-]{1,12}$/);
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(alike, fc.uuid()), { maxLength: 12 }), (addresses) => {
      const shown = uniqueShortIds([...addresses, ...addresses]);
      expect([...shown.keys()].sort()).toEqual([...addresses].sort());
      expect(new Set(shown.values()).size).toBe(addresses.length);
      for (const [id, short] of shown) {
        expect(id.startsWith(short)).toBe(true);
        expect(short.length).toBeGreaterThanOrEqual(Math.min(8, id.length));
        const others = addresses.filter((other) => other !== id);
        if (short !== id) expect(others.filter((other) => other.startsWith(short))).toEqual([]);
        const shorter = short.slice(0, -1);
        if (short.length > 8) expect(others.some((other) => other.startsWith(shorter))).toBe(true);
        if (short.length >= 8) {
          const running = addresses.map((one) => ({ address: one }));
          expect(resolveAddress(short, { self: "self", running })).toEqual({ ok: true, value: id });
        }
      }
    }),
  );
});
