import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { expect, test } from "vitest";
import { immediates, MailHome, type MailHost, STRANGER } from "../support/mail-host.ts";
import rival from "../support/rival-extension.ts";

type Extension = (pi: ExtensionAPI) => void;

/** A mailbox extension that does not offer everything a mailbox extension has. */
const HOOKS_ONLY: Extension = (pi) => {
  pi.events.on("message:scan", (payload) => Object.assign(payload as object, { scanned: true }));
};
const HOOKS_FROM_ITS_START: Extension = (pi) => pi.on("session_start", () => HOOKS_ONLY(pi));
const ONE_TOOL: Extension = (pi) => {
  const execute = async () => ({ content: [], details: {} });
  pi.registerTool({ name: "session_mail_send", label: "x", description: "x", parameters: {} as never, execute });
};

/** Ours does nothing in this session, and has said so once. */
async function expectSteppedBack(host: MailHost): Promise<void> {
  const { home } = host;
  home.put({ from: STRANGER, to: host.address });
  host.events.emit("message:scan", {});
  const payload: { error?: string } = {};
  host.events.emit("message:send", payload);
  expect([undefined, "the rival sends nothing"]).toContain(payload.error);
  await host.run("a run");
  await host.sessionStart("resume");
  await immediates();
  expect(host.warnings()).toHaveLength(1);
  expect(host.warnings()[0]).toMatch(/another mailbox extension.*Remove one of the two/);
  expect(host.sent).toEqual([]);
  expect(home.names(host.address, "new")).toHaveLength(1);
  expect(home.running()).toEqual([]);
  expect(existsSync(join(home.mailRoot, host.address, "receipts.jsonl"))).toBe(false);
  expect([...host.tools.values()].filter(({ sourcePath }) => sourcePath.includes("mailroom"))).toEqual([]);
  expect([...host.commands.values()].filter(({ sourcePath }) => sourcePath.includes("mailroom"))).toEqual([]);
  await host.shutdown();
}

test.for<[string, "before" | "after", Extension]>([
  ["another mailbox", "before", rival],
  ["another mailbox", "after", rival],
  ["one that only answers the hooks", "before", HOOKS_ONLY],
  ["one that only answers the hooks", "after", HOOKS_ONLY],
  ["one that answers the hooks from its start on", "before", HOOKS_FROM_ITS_START],
  ["one that owns a tool of that name", "before", ONE_TOOL],
  ["one that owns a tool of that name", "after", ONE_TOOL],
])("M-25: with %s, loaded %s ours, ours steps back, says so once and touches no mail", async ([, when, extension]) => {
  await using home = new MailHome();
  await expectSteppedBack(await home.open({ [when]: extension }));
});

test("M-25: the tools, the command and the hooks of the other extension stay its own", async () => {
  await using home = new MailHome();
  for (const when of ["before", "after"] as const) {
    const host = await home.open({ [when]: rival });
    expect(await host.tool("list")).toBe("the rival's session_mail_list");
    expect(await host.command("")).toMatch(/the rival's \/mailbox/);
    const payload: { error?: string } = {};
    host.events.emit("message:send", payload);
    expect(payload.error).toBe("the rival sends nothing");
  }
});

test("M-25: on a minimal host, another extension that answers the hooks is found all the same", async () => {
  await using home = new MailHome();
  for (const when of ["before", "after"] as const) {
    const host = await home.open({ minimal: true, [when]: HOOKS_ONLY });
    host.arrive({ from: STRANGER });
    expect(host.sent).toEqual([]);
    expect(host.warnings()).toHaveLength(1);
  }
});

test("M-25, M-23: ours steps back again after each replacement of the session, once each", async () => {
  await using home = new MailHome();
  const host = await home.open({ after: rival });
  for (const [at, reason] of (["new", "reload", "fork"] as const).entries()) {
    await host.replace(reason);
    await immediates();
    expect(host.warnings()).toHaveLength(at + 2);
    expect(host.errors).toEqual([]);
  }
  host.arrive({ from: STRANGER });
  expect(host.sent).toEqual([]);
});

test("M-25: of two copies of ours one serves, before and after a replacement, and each letter is shown and answered once", async () => {
  await using home = new MailHome();
  const host = await home.open({ isStarted: false });
  await host.loadMailroom("/extensions/mailroom-copy.ts", {});
  await host.sessionStart();
  await immediates();
  for (const reason of [undefined, "new", "reload", "resume"] as const) {
    if (reason !== undefined) await host.replace(reason);
    await immediates();
    const before = host.sent.length;
    const answered = home.inbox(STRANGER).length;
    host.arrive({ from: STRANGER });
    await host.run("answer");
    expect(host.sent).toHaveLength(before + 1);
    expect(home.inbox(STRANGER)).toHaveLength(answered + 1);
    expect(home.running().map(({ address }) => address)).toEqual([host.address]);
  }
  expect(host.warnings().every((text) => /another mailbox extension/.test(text))).toBe(true);
  expect(host.errors).toEqual([]);
});

test("M-25: nobody is taken for a rival who only listens, or emits the hooks as a consumer", async () => {
  await using home = new MailHome();
  const host = await home.open({
    after: (pi) => {
      pi.events.on("message:inbound", () => {});
      pi.events.on("message:scan", () => {});
      pi.on("session_start", () => {
        pi.events.emit("message:scan", {});
        pi.events.emit("message:send", { to: STRANGER, body: "from the start on" });
      });
    },
  });
  host.arrive({ from: STRANGER });
  expect(host.sent).toHaveLength(1);
  expect(host.warnings()).toEqual([]);
  expect(home.inbox(STRANGER).map(({ body }) => body)).toEqual(["from the start on"]);
});

test("M-25: without a UI ours steps back in silence", async () => {
  await using home = new MailHome();
  const host = await home.open({ after: rival, hasUI: false });
  host.arrive({ from: STRANGER });
  expect([host.sent, host.notifications]).toEqual([[], []]);
});
