import type { Chapter } from "../chapter.ts";
import { claimed, footer, notice, sees, tellFiles, type } from "../telling.ts";

export const QUESTION = "Can the column price_old go?";

/** The user of alice asks bob for something; bob's model is woken by it. */
export const request: Chapter = {
  title: "alice sends bob a request",
  async play(stage) {
    const { story } = stage;
    story.narrate("You write a request with /mailbox. It costs alice's model nothing: the command writes a file.");
    await type(stage, "alice", `/mailbox bob ${QUESTION}`);
    const sent = await stage.see(
      "the copy of the request in alice/sent",
      () => stage.letter("alice", "sent", { kind: "request", body: QUESTION, to: stage.id("bob"), hops: 0 }),
      () => stage.listing("alice", "sent"),
    );
    const told = `Sent ${sent.envelope.id} to ${stage.id("bob")}.`;
    await notice(stage, "alice", `the notice "${told}"`, (text) => text === told);
    story.narrate("bob was idle. Its session claims the file, by a rename, and its model is woken with it:");
    await sees(stage, "bob", { expected: "the request", part: QUESTION, show: "all" });
    await claimed(stage, "bob", sent);
    tellFiles(stage, "alice", "bob", sent);
    story.event("", "", "+ bob/receipts.jsonl: claimed, read");
    story.narrate("The letter is plain JSON that any program can read or write:");
    story.block(JSON.stringify(sent.envelope, null, 2).split("\n"));
    story.narrate("And the footers of the two sessions, while bob works:");
    await footer(stage, "alice", "✉ 1 awaiting");
    await footer(stage, "bob", "✉ 1 pending · 1 read");
  },
};
