import { visibleWidth } from "@earendil-works/pi-tui";
import { defineTool, initTheme, ToolExecutionComponent } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RowTheme } from "../../src/extension/text-rows.ts";
import { type RowContext, type RowOptions, type RowResult, toolRows } from "../../src/extension/tool-rows.ts";

const ALICE = "0a11ce00-0000-4000-8000-000000000001";
const BOB = "0b0b0000-0000-4000-8000-000000000002";
const ASK = "a5c00000-0000-4000-8000-000000000003";
const THEME: RowTheme = { fg: (color, text) => `\x1b[${color.length}m${text}\x1b[39m` };
const COLORS = /\x1b\[[0-9;]*m/g;
const KEYS: RowContext = { keyText: () => "ctrl+o" };

type Tool = keyof typeof toolRows;

function call(tool: Tool, args: unknown, context: RowContext = {}, width = 80): string[] {
  return toolRows[tool].renderCall(args, THEME, context).render(width).map(plain);
}

function result(
  tool: Tool,
  shown: RowResult,
  { width = 80, ...options }: RowOptions & { width?: number } = {},
  context: RowContext = KEYS,
): string[] {
  return toolRows[tool].renderResult(shown, options, THEME, context).render(width).map(plain);
}

function plain(row: string): string {
  return row.replace(COLORS, "");
}

function text(body: string, details?: unknown): RowResult {
  return { content: [{ type: "text", text: body }], details };
}

test.for([
  ["list", {}, "✉ list sessions"],
  ["ask", { to: "bob", message: "Which branch?\nTell me soon." }, "? ask bob  Which branch? …"],
  ["reply", { ask: ASK, message: "main" }, "← answer ask a5c00000  main"],
  ["send", { to: BOB, message: "\n  done\x1b[2J" }, "✉ send to 0b0b0000  done␛[2J"],
  ["send", { to: "b" }, "✉ send to b"],
  ["ask", undefined, "? ask"],
  ["ask", { to: 7, message: [] }, "? ask"],
] as [Tool, unknown, string][])("M-27: a call of %s with %j is one row", ([tool, args, row]) => {
  expect(call(tool, args)).toEqual([row]);
});

test("M-27: an expanded call shows the whole message", () => {
  const rows = call("ask", { to: "bob", message: "Which branch?\nTell me soon." }, { expanded: true });
  expect(rows).toEqual(["? ask bob", "Which branch?", "Tell me soon."]);
});

test("M-27: a call that does not fit is cut", () => {
  expect(call("send", { to: "bob", message: "a long message for bob" }, {}, 20)).toEqual(["✉ send to bob  a lo…"]);
});

test.for([
  ["done", "✓ bob answered"],
  ["stopped", "■ bob was stopped; this is no answer"],
  ["failed", "✗ bob failed; this is no answer"],
  ["no answer yet", "… no answer from bob yet"],
  ["stopped running", "✗ bob stopped running"],
  ["stopped by user", "■ you stopped the wait"],
])("M-27: an ask that ended with %s says so in one row", ([outcome, row]) => {
  const details = { id: ASK, to: BOB, outcome, from: "bob" };
  expect(result("ask", text("framed\nanswer", details))).toEqual([`${row} (ctrl+o to expand)`]);
  expect(result("ask", text("framed\nanswer", details), { expanded: true })).toEqual([row, "framed", "answer"]);
});

test("M-27: an ask names the session asked when nobody answered", () => {
  const details = { id: ASK, to: BOB, outcome: "no answer yet" };
  expect(result("ask", text("", details))).toEqual(["… no answer from 0b0b0000 yet"]);
});

test.for([
  ["reply", { id: "m-1", ask: ASK, to: ALICE }, "✓ answered 0a11ce00"],
  ["send", { id: "m-1", to: BOB, running: true }, "✓ delivered to 0b0b0000"],
  ["send", { id: "m-1", to: BOB, running: false }, "✓ waits until 0b0b0000 runs again"],
] as [Tool, unknown, string][])("M-27: a result of %s is one row: %j", ([tool, details, row]) => {
  expect(result(tool, text("", details))).toEqual([row]);
});

test("M-27: the list of sessions is one row with names, states and who waits for whom", () => {
  const sessions = [
    { address: ALICE, name: "alice", cwd: "/a", state: "busy", waitingOn: "", self: true },
    { address: BOB, cwd: "/b", state: "busy", waitingOn: ALICE, self: false },
    { address: "c-3", name: "carol", cwd: "/c", state: "idle", waitingOn: "", self: false },
  ];
  expect(result("list", text("", { sessions }), { width: 120 })).toEqual([
    "3 running: alice (this session, busy) · 0b0b0000 (waits for alice) · carol (idle)",
  ]);
  expect(result("list", text("", { sessions: [] }))).toEqual(["0 running"]);
});

test.for([undefined, null, {}, [], { outcome: "constructor" }, { sessions: [null] }, { to: BOB, running: "yes" }])(
  "M-27: without usable details (%j) the text shows",
  (details) => {
    for (const tool of Object.keys(toolRows) as Tool[]) {
      expect(result(tool, text("first\nsecond", details))).toEqual(["first (ctrl+o to expand)"]);
      expect(result(tool, text("first", details))).toEqual(["first"]);
      expect(result(tool, text("first\nsecond", details), { expanded: true })).toEqual(["first", "second"]);
    }
  },
);

test("M-27: a refusal shows its text, whatever the details", () => {
  const refused = text("No session named bob.\nCall session_mail_list.", { to: BOB, running: true });
  expect(result("send", refused, {}, { ...KEYS, isError: true })).toEqual(["No session named bob. (ctrl+o to expand)"]);
});

test("M-27: a result with no text, or still on its way, is one row too", () => {
  expect(result("ask", {})).toEqual(["(no text)"]);
  expect(result("ask", { content: [] }, { isPartial: true })).toEqual(["…"]);
  expect(result("ask", text("waiting for bob\n2 min"), { isPartial: true })).toEqual(["waiting for bob"]);
});

test("M-27: no row of a tool is wider than the screen or carries anything but text and colour", () => {
  const value = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), fc.anything());
  const details = fc.record(
    {
      to: value,
      from: value,
      ask: value,
      outcome: fc.constantFrom("done", "stopped by user", "failed"),
      running: fc.boolean(),
      sessions: fc.array(
        fc.record({ address: value, name: value, state: value, waitingOn: value, self: fc.boolean() }),
      ),
    },
    { requiredKeys: [] },
  );
  const any = fc.tuple(
    fc.constantFrom(...(Object.keys(toolRows) as Tool[])),
    fc.record({ to: value, ask: value, message: value }, { requiredKeys: [] }),
    details,
    fc.string({ unit: "binary" }),
    fc.boolean(),
    fc.integer({ min: 1, max: 200 }),
  );
  fc.assert(
    fc.property(any, ([tool, args, found, body, expanded, width]) => {
      const rows = [
        ...toolRows[tool].renderCall(args, THEME, { expanded }).render(width),
        ...toolRows[tool].renderResult(text(body, found), { expanded }, THEME, KEYS).render(width),
      ];
      for (const row of rows) {
        expect(visibleWidth(row)).toBeLessThanOrEqual(width);
        expect(plain(row)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]/);
      }
    }),
    { numRuns: 1000 },
  );
});

test("M-27: Pi's own tool component shows the rows of a tool they are spread into", () => {
  initTheme("dark");
  const tool = defineTool({
    name: "session_mail_send",
    label: "Send mail",
    description: "Sends mail.",
    parameters: Type.Object({ to: Type.String(), message: Type.String() }),
    execute: async () => ({ content: [], details: { id: "m-1", to: BOB, running: true } }),
    ...toolRows.send,
  });
  const ui = { requestRender() {} } as unknown as ConstructorParameters<typeof ToolExecutionComponent>[5];
  const row = new ToolExecutionComponent(tool.name, "1", { to: "bob", message: "hi" }, {}, tool, ui, "/");
  row.updateResult({ content: [], details: { id: "m-1", to: BOB, running: true }, isError: false });
  const rows = row.render(60).map((line) => plain(line).trim());
  expect(rows.filter((line) => line !== "")).toEqual(["✉ send to bob  hi", "✓ delivered to 0b0b0000"]);
});
