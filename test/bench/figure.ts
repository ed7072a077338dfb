/** One figure of the benchmark, as `--json` prints it. */
export interface Figure {
  readonly name: string;
  /** Median over the runs. */
  readonly value: number;
  readonly unit: string;
  /** Median over the runs of the figure to its floor in the same run; null where there is no floor. */
  readonly ratio: number | null;
  /** For the ratio where there is one, else for the value; null for a figure that is information only. */
  readonly goal: number | null;
  readonly met: boolean | null;
  /** What each run gave, in order: the ratio where there is one, else the value. */
  readonly runs: readonly number[];
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** A figure against its floor, run by run; it has to stay at or below the goal. */
export function ratioFigure(about: {
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly floors: readonly number[];
  readonly goal?: number;
}): Figure {
  const { name, unit, values, floors, goal = null } = about;
  const runs = values.map((value, run) => value / (floors[run] ?? Number.NaN));
  const ratio = median(runs);
  return { name, value: median(values), unit, ratio, goal, met: goal === null ? null : ratio <= goal, runs };
}

/** A figure without a floor, which has to stay at or below the goal. */
export function plainFigure(about: {
  readonly name: string;
  readonly unit: string;
  readonly runs: readonly number[];
  readonly goal?: number;
}): Figure {
  const { name, unit, runs, goal = null } = about;
  const value = median(runs);
  return { name, value, unit, ratio: null, goal, met: goal === null ? null : value <= goal, runs };
}

/** A count that every run has to reach exactly; the run furthest from it is the value. */
export function countFigure(about: {
  readonly name: string;
  readonly unit: string;
  readonly runs: readonly number[];
  readonly goal: number;
}): Figure {
  const { name, unit, runs, goal } = about;
  const value = runs.reduce((worst, run) => (Math.abs(run - goal) > Math.abs(worst - goal) ? run : worst), goal);
  return { name, value, unit, ratio: null, goal, met: value === goal, runs };
}
