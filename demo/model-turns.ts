import { type ModelRequest, textOf } from "../test/support/mock-model.ts";
import type { Answer } from "../test/support/openai-stream.ts";
import type { World } from "../test/support/world.ts";

/** One request to a session's model, which waits until the story answers it. */
export interface ModelTurn {
  readonly request: ModelRequest;
  /** The newest message in the request: what the model is to act on. */
  readonly saw: string;
  /** Ends the turn with a text. */
  say(text: string): void;
  /** Calls a tool, whose result comes with the next turn. */
  call(tool: string, args: Record<string, unknown>): void;
}

/** The scripted models of all sessions, played by the story one turn at a time. */
export class ModelTurns {
  readonly #world: World;
  readonly #open = new Map<string, ModelTurn[]>();

  constructor(world: World) {
    this.#world = world;
  }

  /** From now on every request to this model waits for the story. */
  take(model: string): void {
    this.#open.set(model, []);
    this.#arm(model);
  }

  /** The oldest turn that waits for its answer; undefined when the model is not asked anything now. */
  open(model: string): ModelTurn | undefined {
    return this.#open.get(model)?.[0];
  }

  /** Models that wait for an answer. */
  unanswered(): string[] {
    return [...this.#open].filter(([, turns]) => turns.length > 0).map(([model]) => model);
  }

  #arm(model: string): void {
    this.#world.model.push(model, (request) => {
      this.#arm(model);
      return new Promise<Answer>((resolve) => this.#open.get(model)?.push(this.#turn(model, request, resolve)));
    });
  }

  #turn(model: string, request: ModelRequest, resolve: (answer: Answer) => void): ModelTurn {
    const answer = (given: Answer): void => {
      const turns = this.#open.get(model) ?? [];
      this.#open.set(
        model,
        turns.filter((turn) => turn.request !== request),
      );
      resolve(given);
    };
    const newest = request.messages.at(-1);
    return {
      request,
      saw: newest === undefined ? "" : textOf(newest),
      say: (text) => answer({ text }),
      call: (name, args) => answer({ tool: { name, args } }),
    };
  }
}
