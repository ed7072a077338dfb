/** Items taken from a generator before other work of the process gets its turn. */
const STEP = 200;

/** Runs a generator that reads many files to its end, with breaks, so that the session stays responsive. */
export async function inSteps<T>(items: Iterable<T>): Promise<T[]> {
  const all: T[] = [];
  let taken = 0;
  for (const item of items) {
    all.push(item);
    taken += 1;
    if (taken % STEP === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return all;
}
