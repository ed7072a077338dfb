import { DEFAULT_HOP_LIMIT } from "../../src/mail/hops.ts";
import { tellChain } from "../chain-tree.ts";
import type { Chapter } from "../chapter.ts";
import type { LetterFile } from "../letter-files.ts";
import type { Stage } from "../stage.ts";
import { calls, claimed, filePath, says, sees } from "../telling.ts";
import { NOTE } from "./message.ts";

/** Sessions wake each other, until the hop limit ends it. */
export const hopLimit: Chapter = {
  title: "A chain grows, up to the hop limit",
  async play(stage) {
    const { story } = stage;
    story.narrate(
      `Sessions that wake each other could go on for ever. So each letter counts its hops: how often mail has woken a session in this chain with no person typing. The limit is ${DEFAULT_HOP_LIMIT}.`,
    );
    await pass(stage, "dave", "bob", 1);
    await pass(stage, "bob", "carol", 2);
    await pass(stage, "carol", "alice", 3);
    const last = await pass(stage, "alice", "dave", 4);

    story.narrate(`dave is woken again. This turn is at hop ${DEFAULT_HOP_LIMIT}, and its send is refused:`);
    const before = countLetters(stage);
    await calls(stage, "dave", "session_mail_send", { to: "bob", message: NOTE });
    const { saw } = await stage.turn("dave");
    stage.check("the send to be refused at the hop limit", /hop limit is 5\b.*nothing was sent/.test(saw), () => saw);
    story.event("dave", "sees", stage.short(saw));
    const after = countLetters(stage);
    stage.check("no letter more than before", after === before, () => `${after} letters, ${before} before`);
    await says(stage, "dave", "Then it ends here.");
    story.narrate("The chain, each letter below the one that woke its sender:");
    tellChain(
      stage,
      last.envelope.id,
      [0, 1, 2, 3, 4].map((hops) => `message ${hops}`),
    );
  },
};

/** A woken session sends the note on, ends its turn, and the next one is woken. */
async function pass(stage: Stage, from: string, to: string, hops: number): Promise<LetterFile> {
  await calls(stage, from, "session_mail_send", { to, message: NOTE });
  const { saw } = await stage.turn(from);
  stage.check(`${from}'s send to succeed`, saw.includes(stage.id(to)) && saw.startsWith("Sent"), () => saw);
  (await stage.turn(from)).say("Passed on.");
  const isIt = { kind: "message", from: stage.id(from), to: stage.id(to), hops };
  const letter = await stage.see(
    `a message with ${hops} hops in ${to}/cur`,
    () => stage.letter(to, "cur", isIt),
    () => stage.listing(to, "cur"),
  );
  await claimed(stage, to, letter);
  stage.story.event("", "files", `+ ${filePath(to, "new", letter)} -> ${to}/cur/, hops ${hops}`);
  await sees(stage, to, { expected: `the message of ${from}`, part: NOTE, show: "body" });
  await stage.see(
    `${from} to be idle again`,
    () => stage.record(from)?.state === "idle",
    () => stage.record(from),
  );
  return letter;
}

function countLetters(stage: Stage): number {
  const boxes = ["tmp", "new", "cur", "sent"] as const;
  const counts = stage.addresses.flatMap((id) => boxes.map((box) => stage.world.mailbox(id).names(box).length));
  return counts.reduce((sum, count) => sum + count, 0);
}
