import { expect, test } from "vitest";
import { MailHome, type MailHost, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";

/** A session in a turn that mail with these hops woke. */
async function wokenAt(home: MailHome, hops: number): Promise<MailHost> {
  const host = await home.open({ name: "anna" });
  host.arrive({ from: STRANGER, hops });
  await host.agentStart();
  await host.read();
  return host;
}

test.for<[string, object | string | undefined, number]>([
  ["no settings", undefined, 5],
  ["a settings file without the key", {}, 5],
  ["a limit of its own", { hopLimit: 2 }, 2],
  ["a limit of 1", { hopLimit: 1 }, 1],
  ["a limit that is not positive", { hopLimit: 0 }, 5],
  ["a limit that is no whole number", { hopLimit: 2.5 }, 5],
  ["a limit that is a text", { hopLimit: "9" }, 5],
  ["a file that is no JSON", "{", 5],
])("M-16, M-21: with %s, the model's mail is refused from the limit on", async ([, settings, limit]) => {
  await using home = new MailHome();
  if (settings !== undefined) home.settings(settings);
  const below = await wokenAt(home, limit - 2);
  await below.tool("send", { to: NEIGHBOUR, message: "goes" });
  await below.shutdown();

  const host = await wokenAt(home, limit - 1);
  const bob = await home.open({ name: "bob" });
  for (const [tool, to] of [
    ["send", "bob"],
    ["send", NEIGHBOUR],
    ["ask", "bob"],
  ] as const) {
    const reason = await host.refusal(tool, { to, message: "?" });
    expect(reason).toContain(String(limit));
    expect(reason).toMatch(/a person types in either session, the count starts again/);
  }
  expect(home.names(bob.address, "new")).toEqual([]);
  expect(home.inbox(NEIGHBOUR)).toHaveLength(1);
  expect(host.box("sent")).toEqual([]);
  expect(host.record()?.waitingOn).toBe("");
});

test("M-16: the limit is read at each send", async () => {
  await using home = new MailHome();
  home.settings({ hopLimit: 3 });
  const host = await wokenAt(home, 2);
  await host.refusal("send", { to: NEIGHBOUR, message: "?" });
  home.settings({ hopLimit: 4 });
  await host.tool("send", { to: NEIGHBOUR, message: "goes" });
  home.settings({ hopLimit: 2 });
  await host.refusal("send", { to: NEIGHBOUR, message: "?" });
  expect(home.inbox(NEIGHBOUR)).toHaveLength(1);
});

test("M-16: once a person types, the model may send again", async () => {
  await using home = new MailHome();
  const host = await wokenAt(home, 4);
  await host.refusal("send", { to: NEIGHBOUR, message: "?" });
  await host.input("yes, do");
  await host.tool("send", { to: NEIGHBOUR, message: "goes" });
  expect(home.inbox(NEIGHBOUR)).toMatchObject([{ hops: 0 }]);
});

test("M-16: answers carry the hops of the turn and are never refused", async () => {
  await using home = new MailHome();
  const host = await wokenAt(home, 40);
  const ask = host.arrive({ from: STRANGER, kind: "ask" });
  await host.read();
  await host.tool("reply", { ask: ask.id, message: "at once" });
  await host.assistant("at settle");
  await host.settle();
  expect(home.inbox(STRANGER).map(({ hops, body }) => [hops, body])).toEqual([
    [41, "at once"],
    [41, "at settle"],
  ]);
});

test("M-16: a request that the person types carries 0 and is never refused", async () => {
  await using home = new MailHome();
  const host = await wokenAt(home, 40);
  await host.command(`${NEIGHBOUR} from me`);
  expect(home.inbox(NEIGHBOUR)).toMatchObject([{ kind: "request", hops: 0 }]);
});

test("M-16: message:send carries the hops of a run that goes on, and is not refused for them", async () => {
  await using home = new MailHome();
  const host = await wokenAt(home, 40);
  const payload: Record<string, unknown> = { to: NEIGHBOUR, body: "from an extension" };
  host.events.emit("message:send", payload);
  expect(payload["error"]).toBeUndefined();
  expect(home.inbox(NEIGHBOUR)).toMatchObject([{ kind: "request", hops: 41 }]);
});

test("M-16: message:send carries 0 before a run begins and after it has settled", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const send = () => {
    const payload: { to: string; body: string; envelope?: { hops: number } } = { to: NEIGHBOUR, body: "x" };
    host.events.emit("message:send", payload);
    return payload.envelope?.hops;
  };
  expect(send()).toBe(0);
  host.arrive({ from: STRANGER, hops: 3 });
  expect(send()).toBe(0);
  await host.agentStart();
  expect(send()).toBe(4);
  await host.read();
  await host.settle();
  expect(send()).toBe(0);
});

test("M-16: two sessions whose models only write to each other are stopped at the limit", async () => {
  await using home = new MailHome();
  const anna = await home.open({ name: "anna" });
  const bob = await home.open({ name: "bob" });
  await anna.input("start");
  await anna.agentStart();
  let [writer, reader] = [anna, bob];
  let letters = 0;
  let refusal = "";
  while (refusal === "" && letters < 20) {
    const sent = writer.tool("send", { to: reader.address, message: "and you?" });
    refusal = await sent.then(
      () => "",
      (error: Error) => error.message,
    );
    letters += refusal === "" ? 1 : 0;
    await writer.assistant("sent");
    await writer.settle();
    reader.scan();
    await reader.agentStart();
    await reader.read();
    [writer, reader] = [reader, writer];
  }
  expect(letters).toBe(5);
  expect(refusal).toMatch(/hop limit is 5/);
});
