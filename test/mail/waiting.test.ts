import fc from "fast-check";
import { expect, test } from "vitest";
import { patienceInCycle, waitingCycle } from "../../src/mail/waiting.ts";

function cycle(asker: string, target: string, waits: Record<string, string>): string[] | undefined {
  const table = new Map(Object.entries(waits));
  return waitingCycle(asker, target, (address) => table.get(address));
}

test.for([
  ["two who ask each other", "a", "b", { b: "a" }, ["a", "b"]],
  ["three in a ring", "a", "b", { b: "c", c: "a" }, ["a", "b", "c"]],
  ["five in a ring", "a", "b", { b: "c", c: "d", d: "e", e: "a" }, ["a", "b", "c", "d", "e"]],
  ["one who asks itself", "a", "a", {}, ["a"]],
  ["a ring that others wait on too", "a", "b", { b: "a", x: "b", y: "x" }, ["a", "b"]],
  ["an asker that has announced its wait already", "a", "b", { a: "b", b: "a" }, ["a", "b"]],
  ["a target that waits on nobody", "a", "b", {}, undefined],
  ["a target whose wait is over", "a", "b", { b: "" }, undefined],
  ["a line", "a", "b", { b: "c", c: "d" }, undefined],
  ["a line that ends in a session that is gone", "a", "b", { b: "c", c: "gone" }, undefined],
  ["a ring of others", "a", "b", { b: "c", c: "b" }, undefined],
  ["a ring of others further on", "a", "b", { b: "c", c: "d", d: "c" }, undefined],
  ["somebody else who waits on the asker", "a", "b", { x: "a" }, undefined],
  [
    "names of object properties",
    "__proto__",
    "constructor",
    { constructor: "__proto__" },
    ["__proto__", "constructor"],
  ],
] as const)("M-15, R-11: %s", ([, asker, target, waits, expected]) => {
  expect(cycle(asker, target, waits as Record<string, string>)).toEqual(expected);
});

const NODES = ["a", "b", "c", "d", "e", "f", "g"];
const node = fc.constantFrom(...NODES);
const graphs = fc
  .array(fc.option(fc.oneof(node, fc.constant(""), fc.constant("gone")), { nil: undefined }), {
    minLength: NODES.length,
    maxLength: NODES.length,
  })
  .map((targets) => new Map(NODES.map((from, at) => [from, targets[at]])));

test("M-15, R-11: on any graph of waits the walk ends, and finds a cycle exactly when the asker would wait on itself", () => {
  fc.assert(
    fc.property(graphs, node, node, (graph, asker, target) => {
      // Brute force: who is reached from the target within as many steps as there are sessions.
      const reached = [target];
      for (let step = 0; step < NODES.length; step += 1) {
        const last = reached.at(-1);
        const next = last === undefined || last === asker ? undefined : graph.get(last);
        if (next !== undefined && next !== "") reached.push(next);
      }
      const closes = reached.includes(asker);
      const found = waitingCycle(asker, target, (address) => graph.get(address));
      expect(found !== undefined).toBe(closes);
      if (found === undefined) return;
      expect(found).toEqual([asker, ...reached.slice(0, reached.indexOf(asker))]);
      expect(new Set(found).size).toBe(found.length);
      for (const [at, member] of found.entries()) {
        const next = found[at + 1] ?? asker;
        expect(at === 0 ? target : graph.get(member)).toBe(next);
      }
    }),
    { numRuns: 2000 },
  );
});

test("M-15: a chain of 10,000 waiting sessions is walked once", () => {
  let looks = 0;
  const next = (address: string): string => {
    looks += 1;
    return address === "s9999" ? "s0" : `s${Number(address.slice(1)) + 1}`;
  };
  expect(waitingCycle("s0", "s1", next)).toHaveLength(10_000);
  expect(looks).toBe(9999);
  looks = 0;
  expect(waitingCycle("other", "s0", next)).toBeUndefined();
  expect(looks).toBe(10_000);
});

test("M-15: nobody is asked whom the session without an address waits on", () => {
  const asked: string[] = [];
  const waits = (address: string): string => {
    asked.push(address);
    return "";
  };
  expect(waitingCycle("a", "b", waits)).toBeUndefined();
  expect(asked).toEqual(["b"]);
});

test.for([
  ["b", ["a", "b"], 0],
  ["a", ["a", "b"], 100],
  ["c", ["c", "a", "b"], 0],
  ["b", ["c", "a", "b"], 100],
  ["a", ["c", "a", "b"], 200],
  ["a", ["a"], 0],
] as const)("M-15: %s of the cycle %o gives way after %i ms", ([asker, members, patience]) => {
  expect(patienceInCycle(asker, members, 100)).toBe(patience);
});

test("M-15: of the members of a cycle exactly one gives way at once, and no two at the same moment", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 1000 }),
      (members, step) => {
        const patiences = members.map((member) => patienceInCycle(member, members, step));
        expect(patiences.filter((patience) => patience === 0)).toHaveLength(1);
        expect(patiences.sort((a, b) => a - b)).toEqual(members.map((_, at) => at * step));
      },
    ),
  );
});
