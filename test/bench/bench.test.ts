import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { countFigure, type Figure, median, plainFigure, ratioFigure } from "./figure.ts";
import { table } from "./report.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const number = expect.any(Number);
const numberOrNull = expect.toSatisfy((value: unknown) => value === null || typeof value === "number");

test("P-1: --json prints every figure with its median, ratio, goal and runs, and nothing else", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, "--quick", "--json"]);
  const printed = JSON.parse(stdout) as { results: Figure[] };
  expect(Object.keys(printed)).toEqual(["results"]);
  expect(printed.results.length).toBeGreaterThan(10);
  for (const figure of printed.results) {
    expect(Object.keys(figure)).toEqual(["name", "value", "unit", "ratio", "goal", "met", "runs"]);
    expect(figure).toMatchObject({ value: number, ratio: numberOrNull, goal: numberOrNull });
    expect(typeof figure.name + typeof figure.unit).toBe("stringstring");
    expect(typeof figure.met).toBe(figure.goal === null ? "object" : "boolean");
    expect(figure.runs.length).toBeGreaterThan(0);
    expect(figure.runs).toEqual(figure.runs.map(() => number));
  }
  const names = printed.results.map((figure) => figure.name);
  expect(new Set(names).size).toBe(names.length);
  expect(printed.results.find((figure) => figure.unit === "ids")).toMatchObject({ value: 20, goal: 20, met: true });
});

test("P-1: a ratio is taken within each run, and its median is held against the goal", () => {
  const about = { name: "a", unit: "ms", values: [2, 30, 4], floors: [1, 10, 4] };
  const figure = { name: "a", value: 4, unit: "ms", ratio: 2, runs: [2, 3, 1] };
  expect(ratioFigure({ ...about, goal: 2 })).toEqual({ ...figure, goal: 2, met: true });
  expect(ratioFigure({ ...about, goal: 1.9 })).toEqual({ ...figure, goal: 1.9, met: false });
  expect(ratioFigure(about)).toEqual({ ...figure, goal: null, met: null });
  expect(plainFigure({ name: "a", unit: "ms", runs: [61], goal: 60 })).toMatchObject({ ratio: null, met: false });
  expect(median([4, 1, 3, 2])).toBe(2.5);
});

test("P-1: a count misses its goal when one run of many does", () => {
  const about = { name: "a", unit: "ids", goal: 8000 };
  expect(countFigure({ ...about, runs: [8000, 8000] })).toMatchObject({ value: 8000, met: true });
  expect(countFigure({ ...about, runs: [8000, 7999, 8000] })).toMatchObject({ value: 7999, met: false });
});

test("P-1: the table shows median, ratio, spread and goal in lines that a terminal holds", () => {
  const slow = ratioFigure({
    name: "deliver request, 10k + 10k, no footer",
    unit: "ms",
    values: [0.5, 0.7],
    floors: [0.4, 0.4],
    goal: 1.4,
  });
  const count = countFigure({ name: "16 senders x 500, arrived once each", unit: "ids", runs: [8000], goal: 8000 });
  const lines = table([slow, count]).split("\n");
  expect(lines.map((line) => line.replaceAll(/ {2,}/g, "|"))).toEqual([
    "|median|ratio|spread|goal",
    "deliver request, 10k + 10k, no footer|0.60 ms|1.50|1.25..1.75|1.40|MISSED",
    "16 senders x 500, arrived once each|8000 ids|8000..8000|8000|met",
  ]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});
