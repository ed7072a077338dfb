import { makeWorld } from "../test/support/world.ts";
import type { Chapter } from "./chapter.ts";
import { answer } from "./chapters/answer.ts";
import { ask } from "./chapters/ask.ts";
import { cast } from "./chapters/cast.ts";
import { goodbye } from "./chapters/goodbye.ts";
import { hopLimit } from "./chapters/hop-limit.ts";
import { message } from "./chapters/message.ts";
import { request } from "./chapters/request.ts";
import { type DemoOptions, HELP, readCommandLine } from "./options.ts";
import { makePaint, wantsColour } from "./paint.ts";
import { Stage, StepFailed } from "./stage.ts";
import { Story } from "./story.ts";

/** In the order of playing. */
const CHAPTERS: readonly Chapter[] = [cast, request, ask, answer, message, hopLimit, goodbye];

const SIGNAL_EXITS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The demo is to end before it is through. */
class Interrupted extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("interrupted");
    this.exitCode = exitCode;
  }
}

const commandLine = readCommandLine(process.argv.slice(2));
switch (commandLine.type) {
  case "help":
    process.stdout.write(HELP);
    break;
  case "mistake":
    process.stderr.write(`demo: ${commandLine.problem}; npm run demo -- --help shows what there is\n`);
    process.exitCode = 2;
    break;
  case "play":
    // Steps that still wait when the demo is interrupted must not keep it alive.
    process.exit(await playDemo(commandLine.options));
}

/** @returns the exit code. */
async function playDemo(options: DemoOptions): Promise<number> {
  const startMs = performance.now();
  const interrupted = interruption();
  const world = await makeWorld();
  let isOver = false;
  const paint = makePaint(!options.plain && wantsColour(process.stdout, process.env));
  const story = new Story(paint, (text) => void (isOver || process.stdout.write(text)));
  const stage = new Stage(world, story, options.extension);
  const progress = { chapter: "the start" };
  let ending: unknown;
  try {
    story.title("pi-mailroom: mail between Pi sessions as plain files");
    story.narrate("Real Pi processes, scripted models, no key, no network. All of it is in this folder:");
    story.uncut(world.root);
    await Promise.race([playChapters(stage, progress), stage.broken, interrupted]);
  } catch (error) {
    ending = error;
  }
  // The chapter that was cut short may still be running.
  isOver = true;
  stage.close();
  const epilogue = new Story(paint, (text) => process.stdout.write(text));
  if (ending !== undefined && !(ending instanceof Interrupted)) tellFailure(epilogue, progress.chapter, ending);
  await (options.keep ? world.stop() : world.dispose());
  epilogue.title("");
  epilogue.uncut(options.keep ? `Kept: ${world.mailRoot}` : `Removed: ${world.root}`);
  if (ending !== undefined) return ending instanceof Interrupted ? ending.exitCode : 1;
  epilogue.good(`${stage.checks} checks passed in ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
  return 0;
}

async function playChapters(stage: Stage, progress: { chapter: string }): Promise<void> {
  for (const [index, { title, play }] of CHAPTERS.entries()) {
    progress.chapter = `step ${index + 1}, "${title}"`;
    stage.story.chapter(index + 1, title);
    await play(stage);
  }
}

function tellFailure(story: Story, chapter: string, error: unknown): void {
  const facts =
    error instanceof StepFailed
      ? ([
          ["expected", error.expected],
          ["seen", error.seen],
        ] as const)
      : ([["error", error instanceof Error ? (error.stack ?? error.message) : String(error)]] as const);
  story.failure(`Failed in ${chapter}.`, facts);
}

/** Rejects when the demo is told to stop, or nobody reads its output any more. */
function interruption(): Promise<never> {
  const stopping = new Promise<never>((_resolve, reject) => {
    for (const [signal, exitCode] of Object.entries(SIGNAL_EXITS)) {
      process.on(signal, () => reject(new Interrupted(exitCode)));
    }
    process.stdout.on("error", () => reject(new Interrupted(1)));
  });
  stopping.catch(() => {});
  return stopping;
}
