import type { Chapter } from "../chapter.ts";
import { allLetters } from "../letter-files.ts";

const BOXES = ["new", "cur", "sent"] as const;

/** All sessions end; what is left is files. */
export const goodbye: Chapter = {
  title: "The sessions end, the mail stays",
  async play(stage) {
    const { story, world } = stage;
    const busy = () => world.running().filter(({ state }) => state !== "idle");
    await stage.see("every session to be idle", () => busy().length === 0, busy);
    const waiting = stage.turns.unanswered();
    stage.check("no model to be asked more than the story told", waiting.length === 0, () => waiting);
    stage.close();
    const names = stage.addresses.map((id) => stage.nameOf(id));
    const exits = await Promise.all(names.map((name) => stage.pi(name).stop()));
    stage.check(
      "every Pi to end well",
      exits.every(({ code }) => code === 0),
      () => exits,
    );
    stage.check("running/ to be empty", world.running().length === 0, () => world.running());
    story.event("", "files", "running/ is empty: each session took its own record away");
    for (const name of names) {
      const mailbox = world.mailbox(stage.id(name));
      const counts = BOXES.map((box) => `${box} ${mailbox.names(box).length}`).join(" · ");
      stage.check(`nothing to wait in ${name}/new`, mailbox.names("new").length === 0, () =>
        stage.listing(name, "new"),
      );
      story.event(name, "mail", counts);
    }
    const letters = allLetters(world, stage.addresses).length;
    stage.check("9 letters in all", letters === 9, () => `${letters} letters`);
    story.narrate("Nine letters, each still there as a file in its receiver's cur/.");
  },
};
