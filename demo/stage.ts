import { randomUUID } from "node:crypto";
import type { BoxName, EnvelopeJson, RunningJson } from "../test/support/mail-files.ts";
import type { PiProcess } from "../test/support/pi-process.ts";
import { type Truthy, waitFor } from "../test/support/wait-for.ts";
import type { World } from "../test/support/world.ts";
import { findLetter, type LetterFile, shortIds } from "./letter-files.ts";
import { type ModelTurn, ModelTurns } from "./model-turns.ts";
import type { Story } from "./story.ts";

/** A step of the story that did not happen. */
export class StepFailed extends Error {
  readonly expected: string;
  readonly seen: string;

  constructor(expected: string, seen: string) {
    super(`expected ${expected}; seen: ${seen}`);
    this.expected = expected;
    this.seen = seen;
  }
}

/** The sessions of the story by name, and the checks that what is told really happens. */
export class Stage {
  readonly world: World;
  readonly story: Story;
  readonly turns: ModelTurns;
  /** Facts that were checked so far. */
  checks = 0;
  /** Rejects when a session ends that nobody ended. */
  readonly broken: Promise<never>;
  readonly #extensions: readonly string[] | undefined;
  readonly #ids = new Map<string, string>();
  readonly #sessions = new Map<string, PiProcess>();
  #isClosing = false;
  #break: (reason: StepFailed) => void = () => {};

  /** @param extension loaded in place of the package's own. */
  constructor(world: World, story: Story, extension: string | undefined) {
    this.world = world;
    this.story = story;
    this.turns = new ModelTurns(world);
    this.#extensions = extension === undefined ? undefined : [extension];
    this.broken = new Promise((_resolve, reject) => {
      this.#break = reject;
    });
    this.broken.catch(() => {});
  }

  /** The address of a session, which it has before it runs. */
  id(name: string): string {
    const id = this.#ids.get(name) ?? randomUUID();
    this.#ids.set(name, id);
    return id;
  }

  nameOf(address: string): string {
    return [...this.#ids].find(([, id]) => id === address)?.[0] ?? address;
  }

  get addresses(): string[] {
    return [...this.#ids.values()];
  }

  pi(name: string): PiProcess {
    const pi = this.#sessions.get(name);
    if (pi === undefined) throw new Error(`${name} was never started`);
    return pi;
  }

  /** Starts sessions, all at once, and waits until each is ready. */
  async start(...names: string[]): Promise<void> {
    const starting = names.map(async (name) => {
      if (this.#isClosing) throw new Error("the stage is closing");
      const options = { name, id: this.id(name), ...(this.#extensions ? { extensions: this.#extensions } : {}) };
      const pi = this.world.startPi(options);
      this.#sessions.set(name, pi);
      this.turns.take(pi.model);
      try {
        await pi.ready();
      } catch (error) {
        throw new StepFailed(`${name}'s Pi to start`, String(error));
      }
      void pi.exited.then((exit) => {
        if (this.#isClosing) return;
        this.#break(new StepFailed(`${name}'s Pi to go on`, `it ended: ${JSON.stringify(exit)} ${pi.stderr}`));
      });
    });
    await Promise.all(starting);
  }

  /** From here on sessions may end, and none is started any more. */
  close(): void {
    this.#isClosing = true;
  }

  /** Waits for a fact. @throws StepFailed with what there is instead once the deadline (20 s) is over */
  async see<T>(expected: string, look: () => T, seen: () => unknown): Promise<Truthy<T>> {
    const found = await this.#await(expected, look, seen);
    this.checks += 1;
    return found;
  }

  /** A fact that has to be so by now. */
  check(expected: string, isSo: boolean, seen: () => unknown): void {
    if (!isSo) throw new StepFailed(expected, this.#asText(seen));
    this.checks += 1;
  }

  /** The turn that a session's model has to answer next. @param shows what the model is to see in it */
  turn(name: string, shows = ""): Promise<ModelTurn> {
    return this.#await(
      `a request to ${name}'s model${shows === "" ? "" : ` that shows ${shows}`}`,
      () => this.turns.open(name),
      () => `${this.world.model.requestsOf(name).length} requests so far, all of them answered`,
    );
  }

  letter(name: string, box: BoxName, wanted: Partial<EnvelopeJson>): LetterFile | undefined {
    return findLetter(this.world, this.id(name), box, wanted);
  }

  record(name: string): RunningJson | undefined {
    return this.world.running().find((record) => record.address === this.id(name));
  }

  /** What is in a session's box, for the report of a failure. */
  listing(name: string, box: BoxName): string {
    const mailbox = this.world.mailbox(this.id(name));
    const letters = mailbox.envelopes(box).map(({ kind, from, to, hops, status }) => {
      const outcome = status === "" ? "" : `, ${status}`;
      return `${kind} of ${this.nameOf(from)} to ${this.nameOf(to)}, hops ${hops}${outcome}`;
    });
    return `in ${name}/${box}: ${letters.join("; ") || "nothing"}`;
  }

  /** A text as the story shows it: ids cut short, paths from the demo's folder on. */
  short(text: string): string {
    return shortIds(text.replaceAll(`${this.world.root}/`, ""));
  }

  async #await<T>(expected: string, look: () => T, seen: () => unknown): Promise<Truthy<T>> {
    try {
      return await waitFor(look, { what: expected });
    } catch {
      throw new StepFailed(expected, this.#asText(seen));
    }
  }

  #asText(seen: () => unknown): string {
    try {
      const value = seen();
      return this.short(typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing"));
    } catch (error) {
      return String(error);
    }
  }
}
