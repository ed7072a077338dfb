import { visibleWidth } from "@earendil-works/pi-tui";
import { CustomMessageComponent, type ExtensionAPI, initTheme } from "@mariozechner/pi-coding-agent";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  MAIL_CUSTOM_TYPE,
  type MailDetails,
  type MailRenderer,
  type MailRenderOptions,
  registerMailRenderer,
  renderMail,
} from "../../src/extension/mail-renderer.ts";
import { cellsOf, cleanLines, type RowTheme } from "../../src/extension/text-rows.ts";

const ID = "3f2a9c1b-0000-4000-8000-000000000001";
const THEME: RowTheme = { fg: (_color, text) => `\x1b[35m${text}\x1b[39m`, bold: (text) => `\x1b[1m${text}\x1b[22m` };
const COLORS = /\x1b\[[0-9;]*m/g;
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

function mail(body: string, details: Partial<MailDetails> = {}) {
  const label = "[mailbox] From alice.\n\n";
  const place = { bodyStart: label.length, bodyEnd: label.length + body.length };
  return {
    content: `${label}${body}\n\n[mailbox] End of the mail.`,
    details: { id: ID, kind: "request", sender: "alice", ...place, ...details } as MailDetails,
  };
}

function draw(message: Parameters<MailRenderer>[0], options: MailRenderOptions & { width?: number } = {}): string[] {
  const rows = renderMail(message, { outputPad: 0, ...options }, THEME)?.render(options.width ?? 80);
  return (rows ?? []).map((row) => row.replace(COLORS, ""));
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");
}

test("M-27: mail shows a head line and its body, without the lines that frame it", () => {
  expect(draw(mail("Please run the tests.\n  Then tell me.\n"))).toEqual([
    "✉ Request from alice · 3f2a9c1b",
    "│ Please run the tests.",
    "│   Then tell me.",
  ]);
});

test.for([
  [{ kind: "ask", hops: 2, hopLimit: 5 }, "? Ask from alice · hops 2/5 · 3f2a9c1b"],
  [{ kind: "ask", hops: 2 }, "? Ask from alice · hops 2 · 3f2a9c1b"],
  [{ kind: "message", hops: 0, hopLimit: 5 }, "✉ Message from alice · 3f2a9c1b"],
  [{ kind: "reply", status: "done" }, "← Reply from alice · done · 3f2a9c1b"],
  [{ kind: "reply", status: "failed", note: "late answer" }, "← Reply from alice · failed · late answer · 3f2a9c1b"],
  [{ kind: "request", status: "done" }, "✉ Request from alice · 3f2a9c1b"],
  [{ sender: "", from: "98765432-1" }, "✉ Request from 98765432 · 3f2a9c1b"],
  [{ kind: undefined, sender: undefined }, "✉ Mail · 3f2a9c1b"],
] as [Partial<MailDetails>, string][])("M-27: the head says what the mail is: %j", ([details, head]) => {
  expect(draw(mail("text", details))[0]).toBe(head);
});

test("M-27: a head too long for the screen leaves facts out from its end, then is cut", () => {
  const message = mail("text", { kind: "reply", status: "stopped", hops: 1, hopLimit: 5 });
  expect(draw(message, { width: 40 })[0]).toBe("← Reply from alice · stopped · hops 1/5");
  expect(draw(message, { width: 30 })[0]).toBe("← Reply from alice · stopped");
  expect(draw(message, { width: 12 })[0]).toBe("← Reply fro…");
});

test("M-27: a long body is folded to 8 lines, with how many more there are and the key that shows them", () => {
  const rows = draw(mail(lines(20)), { keyText: (key) => (key === "app.tools.expand" ? "alt+e" : "?") });
  expect(rows).toHaveLength(10);
  expect(rows.at(-2)).toBe("│ line 8");
  expect(rows.at(-1)).toBe("… 12 more lines (alt+e to expand)");
  expect(draw(mail(lines(8)))).toHaveLength(9);
  expect(draw(mail(lines(9))).at(-1)).toBe("… 1 more line (ctrl+o to expand)");
});

test("M-27: the fold counts lines as they stand on the screen", () => {
  expect(draw(mail("word ".repeat(200)), { width: 22 }).at(-1)).toBe("… 42 more lines (ctrl…");
});

test("M-27: an expanded body shows whole", () => {
  expect(draw(mail(lines(20)), { expanded: true })).toHaveLength(21);
});

test("M-27: a hint names no key where none is bound, and the usual one where the host can not tell", () => {
  expect(draw(mail(lines(20)), { keyText: () => "" }).at(-1)).toBe("… 12 more lines");
  const failing = () => {
    throw new Error("no keys");
  };
  expect(draw(mail(lines(20)), { keyText: failing }).at(-1)).toBe("… 12 more lines (ctrl+o to expand)");
});

test("M-27: the margin that Pi asks for is kept free", () => {
  expect(draw(mail("text"), { outputPad: 2 }).every((row) => row.startsWith("  "))).toBe(true);
});

test("M-27: escape sequences, control characters and direction overrides show as what they are", () => {
  expect(draw(mail("\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J\ta\rb \u202egnp.exe \u{e0041}\x9b5m"))).toEqual([
    "✉ Request from alice · 3f2a9c1b",
    "│ red ␛]0;title␇ ␛[2J   a",
    "│ b �gnp.exe ��5m",
  ]);
});

test("M-27: a sender's name can not start a line of its own", () => {
  expect(draw(mail("text", { sender: "a\nb\x1b[1A\u2028c" }))[0]).toBe("✉ Request from a b␛[1A c · 3f2a9c1b");
});

test.for([
  ["no details", { details: undefined }],
  ["only an id, as older messages have", { details: { id: ID } }],
  ["no id", { details: { ...mail("x").details, id: undefined } }],
  ["an unknown kind", { details: { ...mail("x").details, kind: "constructor" } }],
  ["an unknown status", { details: { ...mail("x").details, status: "fine" } }],
  ["a sender that is no text", { details: { ...mail("x").details, sender: 7 } }],
  ["hops below zero", { details: { ...mail("x").details, hops: -1 } }],
  ["a body that ends before it starts", { details: { ...mail("x").details, bodyEnd: 3 } }],
  ["a body past the end", { details: { ...mail("x").details, bodyEnd: 9999 } }],
  ["half a place", { details: { ...mail("x").details, bodyEnd: undefined } }],
  ["content in parts", { content: [{ type: "text", text: "x" }] }],
  ["details that are a list", { details: [] }],
] as [string, object][])("M-27: Pi shows the message as it stands when there is %s", ([, change]) => {
  expect(renderMail({ ...mail("x"), ...change }, {}, THEME)).toBeUndefined();
});

test("M-27: a theme that fails or changes the text is left out", () => {
  const fail = () => {
    throw new Error("no theme");
  };
  for (const theme of [{}, { fg: fail, bold: fail }, { fg: () => "something longer", bold: () => "\x1b[2J" }]) {
    expect(renderMail(mail("text"), { outputPad: 0 }, theme)?.render(80)).toEqual([
      "✉ Request from alice · 3f2a9c1b",
      "│ text",
    ]);
  }
});

test("M-27: a new theme shows after invalidate", () => {
  let color = "\x1b[31m";
  const rows = renderMail(mail("text"), {}, { fg: (_name, text) => `${color}${text}\x1b[39m` });
  const before = rows?.render(80);
  color = "\x1b[32m";
  expect(rows?.render(80)).toBe(before);
  rows?.invalidate();
  expect(rows?.render(80).join("")).toContain("\x1b[32m");
});

test("M-27: a host without message renderers is left alone, another gets one for mail", () => {
  registerMailRenderer({});
  const registered: string[] = [];
  registerMailRenderer({ registerMessageRenderer: (customType) => registered.push(customType) });
  expect(registered).toEqual(["mailbox"]);
  // Compiles only while Pi's own API fits.
  ((pi: ExtensionAPI) => registerMailRenderer(pi)) satisfies (pi: ExtensionAPI) => void;
});

test("M-27: Pi's own message component shows it", () => {
  initTheme("dark");
  const message = {
    role: "custom" as const,
    customType: MAIL_CUSTOM_TYPE,
    display: true,
    timestamp: 0,
    ...mail("Hello."),
  };
  const rows = new CustomMessageComponent(message, renderMail)
    .render(60)
    .map((row) => row.replace(COLORS, "").trimEnd());
  expect(rows).toEqual(["", " ✉ Request from alice · 3f2a9c1b", " │ Hello."]);
});

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom(
      ..."ab \t\n\r漢字한ｱｶﾞ👍",
      "👩‍💻",
      "👍🏽",
      "🇫🇷",
      "🇫",
      "1️⃣",
      "é",
      "किं",
      "ำ",
      "\u200d",
      "\ufe0f",
      "\x1b[31m",
      "\x1b]8;;x\x07",
      "\u202e",
      "\ud800",
      "✉️",
    ),
    maxLength: 200,
  }),
);

test("M-27: no row is wider than the screen or carries anything but text and colour, whatever the mail", () => {
  fc.assert(
    fc.property(
      anyText,
      anyText,
      fc.integer({ min: 1, max: 200 }),
      fc.boolean(),
      fc.integer({ min: 0, max: 9 }),
      (body, sender, width, expanded, outputPad) => {
        const rows =
          renderMail(mail(body, { sender, note: sender }), { expanded, outputPad }, THEME)?.render(width) ?? [];
        expect(rows.length).toBeGreaterThan(0);
        for (const row of rows) {
          expect(visibleWidth(row)).toBeLessThanOrEqual(width);
          expect(row.replace(COLORS, "")).not.toMatch(CONTROLS);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test.for([1, 2, 3, 5, 10])("M-27: wide characters and words fit a screen of %i columns", (width) => {
  const rows = renderMail(mail("漢字 👩‍💻 unbreakable\tend"), { expanded: true }, THEME)?.render(width) ?? [];
  expect(Math.max(...rows.map(visibleWidth))).toBeLessThanOrEqual(width);
});

test("M-27: no character is measured narrower than Pi measures it", () => {
  const narrower: string[] = [];
  for (let code = 0; code <= 0x1ffff; code++) {
    const shown = cleanLines(String.fromCodePoint(code)).join("");
    if (cellsOf(shown) < visibleWidth(shown)) narrower.push(code.toString(16));
  }
  expect(narrower).toEqual([]);
});

test("M-27: an older Pi counts a vowel twice after a mark without a letter, so that is measured as two cells", () => {
  expect(cellsOf("\u20e3\u0e33")).toBe(2);
});
