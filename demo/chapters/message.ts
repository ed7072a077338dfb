import type { Chapter } from "../chapter.ts";
import { calls, claimed, filePath, footer, says, sees, type } from "../telling.ts";
import { ANSWER } from "./answer.ts";

export const NOTE = "price_old goes in 2.4. Pass it on.";

/** alice leaves a message for a session that does not run; the message wakes it when it starts. */
export const message: Chapter = {
  title: "A message waits for dave, and wakes it",
  async play(stage) {
    const { story } = stage;
    story.narrate("dave is not running. Its id is enough: mail waits on the disk.");
    await type(stage, "alice", `Leave a note for dave, ${stage.id("dave")}.`);
    const { request } = await sees(stage, "alice", { expected: "your prompt", part: stage.id("dave"), show: "all" });
    stage.check(
      "bob's answer before the prompt, in the first request to alice's model",
      JSON.stringify(request.messages.slice(0, -1)).includes(ANSWER) &&
        stage.world.model.requestsOf("alice").length === 1,
      () => request.messages,
    );
    story.narrate("bob's answer stands before the prompt: alice's model has both.");
    await calls(stage, "alice", "session_mail_send", { to: stage.id("dave"), message: NOTE });
    await sees(stage, "alice", { expected: "that the message waits", part: "not running", show: "all" });
    const sent = await stage.see(
      "alice's message in dave/new",
      () => stage.letter("dave", "new", { kind: "message", from: stage.id("alice"), body: NOTE, hops: 0 }),
      () => stage.listing("dave", "new"),
    );
    const copy = stage.letter("alice", "sent", { id: sent.envelope.id });
    stage.check("its copy in alice/sent", copy !== undefined, () => stage.listing("alice", "sent"));
    story.exact("", "files", [`+ ${filePath("alice", "sent", sent)}`, `+ ${filePath("dave", "new", sent)}`]);
    await says(stage, "alice", "The note is there.");

    story.narrate("Now dave starts. Nobody types a word there, and yet its model begins to work:");
    await stage.start("dave");
    await sees(stage, "dave", { expected: "alice's message", part: NOTE, show: "label and body" });
    await claimed(stage, "dave", sent);
    story.exact("", "files", [`${filePath("dave", "new", sent)} -> dave/cur/`]);
    await footer(stage, "dave", "✉ 1 pending · 1 read");
  },
};
