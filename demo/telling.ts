import type { BoxName } from "../test/support/mail-files.ts";
import { type LetterFile, shortFileName } from "./letter-files.ts";
import type { ModelTurn } from "./model-turns.ts";
import { type Stage, StepFailed } from "./stage.ts";

/** Types into a session, as its user. */
export async function type(stage: Stage, name: string, text: string): Promise<void> {
  stage.story.event("you", "type", `in ${name}: ${stage.short(text)}`);
  try {
    await stage.pi(name).prompt(text);
  } catch (error) {
    throw new StepFailed(`${name}'s idle session to take what is typed`, String(error));
  }
}

/** Waits for a notice to the user of a session, and shows it. */
export async function notice(stage: Stage, name: string, expected: string, says: (text: string) => boolean) {
  const notices = () => stage.pi(name).notifications();
  const shown = await stage.see(expected, () => notices().find(({ message }) => says(message)), notices);
  stage.story.exact(name, "notes", stage.short(shown.message).split("\n"));
}

/** How much of a letter is shown: all that the model is shown, the label and the body, or the body alone. */
export type Extent = "all" | "label and body" | "body";

/** Waits until a session's model is asked, and shows what it is to act on.
 *  @param expected what it has to see; `part` is a text in it. */
export async function sees(
  stage: Stage,
  name: string,
  { expected, part, show }: { expected: string; part: string; show: Extent },
): Promise<ModelTurn> {
  const turn = await stage.turn(name, expected);
  stage.check(`${name}'s model to see ${expected}`, turn.saw.includes(part), () => turn.saw);
  const { label, body, isLetter } = readFrame(stage.short(turn.saw));
  if (!isLetter || show === "all") stage.story.event(name, "sees", stage.short(turn.saw));
  else if (show === "body") stage.story.event(name, "sees", body);
  else {
    stage.story.event(name, "sees", label.replace(/ \([^()]*\)/, " (…)"), { mostLines: 2 });
    stage.story.event("", "", body);
  }
  return turn;
}

export async function says(stage: Stage, name: string, text: string): Promise<void> {
  const turn = await stage.turn(name);
  stage.story.event(name, "says", text);
  turn.say(text);
}

export async function calls(stage: Stage, name: string, tool: string, args: Record<string, string>): Promise<void> {
  const turn = await stage.turn(name);
  const [first = "", ...others] = Object.values(args);
  stage.story.event(name, "calls", [tool, stage.short(first), ...others.map((other) => `"${other}"`)].join(" "));
  turn.call(tool, args);
}

/** Waits for the text in a session's footer, and shows it. */
export async function footer(stage: Stage, name: string, text: string | RegExp): Promise<void> {
  const now = () => stage.pi(name).status("mailbox") ?? "";
  const isSo = () => (typeof text === "string" ? now() === text : text.test(now()));
  await stage.see(`the footer of ${name} to read ${text}`, isSo, () => now() || "no footer");
  stage.story.event(name, "footer", now());
}

/** Waits until the receiver has claimed a letter: its file moved from new/ to cur/, and its receipts say so. */
export async function claimed(stage: Stage, name: string, letter: LetterFile): Promise<void> {
  const { fileName, envelope } = letter;
  const names = (box: BoxName) => stage.world.mailbox(stage.id(name)).names(box);
  await stage.see(
    `${shortFileName(fileName)} in ${name}/cur, and no more in ${name}/new`,
    () => names("cur").includes(fileName) && !names("new").includes(fileName),
    () => `${stage.listing(name, "new")}; ${stage.listing(name, "cur")}`,
  );
  const receipts = () =>
    stage.world
      .receipts(stage.id(name))
      .filter(({ id }) => id === envelope.id)
      .map(({ step }) => step)
      .join(", ");
  await stage.see("its receipts to say claimed, read", () => receipts() === "claimed, read", receipts);
}

/** The file of a letter as the story shows it; on disk a session's folder is called by its id. */
export function filePath(name: string, box: BoxName, { fileName }: LetterFile): string {
  return `${name}/${box}/${shortFileName(fileName)}`;
}

/** The sender's copy, and the way of the letter itself. */
export function tellFiles(stage: Stage, from: string, to: string, letter: LetterFile): void {
  const isReply = letter.envelope.kind === "reply";
  const way = `${filePath(to, "new", letter)} -> ${to}/cur/`;
  stage.story.exact("", "files", [...(isReply ? [] : [`+ ${filePath(from, "sent", letter)}`]), `+ ${way}`]);
}

/** The label of an injected letter and its own text, without what it quotes and the lines round it. */
function readFrame(text: string): { label: string; body: string; isLetter: boolean } {
  const [label = "", ...rest] = text.split("\n");
  const body = rest.filter((line) => !/^(?:\[mailbox\]|> )/.test(line)).join("\n");
  return { label, body, isLetter: label.startsWith("[mailbox] From") };
}
