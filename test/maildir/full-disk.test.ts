import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, test } from "vitest";
import { useTempRoot } from "../support/temp-root.ts";
import type { RoomOrder, RoomResult, RoomStep } from "./programs/little-room.ts";

const temp = useTempRoot();
const PROGRAM = fileURLToPath(new URL("./programs/little-room.ts", import.meta.url));
const DISK_KIB = 64;
/** A disk of its own for one command, where the system lets this user mount one. */
const SMALL_DISK = [
  "unshare",
  "-rm",
  "sh",
  "-c",
  `mount -t tmpfs -o size=${DISK_KIB}k none "$0" && exec "$@"`,
] as const;

beforeEach(() => mkdirSync(temp.path));

function run(command: readonly string[], order: RoomOrder): RoomResult[] {
  const [program = "", ...args] = [...command, process.execPath, PROGRAM, JSON.stringify(order)];
  const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (stdout === "") throw new Error(`the program told nothing: ${stderr}`);
  return JSON.parse(stdout) as RoomResult[];
}

/** Takes the steps on a disk of 64 KiB, or with a quota of as much. */
function withLittleRoom(...steps: RoomStep[]): RoomResult[] {
  const [program, ...args] = SMALL_DISK;
  const canMount = spawnSync(program, [...args, temp.path, "true"]).status === 0;
  return canMount
    ? run([...SMALL_DISK, temp.path], { root: temp.path, quotaBytes: undefined, steps })
    : run([], { root: temp.path, quotaBytes: DISK_KIB * 1_024, steps });
}

const inBox = (result: RoomResult | undefined, box: string) =>
  result?.files.filter((file) => file.startsWith(`${box}/`)).length;

test.for([
  ["the sender's copy", 200_000],
  ["the letter, after the copy", 40_000],
] as const)("R-8: when the disk is full at %s, a send fails whole, says so and leaves nothing", ([, bytes]) => {
  const [sent, failed, again] = withLittleRoom(["send", "b", 1_000], ["send", "b", bytes], ["send", "b", 1_000]);
  expect(sent).toMatchObject({ errno: "" });
  expect(failed).toMatchObject({ errno: "ENOSPC" });
  expect(failed?.message).toContain("Make room on the disk, then send it again.");
  expect(failed?.files).toEqual(sent?.files);
  expect(again).toMatchObject({ errno: "" });
  expect(inBox(again, "b/new")).toBe(2);
});

test("R-8: sends work until the disk is full, none of them half, and again once there is room", () => {
  const sends = Array.from({ length: 20 }, (_, at): RoomStep => ["send", `b${at}`, 3_000]);
  const results = withLittleRoom(...sends, ["remove", "b0"], ["remove", "b1"], ["send", "c", 3_000]);
  const worked = results.slice(0, 20).filter(({ errno }) => errno === "");
  const failed = results.slice(0, 20).filter(({ errno }) => errno === "ENOSPC");
  expect(worked.length).toBeGreaterThan(3);
  expect(failed.length).toBeGreaterThan(3);
  expect(worked.length + failed.length).toBe(20);
  const full = results[19];
  expect(inBox(full, "a/sent")).toBe(worked.length);
  expect(full?.files.filter((file) => file.includes("/new/"))).toHaveLength(worked.length);
  expect(full?.files.filter((file) => file.includes("/tmp/"))).toEqual([]);
  expect(results.at(-1)).toMatchObject({ errno: "" });
  expect(inBox(results.at(-1), "c/new")).toBe(1);
});

test("R-8: a running record that can not be written leaves the one before, and nothing else", () => {
  const [written, failed, again] = withLittleRoom(["record", "b", 10], ["record", "b", 200_000], ["record", "b", 20]);
  expect(failed).toMatchObject({ errno: "ENOSPC", files: written?.files });
  expect(again).toMatchObject({ errno: "", files: written?.files });
});

test("R-8, M-12: a receipt that does not fit is an error, and the next ones are written once there is room", () => {
  const [, , failed, , again] = withLittleRoom(
    ["send", "b", 1_000],
    ["receipt", "b", 100],
    ["receipt", "b", 200_000],
    ["remove", "a"],
    ["receipt", "b", 100],
  );
  expect(failed).toMatchObject({ errno: "ENOSPC" });
  expect(again).toMatchObject({ errno: "" });
});

test("R-8: a letter that may not become as large as it is (a limit on files) fails whole too", () => {
  const limited = ["sh", "-c", 'ulimit -f 64 && exec "$0" "$@"'];
  const steps: RoomStep[] = [
    ["send", "b", 1_000],
    ["send", "b", 200_000],
    ["send", "b", 1_000],
  ];
  const [sent, failed, again] = run(limited, { root: temp.path, quotaBytes: undefined, steps });
  expect(failed).toMatchObject({ errno: "EFBIG", files: sent?.files });
  expect(inBox(again, "b/new")).toBe(2);
});

test("R-8: the quota that stands for a small disk cuts writes short as the disk does", () => {
  const steps: RoomStep[] = [
    ["send", "b", 40_000],
    ["record", "b", 50_000],
    ["receipt", "b", 80_000],
    ["record", "b", 9],
  ];
  const quota = run([], { root: temp.path, quotaBytes: DISK_KIB * 1_024, steps });
  rmSync(temp.path, { recursive: true });
  mkdirSync(temp.path);
  expect(withLittleRoom(...steps).map(({ errno, files }) => [errno, files])).toEqual(
    quota.map(({ errno, files }) => [errno, files]),
  );
});
