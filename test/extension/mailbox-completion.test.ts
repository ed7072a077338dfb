import { expect, test } from "vitest";
import { MailHome } from "../support/mail-host.ts";
import { writeOriginalRecord } from "../support/original-form.ts";

const HERE = { cwd: "/work", pid: process.pid };

test("M-6: while the receiver is typed, running sessions are offered by name or id, but not this one", async () => {
  await using home = new MailHome();
  writeOriginalRecord(home.mailRoot, { ...HERE, address: "aaaaaaaa-1", name: "anna" });
  writeOriginalRecord(home.mailRoot, { ...HERE, address: "bbbbbbbb-1", name: "Big Ben" });
  writeOriginalRecord(home.mailRoot, { ...HERE, address: "bbbbbbbb-2" });
  const host = await home.open({ name: "anton" });
  const offered = async (typed: string) => (await host.complete("mailbox", typed)).map((value) => value.trim());
  expect(await offered("")).toEqual(['"Big Ben"', "anna", "bbbbbbbb-2", "prune"]);
  expect(await offered("an")).toEqual(["anna"]);
  expect(await offered("AN")).toEqual(["anna"]);
  expect(await offered("bb")).toEqual(['"Big Ben"', "bbbbbbbb-2"]);
  expect(await offered('"big b')).toEqual(['"Big Ben"']);
  expect(await offered("p")).toEqual(["prune"]);
  expect(await offered("zz")).toEqual([]);
});

test("M-6: nothing is offered once the text has begun", async () => {
  await using home = new MailHome();
  writeOriginalRecord(home.mailRoot, { ...HERE, address: "aaaaaaaa-1", name: "anna" });
  const host = await home.open();
  for (const typed of ["anna ", "anna a", '"anna" ', '"anna" an', "x\ty"]) {
    expect(await host.complete("mailbox", typed)).toEqual([]);
  }
});

const AWKWARD = ["two words", 'say "hi"', "back\\slash", "prune", "tab\there", "two  blanks", "ünïcödé ☃", '"'];

test.for(AWKWARD)(
  "M-6: what is offered for a session called %j reaches it when it is typed as offered",
  async (name) => {
    await using home = new MailHome();
    writeOriginalRecord(home.mailRoot, { ...HERE, address: "awkward-1", name });
    const host = await home.open({ name: "me" });
    const offers = await host.complete("mailbox", "");
    for (const offer of offers.filter((value) => value !== "prune")) await host.command(`${offer}the text`);
    expect(home.inbox("awkward-1").map(({ body }) => body)).toEqual(["the text"]);
  },
);

test("M-6: sessions that share a name are offered by their ids", async () => {
  await using home = new MailHome();
  writeOriginalRecord(home.mailRoot, { ...HERE, address: "aaaaaaaa-1", name: "twin" });
  writeOriginalRecord(home.mailRoot, { ...HERE, address: "bbbbbbbb-1", name: "twin" });
  const host = await home.open({ name: "me" });
  const values = (await host.complete("mailbox", "tw")).map((value) => value.trim());
  expect(values.sort()).toEqual(["aaaaaaaa-1", "bbbbbbbb-1"]);
});

test("M-6: what an offer says of a session has a short id that is its own", async () => {
  await using home = new MailHome();
  writeOriginalRecord(home.mailRoot, { ...HERE, address: "12345678-1", name: "one" });
  writeOriginalRecord(home.mailRoot, { ...HERE, address: "12345678-2", name: "two" });
  const host = await home.open({ name: "me" });
  const items = (await host.commands.get("mailbox")?.getArgumentCompletions?.("")) ?? [];
  const said = items.map(({ description }) => description?.split(" ")[0]).filter((word) => word !== undefined);
  expect(said).toEqual(["12345678-1", "12345678-2"]);
});
