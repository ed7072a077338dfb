import { expect, test } from "vitest";
import { MailHome, STRANGER } from "../support/mail-host.ts";

test("M-18: message:scan has all waiting mail emitted and delivered before it sets scanned and returns", async () => {
  await using home = new MailHome();
  const seen: string[] = [];
  const host = await home.open({
    after: (pi) =>
      pi.events.on("message:inbound", (payload) => seen.push((payload as { envelope: { id: string } }).envelope.id)),
  });
  const ids = [1, 2, 3].map(() => home.put({ from: STRANGER, to: host.address }).id);
  const payload: Record<string, unknown> = {};
  host.events.emit("message:scan", payload);
  expect(payload).toEqual({ scanned: true });
  expect(seen).toEqual(ids);
  expect(host.shownIds()).toEqual(ids);
});

test("M-18: message:scan with nothing waiting, or something that is no mail, sets scanned too", async () => {
  await using home = new MailHome();
  const host = await home.open();
  home.drop(host.address, "null");
  for (let round = 0; round < 2; round += 1) {
    const payload: Record<string, unknown> = {};
    host.events.emit("message:scan", payload);
    expect(payload).toEqual({ scanned: true });
  }
  expect(host.warnings()).toHaveLength(1);
});

test("M-18: letters are delivered in the order of their names, which is the order of sending", async () => {
  await using home = new MailHome();
  const host = await home.open();
  const times = [1_700_000_000_300, 1_600_000_000_000, 1_700_000_000_100];
  const ids = times.map((tsMs) => home.put({ from: STRANGER, to: host.address, tsMs }).id);
  host.scan();
  expect(host.shownIds()).toEqual([ids[1], ids[2], ids[0]]);
});
