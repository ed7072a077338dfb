import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../src/extension/index.ts";
import { FakeHost } from "../support/fake-host.ts";
import { surroundingsIn } from "../support/surroundings-in.ts";

/** A folder that stands for the state folder of one user, with the mail root in it. */
export interface MailFolder {
  readonly state: string;
  readonly root: string;
}

export function mailFolder(parent: string, name: string): MailFolder {
  const state = join(parent, name);
  const root = join(state, "pi-session-mail");
  mkdirSync(root, { recursive: true, mode: 0o700 });
  return { state, root };
}

/** Starts a session with the real extension on a fake host; settings and time are as in Pi. */
export async function startSession({ state }: MailFolder, address: string, hasUI: boolean): Promise<FakeHost> {
  const host = new FakeHost({ sessionId: address, cwd: state, hasUI });
  await host.load((pi) => connect(pi, surroundingsIn(state)));
  await host.sessionStart();
  return host;
}
