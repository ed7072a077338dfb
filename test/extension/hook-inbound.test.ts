import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { immediates, MailHome, type MailHost, type MailHostOptions, STRANGER } from "../support/mail-host.ts";

interface Inbound {
  envelope: Record<string, unknown> & { id: string };
  path: string;
  requests: { envelope: { id: string; body: string }; path: string }[];
  handled: unknown;
}

/** A session with a listener that is loaded before or after the extension. */
function listened(
  home: MailHome,
  listener: (payload: Inbound, host: MailHost | undefined) => void,
  when: "before" | "after" = "after",
): Promise<MailHost> {
  let host: MailHost | undefined;
  const load: NonNullable<MailHostOptions["after"]> = (pi) => {
    pi.events.on("message:inbound", (payload) => listener(payload as Inbound, host));
  };
  return home.open(when === "before" ? { before: load } : { after: load }).then((opened) => {
    host = opened;
    return opened;
  });
}

test("M-18: message:inbound brings every claimed letter with the path it lies at, before it is shown", async () => {
  await using home = new MailHome();
  const seen: Inbound[] = [];
  const shownThen: number[] = [];
  const host = await listened(home, (payload, self) => {
    seen.push(payload);
    shownThen.push(self?.sent.length ?? -1);
  });
  const kinds = ["request", "ask", "message", "reply"] as const;
  const letters = kinds.map((kind) => host.arrive({ from: STRANGER, kind, hops: 2, body: kind }));
  expect(seen.map(({ envelope }) => envelope)).toEqual(host.box("cur"));
  expect(seen.map(({ envelope }) => envelope.id)).toEqual(letters.map(({ id }) => id));
  expect(seen.every(({ path }) => path.includes(`/${host.address}/cur/`) && existsSync(path))).toBe(true);
  expect(seen.every(({ requests, handled }) => requests.length === 0 && handled === false)).toBe(true);
  expect(shownThen).toEqual([0, 1, 2, 3]);
});

test("M-18: an old envelope is emitted with kind and hops filled in", async () => {
  await using home = new MailHome();
  const seen: Inbound[] = [];
  const host = await listened(home, (payload) => seen.push(payload));
  home.drop(host.address, {
    id: "old",
    from: STRANGER,
    to: host.address,
    in_reply_to: [],
    status: "",
    ts: "",
    body: "",
  });
  home.drop(host.address, { id: "old-reply", from: STRANGER, in_reply_to: ["x"], status: "done", body: "" });
  host.scan();
  expect(seen.map(({ envelope }) => [envelope["kind"], envelope["hops"]])).toEqual([
    ["request", 0],
    ["reply", 0],
  ]);
});

test("M-18: a reply brings the copies of what it answers, and is shorter where a copy is missing", async () => {
  await using home = new MailHome();
  const seen: Inbound[] = [];
  const host = await listened(home, (payload) => seen.push(payload));
  const [first, second] = ["one", "two"].map((body) => home.put({ from: host.address, to: STRANGER, body }).id);
  host.arrive({ from: STRANGER, kind: "reply", inReplyTo: [second ?? "", "no-copy", first ?? ""] });
  expect(seen[0]?.envelope["in_reply_to"]).toEqual([second, "no-copy", first]);
  expect(seen[0]?.requests.map(({ envelope }) => [envelope.id, envelope.body])).toEqual([
    [second, "two"],
    [first, "one"],
  ]);
  for (const { path } of seen[0]?.requests ?? []) expect(existsSync(path)).toBe(true);
});

test.for(["before", "after"] as const)(
  "M-18: a listener loaded %s ours that handles a letter owns its display",
  async (when) => {
    await using home = new MailHome();
    const host = await listened(
      home,
      (payload) => {
        payload.handled = payload.envelope.id !== "mine";
      },
      when,
    );
    host.arrive({ from: STRANGER, id: "theirs" });
    host.arrive({ from: STRANGER, id: "mine" });
    expect(host.shownIds()).toEqual(["mine"]);
    await host.run("the answer");
    expect(home.inbox(STRANGER)).toMatchObject([{ in_reply_to: ["theirs", "mine"], status: "done" }]);
  },
);

test.for([1, "true", {}, undefined, null])("M-18: handled set to %j is not handled", async (handled) => {
  await using home = new MailHome();
  const host = await listened(home, (payload) => {
    payload.handled = handled;
  });
  host.arrive({ from: STRANGER });
  expect(host.sent).toHaveLength(1);
});

test("M-18: a letter that a listener handled and the person then stopped is held, like one that was shown", async () => {
  await using home = new MailHome();
  const host = await listened(home, (payload) => {
    payload.handled = true;
  });
  const { id } = host.arrive({ from: STRANGER });
  await host.agentStart();
  await host.settle({ aborted: true });
  expect(home.inbox(STRANGER)).toEqual([]);
  await host.run("after all");
  expect(home.inbox(STRANGER)).toMatchObject([{ in_reply_to: [id], body: expect.stringMatching(/took over/) }]);
});

test("M-18: a listener that throws keeps neither this letter nor the next from being shown", async () => {
  await using home = new MailHome();
  const host = await listened(home, () => {
    throw new Error("listener failed");
  });
  const letters = [1, 2].map(() => host.arrive({ from: STRANGER }).id);
  expect(host.shownIds()).toEqual(letters);
  expect(host.errors.splice(0)).toHaveLength(2);
});

test("M-18, M-24: a letter is shown too on a host whose bus lets a listener's error through", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const { emit } = host.events;
  host.events.emit = (channel, payload) => {
    emit.call(host.events, channel, payload);
    if (channel === "message:inbound") throw new Error("listener failed");
  };
  const letters = [1, 2].map(() => host.arrive({ from: STRANGER }).id);
  expect(host.shownIds()).toEqual(letters);
  await host.run("answer");
  expect(home.inbox(STRANGER).flatMap(({ in_reply_to }) => in_reply_to)).toEqual(letters);
});

test("M-18: what a listener does to the payload's envelope changes nothing of the letter", async () => {
  await using home = new MailHome();
  const host = await listened(home, ({ envelope, requests }) => {
    Object.assign(envelope, { id: "other", from: "evil", body: "changed", kind: "message", hops: 99 });
    requests.length = 0;
  });
  const { id } = host.arrive({ from: STRANGER, body: "as sent" });
  expect(host.shownIds()).toEqual([id]);
  expect(host.texts()[0]).toContain("as sent");
  await host.run("answer");
  expect(home.inbox(STRANGER)).toMatchObject([{ in_reply_to: [id], hops: 1 }]);
});

test("M-18: a listener that has the inbox scanned gets the later letters before its own is shown, and each is shown once", async () => {
  await using home = new MailHome();
  const order: string[] = [];
  const host = await listened(home, ({ envelope }, self) => {
    order.push(`in ${envelope["body"]}`);
    self?.events.emit("message:scan", {});
    order.push(`out ${envelope["body"]}`);
  });
  const ids = ["one", "two", "three"].map((body) => home.put({ from: STRANGER, to: host.address, body }).id);
  host.scan();
  expect(order).toEqual(["in one", "in two", "in three", "out three", "out two", "out one"]);
  expect([...host.shownIds()].sort()).toEqual([...ids].sort());
  await host.run("answer");
  expect(home.inbox(STRANGER)).toHaveLength(1);
  expect(home.inbox(STRANGER)[0]?.in_reply_to.sort()).toEqual([...ids].sort());
});

test("M-18, M-23: a letter during whose event the session ends is not shown any more, but when it is resumed", async () => {
  await using home = new MailHome();
  const host = await listened(home, (_payload, self) => void self?.shutdown());
  const ids = [1, 2].map(() => home.put({ from: STRANGER, to: host.address }).id);
  host.scan();
  await immediates();
  expect(host.sent).toEqual([]);
  expect(home.inbox(STRANGER)).toEqual([]);
  const resumed = await home.open({ id: host.address });
  expect(resumed.shownIds()).toEqual(ids);
});

test("M-18: a listener that sends mail of its own from inside message:inbound can", async () => {
  await using home = new MailHome();
  const host = await listened(home, (_payload, self) => {
    self?.events.emit("message:send", { to: STRANGER, body: "seen" });
  });
  host.arrive({ from: STRANGER, kind: "message" });
  expect(home.inbox(STRANGER).map(({ body }) => body)).toEqual(["seen"]);
});

test("M-18: mail that waits at the start is emitted after every session_start handler, whenever they were loaded", async () => {
  for (const when of ["before", "after"] as const) {
    await using home = new MailHome();
    const order: string[] = [];
    const load: NonNullable<MailHostOptions["after"]> = (pi) => {
      pi.on("session_start", () => void order.push("listener started"));
      pi.events.on("message:inbound", () => order.push("inbound"));
    };
    const host = await home.open({ isStarted: false, [when]: load });
    home.put({ from: STRANGER, to: host.address });
    await host.sessionStart();
    expect(order).toEqual(["listener started"]);
    await immediates(1);
    expect(order).toEqual(["listener started", "inbound"]);
  }
});
