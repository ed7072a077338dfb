import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../src/extension/index.ts";
import { FakeHost } from "../support/fake-host.ts";

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
  await host.load((pi) =>
    connect(pi, {
      env: { XDG_STATE_HOME: state, PI_CODING_AGENT_DIR: state },
      home: () => state,
      now: Date.now,
      uuid: randomUUID,
      pid: process.pid,
      platform: process.platform,
      hostVersion: "1.6.0",
    }),
  );
  await host.sessionStart();
  return host;
}
