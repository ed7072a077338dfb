import { expect, test } from "vitest";
import { immediates, MailHome, STRANGER } from "../support/mail-host.ts";

test("M-24: on a host with nothing but what every host has, mail is sent, shown, answered, asked for and counted", async () => {
  await using home = new MailHome();
  const anna = await home.open({ id: "anna-session-1", minimal: true });
  const bob = await home.open({ id: "bob-session-22", minimal: true });
  expect([...anna.tools.keys()].sort()).toEqual([
    "session_mail_ask",
    "session_mail_list",
    "session_mail_reply",
    "session_mail_send",
  ]);
  expect(await anna.tool("list")).toMatch(
    /^anna-ses anna-session-1 \(this session\): idle.*\nbob-sess bob-session-22: idle/,
  );
  expect(await anna.command("")).toContain("anna-session-1");

  const said = await anna.command("bob-sess how far?");
  bob.scan();
  await bob.run("5 miles");
  anna.scan();
  expect(said).toMatch(/^Sent \S+ to bob-session-22/);
  expect(anna.texts()[0]).toContain("\n\n5 miles\n\n");
  expect(anna.sent[0]?.options).toEqual({ triggerTurn: false, deliverAs: "followUp" });

  await anna.agentStart();
  const asked = anna.tool("ask", { to: "bob-session-22", message: "how long?" });
  bob.scan();
  await bob.agentStart();
  await bob.read();
  await bob.tool("reply", { ask: bob.box("cur").at(-1)?.id, message: "2 hours" });
  anna.scan();
  expect(await asked).toContain("\n\n2 hours\n\n");
  await anna.tool("send", { to: "bob-session-22", message: "thanks" });
  bob.scan();
  await bob.read();
  await bob.settle();
  expect(bob.texts().at(-1)).toContain("\n\nthanks\n\n");

  await anna.assistant("done");
  await anna.settle();
  expect(anna.footer()).toBe("✉ 2 read");
  await bob.shutdown();
  expect(home.running().map(({ address }) => address)).toEqual(["anna-session-1"]);
});

test("M-24: a minimal host tells a stopped run by its last message, and drops are noticed at settle", async () => {
  await using home = new MailHome();
  const host = await home.open({ minimal: true });
  const ask = host.arrive({ from: STRANGER, kind: "ask" });
  await host.agentStart();
  await host.read();
  const dropped = host.arrive({ from: STRANGER });
  await host.assistant("half", "aborted");
  await host.settle({ toldByEvent: false });
  expect(home.inbox(STRANGER)).toMatchObject([
    { status: "failed", in_reply_to: [dropped.id] },
    { status: "stopped", in_reply_to: [ask.id] },
  ]);
});

test("M-24: mail that waits at the start is delivered within one setImmediate after session_start, not inside it", async () => {
  for (const minimal of [false, true]) {
    await using home = new MailHome();
    const host = await home.open({ isStarted: false, minimal });
    const ids = [1, 2].map(() => home.put({ from: STRANGER, to: host.address }).id);
    await host.sessionStart();
    expect(host.sent).toEqual([]);
    await immediates(1);
    expect(host.shownIds()).toEqual(ids);
  }
});

test("M-24: environment variables are read when they are used", async () => {
  await using home = new MailHome();
  await using other = new MailHome();
  other.settings({ hopLimit: 1 });
  const host = await home.open();
  host.arrive({ from: STRANGER, hops: 0 });
  await host.agentStart();
  await host.tool("send", { to: STRANGER, message: "goes" });
  host.env["PI_CODING_AGENT_DIR"] = other.agentDir;
  expect(await host.refusal("send", { to: STRANGER, message: "?" })).toMatch(/hop limit is 1/);
  host.env["PI_CODING_AGENT_DIR"] = home.agentDir;
  host.env["XDG_STATE_HOME"] = other.stateHome;
  await host.command(`${STRANGER} elsewhere`);
  expect(other.inbox(STRANGER).map(({ body }) => body)).toEqual(["elsewhere"]);
  host.env["XDG_STATE_HOME"] = "relative/path";
  expect(await host.command("")).toContain(`${home.path}/.local/state/pi-session-mail`);
  host.env["XDG_STATE_HOME"] = home.stateHome;
});

test.for(["0.73.1", "0.79.9", "0.80.3", "0.58.3"])(
  "M-24: on Pi %s ours says once that it needs a newer one, and does nothing",
  async (hostVersion) => {
    await using home = new MailHome();
    const host = await home.open({ hostVersion });
    home.put({ from: STRANGER, to: host.address });
    await host.sessionStart();
    await host.run("a run");
    await immediates();
    expect(host.warnings()).toHaveLength(1);
    expect(host.warnings()[0]).toMatch(/needs Pi 0\.80\.4 or later/);
    expect(host.warnings()[0]).toContain(hostVersion);
    expect([host.sent, [...host.tools], [...host.commands], host.statusHistory]).toEqual([[], [], [], []]);
    expect(home.names(host.address, "new")).toHaveLength(1);
    expect(home.running()).toEqual([]);
    const payload: Record<string, unknown> = { to: STRANGER, body: "x" };
    host.events.emit("message:send", payload);
    host.events.emit("message:scan", payload);
    expect(Object.keys(payload)).toEqual(["to", "body"]);
  },
);

test.for(["0.80.4", "0.80.10", "0.81.0", "1.0.0", "1.6.0", "2.0.0-beta.1", "unreleased"])(
  "M-24: Pi %s is new enough",
  async (hostVersion) => {
    await using home = new MailHome();
    const host = await home.open({ hostVersion });
    host.arrive({ from: STRANGER });
    expect(host.sent).toHaveLength(1);
    expect(host.warnings()).toEqual([]);
  },
);
