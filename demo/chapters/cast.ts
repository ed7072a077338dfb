import type { Chapter } from "../chapter.ts";
import { notice, type } from "../telling.ts";

const NAMES = ["alice", "bob", "carol"];

/** Three sessions start, and each can be found by the others. */
export const cast: Chapter = {
  title: "Three sessions start",
  async play(stage) {
    const { story } = stage;
    story.narrate(
      "alice, bob and carol are real Pi processes with the extension loaded. A session's address is its id; others call it by its name. While it runs, a small file says so:",
    );
    await stage.start(...NAMES);
    for (const name of NAMES) {
      const record = stage.record(name);
      stage.check(
        `running/<id of ${name}>.json to name the process of ${name}`,
        record?.name === name && record.pid === stage.pi(name).pid && record.state === "idle",
        () => record ?? "no such file",
      );
      story.event(name, "file", `running/${stage.short(stage.id(name))}.json  ${record?.state}, pid ${record?.pid}`);
    }
    story.narrate("Below, a session's folder is written with its name: bob/new/ is, on disk, <id of bob>/new/.");
    await type(stage, "alice", "/mailbox");
    const others = NAMES.filter((name) => name !== "alice").map((name) => stage.id(name));
    await notice(
      stage,
      "alice",
      "a notice with alice's address and the other sessions",
      (text) => text.includes(stage.id("alice")) && others.every((id) => text.includes(id)),
    );
  },
};
