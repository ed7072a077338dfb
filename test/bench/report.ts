import type { Figure } from "./figure.ts";

const HEADER = ["", "median", "ratio", "spread", "goal", ""] as const;

/** The figures as a table for people, at most 80 characters wide. */
export function table(figures: readonly Figure[]): string {
  const rows = [HEADER, ...figures.map(cells)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))),
    )
    .map((row) => row.join("  ").trimEnd())
    .join("\n");
}

function cells({ name, value, unit, ratio, goal, met, runs }: Figure): string[] {
  return [
    name,
    `${short(value)} ${unit}`,
    ratio === null ? "" : short(ratio),
    `${short(Math.min(...runs))}..${short(Math.max(...runs))}`,
    goal === null ? "" : short(goal),
    met === null ? "" : met ? "met" : "MISSED",
  ];
}

function short(number: number): string {
  if (Number.isInteger(number)) return String(number);
  return number.toFixed(Math.abs(number) >= 100 ? 0 : Math.abs(number) >= 10 ? 1 : 2);
}
