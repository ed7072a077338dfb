import { tellChain } from "../chain-tree.ts";
import type { Chapter } from "../chapter.ts";
import { claimed, footer, says, tellFiles } from "../telling.ts";
import { QUESTION } from "./request.ts";

export const ANSWER = "Yes. carol says that no report reads it any more.";

/** bob's last words of the turn go back to alice by themselves. */
export const answer: Chapter = {
  title: "bob's final answer goes home",
  async play(stage) {
    const { story } = stage;
    story.narrate("bob's model just ends its turn. Its last words are the answer to alice's request:");
    await says(stage, "bob", ANSWER);
    const wanted = { kind: "reply", from: stage.id("bob"), status: "done", body: ANSWER };
    const reply = await stage.see(
      "bob's reply in alice/cur",
      () => stage.letter("alice", "cur", wanted),
      () => `${stage.listing("alice", "new")}; ${stage.listing("alice", "cur")}`,
    );
    const asked = stage.letter("alice", "sent", { kind: "request", body: QUESTION });
    stage.check(
      "the reply to name the request, and only that",
      asked !== undefined && reply.envelope.in_reply_to.join() === asked.envelope.id,
      () => reply.envelope.in_reply_to,
    );
    await claimed(stage, "alice", reply);
    tellFiles(stage, "bob", "alice", reply);
    await footer(stage, "alice", /\b1 read$/);
    const { isStreaming } = await stage.pi("alice").ready();
    const requests = stage.world.model.requestsOf("alice").length;
    stage.check(
      "alice to stay idle, and its model not to be asked",
      !isStreaming && requests === 0,
      () => `${requests} requests to its model${isStreaming ? ", and a run that goes on" : ""}`,
    );
    story.narrate(
      "It is shown in alice without a turn: alice's model has not been asked once so far. It sees the answer with your next prompt. The four letters, as a tree:",
    );
    tellChain(stage, reply.envelope.id, ["request 0", "ask 1", "reply 2", "reply 1"]);
  },
};
