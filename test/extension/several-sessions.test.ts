import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { MailHome, STRANGER } from "../support/mail-host.ts";
import { writeOriginalRecord } from "../support/original-form.ts";
import { waitFor } from "../support/wait-for.ts";

test("M-5: several sessions of one process have their own mail, names, states and debts", async () => {
  await using home = new MailHome();
  const anna = await home.open({ name: "anna" });
  const ben = await home.open({ name: "ben" });
  const toAnna = home.put({ from: STRANGER, to: anna.address, body: "for anna" });
  const toBen = home.put({ from: STRANGER, to: ben.address, body: "for ben" });
  anna.scan();
  expect([anna.shownIds(), ben.shownIds()]).toEqual([[toAnna.id], []]);
  ben.scan();
  expect([anna.shownIds(), ben.shownIds()]).toEqual([[toAnna.id], [toBen.id]]);

  await anna.agentStart();
  await anna.read();
  expect([anna.record()?.state, ben.record()?.state]).toEqual(["busy", "idle"]);
  await ben.run("ben's answer");
  await anna.assistant("anna's answer");
  await anna.settle();
  expect(home.inbox(STRANGER).map(({ from, body, in_reply_to }) => [from, body, in_reply_to])).toEqual([
    [ben.address, "ben's answer", [toBen.id]],
    [anna.address, "anna's answer", [toAnna.id]],
  ]);
});

test("M-5: a session that shuts down leaves the mail of the others in its process alone", async () => {
  await using home = new MailHome();
  const anna = await home.open({ name: "anna" });
  const ben = await home.open({ name: "ben" });
  await anna.shutdown();
  expect(home.running().map(({ name }) => name)).toEqual(["ben"]);
  const letter = ben.arrive({ from: STRANGER });
  expect(ben.shownIds()).toEqual([letter.id]);
  await ben.run("still here");
  expect(home.inbox(STRANGER).map(({ body }) => body)).toEqual(["still here"]);
});

test("M-5: a record says who runs, where, since when, and what it is doing", async () => {
  await using home = new MailHome();
  const host = await home.open({ name: "anna", cwd: "/work/anna" });
  expect(host.record()).toMatchObject({
    address: host.address,
    name: "anna",
    cwd: "/work/anna",
    pid: process.pid,
    state: "idle",
    waitingOn: "",
  });
  await host.agentStart();
  expect(host.record()?.state).toBe("busy");
  await host.rename("annabel");
  expect(host.record()).toMatchObject({ name: "annabel", state: "busy" });
  await host.settle();
  expect(host.record()).toMatchObject({ name: "annabel", state: "idle" });
  await host.rename("");
  expect(host.record()).not.toHaveProperty("name");
  await host.shutdown();
  expect(home.running()).toEqual([]);
});

test("M-5: at settle the record says idle before the replies are written", async () => {
  await using home = new MailHome();
  const states: (string | undefined)[] = [];
  const host = await home.open({
    around: {
      // Asked for an id exactly when a reply is about to be written.
      uuid: () => {
        states.push(host.record()?.state);
        return randomUUID();
      },
    },
  });
  host.arrive({ from: STRANGER });
  await host.run("answer");
  expect(states).toEqual(["idle"]);
});

test("M-5: the record of a session that started elsewhere since is left when ours shuts down", async () => {
  await using home = new MailHome();
  const host = await home.open();
  writeOriginalRecord(home.mailRoot, { address: host.address, cwd: "/other", pid: process.ppid });
  await host.shutdown();
  expect(home.running()).toMatchObject([{ address: host.address, pid: process.ppid }]);
});

test("M-5: a session that another process runs too says so, and takes up nothing of its earlier life", async () => {
  await using home = new MailHome();
  const first = await home.open();
  const { id } = first.arrive({ from: STRANGER });
  await first.agentStart();
  await first.read();
  first.crash();
  writeOriginalRecord(home.mailRoot, { address: first.address, cwd: "/other", pid: process.ppid });
  const second = await home.open({ id: first.address });
  expect(second.warnings()).toHaveLength(1);
  expect(second.warnings()[0]).toMatch(/another process/i);
  expect(second.shownIds()).not.toContain(id);
  expect(second.sent).toEqual([]);
});

test("M-5: the record that somebody removed is written again while the session runs", async () => {
  await using home = new MailHome();
  const host = await home.open({ name: "anna" });
  rmSync(`${home.mailRoot}/running/${host.address}.json`);
  await waitFor(() => host.record()?.name === "anna", { what: "the record" });
});

test("M-1, M-5: the mail root is looked up at each use, so another state folder takes effect at once", async () => {
  await using home = new MailHome();
  const other = new MailHome();
  try {
    const host = await home.open({ name: "anna" });
    host.env["XDG_STATE_HOME"] = other.stateHome;
    await host.agentStart();
    expect(other.running().map(({ name }) => name)).toEqual(["anna"]);
    other.put({ from: STRANGER, to: host.address, id: "elsewhere" });
    host.scan();
    expect(host.shownIds()).toEqual(["elsewhere"]);
    await host.shutdown();
    expect(other.running()).toEqual([]);
  } finally {
    await other.dispose();
  }
});
