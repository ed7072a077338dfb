import { expect, test } from "vitest";
import { MailHome, NEIGHBOUR, STRANGER } from "../support/mail-host.ts";

test("M-4: 120 requests of one sender are answered by three replies that name each of them once", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const ids = Array.from({ length: 120 }, () => home.put({ from: STRANGER, to: host.address }).id);
  host.scan();
  await host.run("all done");
  const replies = home.inbox(STRANGER);
  expect(replies.map(({ in_reply_to }) => in_reply_to.length)).toEqual([50, 50, 20]);
  expect(replies.flatMap(({ in_reply_to }) => in_reply_to)).toEqual(ids);
  expect(replies.every(({ body, status }) => body === "all done" && status === "done")).toBe(true);
  await host.run("nothing owed any more");
  expect(home.inbox(STRANGER)).toHaveLength(3);
});

test("M-4: the replies to more than 50 requests are taken in by the session that asked", async () => {
  await using home = new MailHome();
  const asker = await home.open({ id: STRANGER });
  const host = await home.open({ name: "worker" });
  for (let at = 0; at < 51; at += 1) await asker.command(`worker job ${at}`);
  host.scan();
  await host.run("51 jobs done");
  asker.scan();
  expect(asker.warnings()).toEqual([]);
  expect(asker.sent).toHaveLength(2);
  expect(asker.box("cur").flatMap(({ in_reply_to }) => in_reply_to)).toHaveLength(51);
});

test("M-4: 60 held requests and 60 new ones are told apart in replies of at most 50 ids", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const arrive = () => Array.from({ length: 60 }, () => host.arrive({ from: STRANGER }).id);
  const held = arrive();
  await host.agentStart();
  await host.read();
  await host.settle({ aborted: true });
  const fresh = arrive();
  const other = host.arrive({ from: NEIGHBOUR }).id;
  await host.run("the answer");
  const replies = home.inbox(STRANGER);
  const idsOf = (isHeld: boolean) =>
    replies.flatMap(({ body, in_reply_to }) => (body.startsWith("(The user stopped") === isHeld ? in_reply_to : []));
  expect(replies.every(({ in_reply_to }) => in_reply_to.length <= 50)).toBe(true);
  expect(idsOf(true)).toEqual(held);
  expect(idsOf(false)).toEqual(fresh);
  expect(home.inbox(NEIGHBOUR).map(({ in_reply_to }) => in_reply_to)).toEqual([[other]]);
});
