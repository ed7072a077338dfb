import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow } from "../support/files-below.ts";
import { MailHome, STRANGER } from "../support/mail-host.ts";
import { originalEnvelope } from "../support/original-form.ts";
import { waitFor } from "../support/wait-for.ts";

const CORPUS = new URL("../corpus/envelopes/", import.meta.url);

/** Folders beside the mail root with a file in each, and what they look like. */
function neighbourhood(home: MailHome): () => unknown {
  const folders = [join(home.stateHome, "beside"), join(home.path, "outside")];
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "letter.json"), originalEnvelope({ from: STRANGER, to: "x", body: "outside" }).text);
  }
  return () =>
    folders.flatMap((folder) =>
      filesBelow(folder).map((file) => {
        const { size, mtimeMs, ino } = lstatSync(join(folder, file));
        return [folder, file, size, mtimeMs, ino, readFileSync(join(folder, file), "utf8")];
      }),
    );
}

const NO_FILES: Record<string, (path: string, home: MailHome) => void> = {
  "a pipe": (path) => void execFileSync("mkfifo", [path]),
  "a folder": (path) => mkdirSync(path),
  "a folder with a letter in it": (path) => {
    mkdirSync(path);
    writeFileSync(join(path, "000000000000001-a.json"), originalEnvelope({ from: STRANGER, to: "x" }).text);
  },
  "a link to a letter outside": (path, home) => symlinkSync(join(home.path, "outside", "letter.json"), path),
  "a link to a folder": (path, home) => symlinkSync(join(home.path, "outside"), path),
  "a link to nothing": (path) => symlinkSync("/nowhere/at/all.json", path),
  "a link to itself": (path) => symlinkSync(path, path),
};

test.for(Object.keys(NO_FILES))(
  "R-3: %s in the inbox is warned about once and left where it is, and other mail goes on",
  async (what) => {
    await using home = new MailHome();
    const look = neighbourhood(home);
    const before = look();
    const host = await home.open();
    const name = "000000000000001-planted.json";
    const planted = join(home.mailRoot, host.address, "new", name);
    NO_FILES[what]?.(planted, home);
    const { id } = host.arrive({ from: STRANGER });
    host.scan();
    host.scan();
    expect(host.shownIds()).toEqual([id]);
    expect(host.warnings()).toHaveLength(1);
    expect(host.warnings()[0]).toContain(name);
    expect(home.names(host.address, "new")).toEqual([name]);
    await host.run("answer");
    await host.shutdown();
    expect(lstatSync(planted).isFile()).toBe(false);
    expect(look()).toEqual(before);
  },
);

test("R-3: a socket in the inbox is warned about once and left where it is", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const server = createServer();
  // A socket's path has a short limit, so it is made in the folder itself.
  const cwd = process.cwd();
  process.chdir(join(home.mailRoot, host.address, "new"));
  await new Promise<void>((resolve) => server.listen("1-socket.json", resolve));
  process.chdir(cwd);
  const { id } = host.arrive({ from: STRANGER });
  host.scan();
  expect(host.shownIds()).toEqual([id]);
  expect(host.warnings()).toHaveLength(1);
  expect(home.names(host.address, "new")).toEqual(["1-socket.json"]);
  await new Promise((resolve) => server.close(resolve));
});

test("R-3: each file of the corpus is delivered or set aside with one warning, and kept byte for byte", async () => {
  await using home = new MailHome();
  const look = neighbourhood(home);
  const before = look();
  const host = await home.open();
  const files = readdirSync(CORPUS).map((file) => ({ file, bytes: readFileSync(new URL(file, CORPUS)) }));
  const kept = new Map(files.map(({ file, bytes }) => [home.drop(host.address, bytes), { file, bytes }]));
  host.scan();
  host.scan();
  const faults = files.filter(({ file }) => file.includes(".fault."));
  expect(faults.length).toBeGreaterThan(30);
  expect(host.warnings()).toHaveLength(faults.length);
  expect(home.names(host.address, "new")).toEqual([]);
  for (const [name, { file, bytes }] of kept) {
    expect(readFileSync(join(home.mailRoot, host.address, "cur", name)).equals(bytes), file).toBe(true);
  }
  const letters = files.filter(({ file }) => !faults.some((fault) => fault.file === file));
  const ids = new Set(letters.map(({ bytes }) => (JSON.parse(bytes.toString()) as { id: string }).id));
  expect(host.shownIds()).toEqual([...ids]);
  await host.run("answer");
  await host.shutdown();
  expect(look()).toEqual(before);
  expect(filesBelow(home.stateHome).every((file) => /^(beside|pi-session-mail)\//.test(file))).toBe(true);
});

test("R-3: a file of 100 MiB is set aside unread, and the letter behind it is delivered", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const name = home.drop(host.address, "");
  truncateSync(join(home.mailRoot, host.address, "new", name), 100 * 1024 * 1024);
  const { id } = host.arrive({ from: STRANGER });
  expect(host.shownIds()).toEqual([id]);
  expect(host.warnings()).toHaveLength(1);
  expect(host.warnings()[0]).toMatch(/larger than/);
  expect(lstatSync(join(home.mailRoot, host.address, "cur", name)).size).toBe(100 * 1024 * 1024);
});

test("R-3: a file that its writer is not done with is warned about once, and delivered once when it is whole", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const letter = originalEnvelope({ from: STRANGER, to: host.address, body: "written slowly" });
  const bytes = Buffer.from(letter.text);
  const file = openSync(join(home.mailRoot, host.address, "new", letter.fileName), "wx");
  const parts = [0, 1, 40, bytes.length - 2, bytes.length];
  for (const [at, end] of parts.entries()) {
    const start = parts[at - 1] ?? 0;
    if (end > start) writeSync(file, bytes, start, end - start);
    host.scan();
    if (end < bytes.length) expect(host.sent).toEqual([]);
  }
  closeSync(file);
  await waitFor(() => host.sent.length > 0, { what: "the letter" });
  expect(host.shownIds()).toEqual([letter.id]);
  expect(host.texts()[0]).toContain("\n\nwritten slowly\n\n");
  expect(host.warnings()).toHaveLength(1);
  // The next one takes a poll, which would show the first again.
  const next = originalEnvelope({ from: STRANGER, to: host.address });
  const name = home.drop(host.address, next.text.slice(0, 60));
  host.scan();
  appendFileSync(join(home.mailRoot, host.address, "cur", name), next.text.slice(60));
  await waitFor(() => host.sent.length > 1, { what: "the next letter" });
  expect(host.shownIds()).toEqual([letter.id, next.id]);
  await host.run("answer");
  expect(home.inbox(STRANGER)).toHaveLength(1);
});

const PATHS = [
  "../../outside/letter.json",
  "/etc/passwd",
  "..",
  "a/b",
  "a\u0000b",
  "x".repeat(5000),
  "__proto__",
  "\u202e",
];

test.for(PATHS)(
  "R-3: the id %j is no path: it is shown, answered and looked up, and nothing outside the root is touched",
  async (id) => {
    await using home = new MailHome();
    const look = neighbourhood(home);
    const before = look();
    const host = await home.open();
    host.arrive({ from: STRANGER, id: "plain", kind: "reply", inReplyTo: [id] });
    home.drop(host.address, {
      id,
      from: STRANGER,
      to: "../../outside",
      in_reply_to: [],
      body: "x",
      status: "",
      ts: "",
    });
    host.scan();
    expect(host.shownIds()).toEqual(["plain", id]);
    await host.run("answer");
    expect(home.inbox(STRANGER)).toMatchObject([{ in_reply_to: [id] }]);
    expect(await host.refusal("reply", { ask: id, message: "x" })).not.toBe("");
    await host.shutdown();
    const again = await home.open({ id: host.address, entries: host.entries });
    expect(again.sent).toEqual([]);
    expect(look()).toEqual(before);
  },
);

test.for(["../evil", "..", "/etc", "a b", "running", "a\u0000", "é"])(
  "R-3: mail that says it is from %j is set aside, and no folder is made for it",
  async (from) => {
    await using home = new MailHome();
    const host = await home.open();
    const folders = readdirSync(home.mailRoot).sort();
    home.drop(host.address, { id: "x", from, to: "", in_reply_to: [], body: "x", status: "", ts: "" });
    host.scan();
    await host.run("answer");
    await host.shutdown();
    expect(host.sent).toEqual([]);
    expect(host.warnings()).toHaveLength(1);
    expect(readdirSync(home.mailRoot).sort()).toEqual(folders);
  },
);
