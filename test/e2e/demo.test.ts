import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePaint, wantsColour } from "../../demo/paint.ts";
import { Story } from "../../demo/story.ts";
import { readRunning } from "../support/mail-files.ts";
import { PROJECT_EXTENSION } from "../support/pi-command.ts";
import { waitFor } from "../support/wait-for.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const DEADLINE_MS = 120_000;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "demo-test-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the demo as `npm run demo -- <args>` does. */
function startDemo(...args: string[]) {
  const child = spawn(process.execPath, ["demo/main.ts", ...args], {
    cwd: PROJECT,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: DEADLINE_MS,
    killSignal: "SIGKILL",
  });
  const shown = { out: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown.out += text;
  });
  const stderr = readText(child.stderr);
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const result = ended.then(async (exitCode) => ({ exitCode, out: shown.out, err: await stderr }));
  return { child, shown, result };
}

/** The folder that the demo says it works in. */
function folderOf(out: string): string {
  return /^ {2}(\/\S*mailroom-\S+)$/m.exec(out)?.[1] ?? "";
}

/** An extension that does something before this package's own is loaded. */
function writeExtension(name: string, statement: string): string {
  const path = join(folder, name);
  const source = `import mailroom from ${JSON.stringify(PROJECT_EXTENSION)};
export default function (pi) {
  ${statement}
  return mailroom(pi);
}
`;
  writeFileSync(path, source);
  return path;
}

function writeEmptyExtension(): string {
  const path = join(folder, "empty.ts");
  writeFileSync(path, "export default function () {}\n");
  return path;
}

test("D-1: the demo tells of a request, an ask, an answer, a message that waits and the hop limit", {
  timeout: DEADLINE_MS,
}, async () => {
  const { exitCode, out, err } = await startDemo("--plain").result;
  expect({ exitCode, err }, out).toEqual({ exitCode: 0, err: "" });

  const letter = "0\\d{3}…-[0-9a-f]{8}\\.json";
  const story = [
    /^1\. Three sessions start$/,
    /^ {2}alice {2}file {3}running\/[0-9a-f]{8}….json idle, pid \d+$/,
    /^2\. alice sends bob a request$/,
    /^ {2}you {4}type {3}in alice: \/mailbox bob Can the column price_old go\?$/,
    /^ {2}alice {2}notes {2}Sent [0-9a-f]{8}… to [0-9a-f]{8}…\.$/,
    /^ {2}bob {4}sees {3}\[mailbox\] From alice /,
    new RegExp(`^ {9}files {2}\\+ alice/sent/${letter}$`),
    new RegExp(`^ {16}\\+ bob/new/${letter} -> bob/cur/$`),
    /^ {4}"kind": "request",$/,
    /^ {2}alice {2}footer ✉ 1 awaiting$/,
    /^ {2}bob {4}footer ✉ 1 pending · 1 read$/,
    /^3\. bob asks carol, and waits for the answer$/,
    /^ {2}bob {4}calls {2}session_mail_ask carol /,
    /^ {9}file {3}running\/[0-9a-f]{8}….json busy, waitingOn carol$/,
    /^ {2}bob {4}footer ✉ 1 pending · 1 read · 1 awaiting$/,
    /^ {2}carol {2}calls {2}session_mail_reply /,
    /^ {2}bob {4}sees {3}No\. The last one moved to price in March\.$/,
    /^ {2}carol {2}says {3}Now back to my index\.$/,
    /^4\. bob's final answer goes home$/,
    new RegExp(`^ {9}files {2}\\+ alice/new/${letter} -> alice/cur/$`),
    /^ {2}alice -> bob {8}request {2}hops 0$/,
    /^ {2}├─ bob -> carol {5}ask {6}hops 1 {2}woken$/,
    /^ {2}│ {2}└─ carol -> bob {2}reply {4}hops 2 {2}answers$/,
    /^ {2}└─ bob -> alice {5}reply {4}hops 1 {2}answers$/,
    /^5\. A message waits for dave, and wakes it$/,
    new RegExp(`^ {16}\\+ dave/new/${letter}$`),
    new RegExp(`^ {9}files {2}dave/new/${letter} -> dave/cur/$`),
    /^6\. A chain grows, up to the hop limit$/,
    /^ {2}dave {3}sees {3}Mail has woken sessions 5 times/,
    /^ {2}alice -> dave {14}message {2}hops 0$/,
    /^ {11}└─ alice -> dave {2}message {2}hops 4 {2}woken$/,
    /^7\. The sessions end, the mail stays$/,
    /^ {2}Removed: \/\S+$/,
    /^ {2}✓ \d+ checks passed in \S+ s$/,
  ];
  const lines = out.split("\n");
  let at = 0;
  for (const wanted of story) {
    const found = lines.findIndex((line, index) => index >= at && wanted.test(line));
    expect(found, `${wanted} after line ${at} of\n${out}`).toBeGreaterThanOrEqual(at);
    at = found + 1;
  }
  expect(out).not.toContain("\u001b");
  const root = folderOf(out);
  expect(lines.filter((line) => line.length > 80 && !line.includes(root))).toEqual([]);
  expect(root).not.toBe("");
  expect(existsSync(root)).toBe(false);
});

test("D-1: without mail the demo ends at once with exit code 1, naming the step, and --keep leaves the folder", {
  timeout: DEADLINE_MS,
}, async () => {
  const { exitCode, out } = await startDemo("--plain", "--keep", "--extension", writeEmptyExtension()).result;
  expect(exitCode, out).toBe(1);
  expect(out).toContain('Failed in step 1, "Three sessions start".');
  expect(out).toMatch(
    /expected {2}running\/<id of alice>\.json to name the process of alice\n {2}seen {6}no such file/,
  );
  expect(out).not.toContain("checks passed");
  const root = folderOf(out);
  expect(existsSync(join(root, "agent"))).toBe(true);
  rmSync(root, { recursive: true });
});

test("D-1: a later step that does not happen is named too, with what was seen instead", {
  timeout: DEADLINE_MS,
}, async () => {
  const noReply = writeExtension(
    "no-reply.ts",
    'pi.on("tool_call", ({ toolName }) => toolName === "session_mail_reply" ? { block: true, reason: "no" } : undefined);',
  );
  const { exitCode, out } = await startDemo("--plain", `--extension=${noReply}`).result;
  expect(exitCode, out).toBe(1);
  expect(out).toContain('Failed in step 3, "bob asks carol, and waits for the answer".');
  expect(out).toMatch(/expected {2}a request to bob's model that shows carol's answer/);
  expect(out).toMatch(/seen {6}1 requests so far, all of them answered/);
  expect(out).not.toContain("4. bob's final answer");
  expect(existsSync(folderOf(out))).toBe(false);
});

test("D-1: Ctrl-C ends the sessions, removes the folder and exits with 130", { timeout: DEADLINE_MS }, async () => {
  const stuck = writeExtension("stuck.ts", 'pi.on("tool_call", () => new Promise(() => {}));');
  const { child, shown, result } = startDemo("--plain", "--extension", stuck);
  await waitFor(() => shown.out.includes("session_mail_ask"), { what: "step 3", deadlineMs: 60_000 });
  const root = folderOf(shown.out);
  const pids = readRunning(join(root, "state", "pi-session-mail")).map(({ pid }) => pid);
  expect(pids.length).toBe(3);
  child.kill("SIGINT");
  const { exitCode, out } = await result;
  expect(exitCode, out).toBe(130);
  expect(out).not.toContain("Failed");
  expect(existsSync(root)).toBe(false);
  expect(pids.filter(isRunning)).toEqual([]);
});

test("D-1: a mistake in the options is one line and exit code 2", async () => {
  const mistakes: [args: string[], problem: RegExp][] = [
    [["--fast"], /^demo: unknown option "--fast"; .*--help.*\n$/],
    [["--plain=yes"], /^demo: unknown option "--plain=yes"; .*\n$/],
    [["more"], /^demo: unknown option "more"; .*\n$/],
    [["--extension"], /^demo: --extension needs a path; .*\n$/],
    [["--extension", "/nowhere/at-all.ts"], /^demo: there is no extension at "\/nowhere\/at-all\.ts"; .*\n$/],
  ];
  for (const [args, problem] of mistakes) {
    const { exitCode, out, err } = await startDemo(...args).result;
    expect({ exitCode, out }, err).toEqual({ exitCode: 2, out: "" });
    expect(err).toMatch(problem);
  }
});

test("D-1: --help names every option", async () => {
  const { exitCode, out, err } = await startDemo("--help").result;
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  for (const option of ["--plain", "--keep", "--extension <path>", "--help"]) expect(out).toContain(`  ${option}`);
});

test("D-1: colour is for a terminal, and each of the names has its own", () => {
  expect(wantsColour({ isTTY: true }, {})).toBe(true);
  expect(wantsColour({ isTTY: true }, { NO_COLOR: "1" })).toBe(false);
  expect(wantsColour({ isTTY: true }, { TERM: "dumb" })).toBe(false);
  expect(wantsColour({}, {})).toBe(false);
  const tell = (colour: boolean) => {
    let out = "";
    const story = new Story(makePaint(colour), (text) => {
      out += text;
    });
    story.chapter(1, "alice begins");
    story.narrate("alice, bob, carol and dave");
    story.event("alice", "says", "hello bob");
    return out;
  };
  const colours = tell(true).match(/\u001b\[\d+m(?=(?:alice|bob|carol|dave)\u001b)/g);
  expect(new Set(colours).size).toBe(4);
  expect(tell(true).replaceAll(/\u001b\[\d*m/g, "")).toBe(tell(false));
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
