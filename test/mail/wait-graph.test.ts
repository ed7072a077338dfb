import fc from "fast-check";
import { expect, test } from "vitest";
import { type Waiter, waitLines } from "../../src/mail/wait-graph.ts";

const waiter = (address: string, waitingOn = "", state: "idle" | "busy" = "busy"): Waiter => ({
  address,
  waitingOn,
  state,
});

test.for([
  ["nobody waits", [waiter("a"), waiter("b", "", "idle")], []],
  ["a row ends at one that works", [waiter("a", "b"), waiter("b")], [["a>b", "moving"]]],
  ["a row ends at an idle one", [waiter("a", "b"), waiter("b", "c"), waiter("c", "", "idle")], [["a>b>c", "stalled"]]],
  ["a row ends at one that is gone", [waiter("a", "x")], [["a>x", "gone"]]],
  ["a circle of three", [waiter("a", "b"), waiter("b", "c"), waiter("c", "a")], [["a>b>c>a", "cycle"]]],
  ["a row that runs into a circle", [waiter("a", "b"), waiter("b", "c"), waiter("c", "b")], [["a>b>c>b", "cycle"]]],
  [
    "two that wait on the same one",
    [waiter("a", "c"), waiter("b", "c"), waiter("c")],
    [
      ["a>c", "moving"],
      ["b>c", "moving"],
    ],
  ],
] as const)("M-22: lines of waiting: %s", ([, sessions, lines]) => {
  expect(waitLines(sessions).map(({ addresses, end }) => [addresses.join(">"), end])).toEqual(lines);
});

test("M-22: every waiting session is in a line, whatever the graph, and a line follows what the sessions say", () => {
  const graph = fc
    .integer({ min: 0, max: 12 })
    .chain((size) => fc.array(fc.integer({ min: -1, max: size }), { minLength: size, maxLength: size }));
  fc.assert(
    fc.property(graph, (targets) => {
      const sessions = targets.map((target, at) => waiter(`s${at}`, target < 0 ? "" : `s${target}`));
      const lines = waitLines(sessions);
      const inLines = new Set(lines.flatMap((line) => line.addresses));
      for (const { address, waitingOn } of sessions) if (waitingOn !== "") expect(inLines).toContain(address);
      const waitsOn = new Map(sessions.map((session) => [session.address, session.waitingOn]));
      for (const { addresses, end } of lines) {
        addresses.slice(1).forEach((address, at) => {
          expect(waitsOn.get(addresses[at] ?? "")).toBe(address);
        });
        expect(end === "cycle").toBe(new Set(addresses).size < addresses.length);
      }
    }),
  );
});
