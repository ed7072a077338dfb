import type { Chapter } from "../chapter.ts";
import { StepFailed } from "../stage.ts";
import { calls, claimed, footer, says, sees, tellFiles } from "../telling.ts";

const QUESTION = "Does any report still read price_old?";
const ANSWER = "No. The last one moved to price in March.";
const FULL_ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** bob's model asks carol and waits; carol answers in the middle of its turn. */
export const ask: Chapter = {
  title: "bob asks carol, and waits for the answer",
  async play(stage) {
    const { story } = stage;
    story.narrate("bob's model does not know. It asks carol; its tool call waits until the answer is there.");
    await calls(stage, "bob", "session_mail_ask", { to: "carol", message: QUESTION });
    const { saw } = await sees(stage, "carol", { expected: "the ask", part: QUESTION, show: "label and body" });
    const asked = await stage.see(
      "the copy of the ask in bob/sent, one hop on from the request",
      () => stage.letter("bob", "sent", { kind: "ask", body: QUESTION, to: stage.id("carol"), hops: 1 }),
      () => stage.listing("bob", "sent"),
    );
    await claimed(stage, "carol", asked);
    tellFiles(stage, "bob", "carol", asked);
    await stage.see(
      "bob's record to say that it waits on carol",
      () => stage.record("bob")?.waitingOn === stage.id("carol"),
      () => stage.record("bob"),
    );
    story.event("", "file", `running/${stage.short(stage.id("bob"))}.json  busy, waitingOn carol`);
    await footer(stage, "bob", "✉ 1 pending · 1 read · 1 awaiting");

    story.narrate("carol's model finds the ask's id in the label, and answers without ending its turn:");
    const askId = saw.match(FULL_ID)?.find((id) => !stage.addresses.includes(id));
    if (askId === undefined) throw new StepFailed("the ask's id in what carol's model sees", stage.short(saw));
    await calls(stage, "carol", "session_mail_reply", { ask: askId, message: ANSWER });
    await sees(stage, "bob", { expected: "carol's answer as the result of its call", part: ANSWER, show: "body" });
    const isAnswer = { kind: "reply", from: stage.id("carol"), status: "done", body: ANSWER };
    const answer = await stage.see(
      "carol's reply in bob/cur",
      () => stage.letter("bob", "cur", isAnswer),
      () => stage.listing("bob", "cur"),
    );
    tellFiles(stage, "carol", "bob", answer);
    stage.check(
      "bob's record to wait on nobody, while carol is still busy",
      stage.record("bob")?.waitingOn === "" && stage.record("carol")?.state === "busy",
      () => stage.world.running(),
    );

    story.narrate("carol goes on with its own work. What it says now is mailed to nobody:");
    await says(stage, "carol", "Now back to my index.");
    await stage.see(
      "carol to be idle",
      () => stage.record("carol")?.state === "idle",
      () => stage.record("carol"),
    );
    const fromCarol = ["new", "cur"] as const;
    const letters = fromCarol.flatMap((box) => stage.world.envelopes(stage.id("bob"), box));
    stage.check(
      "bob to have carol's answer once, and nothing else from carol",
      letters.filter((letter) => letter.from === stage.id("carol")).length === 1,
      () => letters.map(({ kind, body }) => `${kind}: ${body}`),
    );
  },
};
