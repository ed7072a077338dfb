import { Type } from "@sinclair/typebox";
import { uniqueShortIds } from "../mail/address.ts";
import { shownName } from "../mail/frame.ts";
import { plainLine } from "../mail/plain-text.ts";
import type { RunningRecord } from "../mail/running-record.ts";
import { listRunning } from "../maildir/running.ts";
import type { MailSource } from "./mail-source.ts";
import { type ListDetails, toolRows } from "./tool-rows.ts";

export function listTool(source: MailSource) {
  return {
    ...toolRows.list,
    name: "session_mail_list",
    label: "List sessions",
    description:
      "List the running Pi sessions on this machine that mail can reach: name, full id, working directory, idle or busy, whom each waits on. Marks this session.",
    promptSnippet: "List running Pi sessions that mail can reach",
    parameters: Type.Object({}),
    async execute(
      _id: string,
      _params: unknown,
      _signal: unknown,
      _onUpdate: unknown,
      ctx: { sessionManager: { getSessionId(): string } },
    ) {
      const self = ctx.sessionManager.getSessionId();
      const sessions = inOrder(listRunning(source.root()));
      const details: ListDetails = {
        sessions: sessions.map(({ address, name, cwd, state, waitingOn }) => ({
          address,
          ...(name === undefined ? {} : { name }),
          cwd,
          state,
          waitingOn,
          self: address === self,
        })),
      };
      return { content: [{ type: "text" as const, text: listText(sessions, self) }], details };
    },
  };
}

/** Sessions by label, then address, as lists show them. */
export function inOrder(sessions: readonly RunningRecord[]): RunningRecord[] {
  const labels = sessionLabels(sessions);
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return [...sessions].sort(
    (a, b) => compare(labels.get(a.address) ?? "", labels.get(b.address) ?? "") || compare(a.address, b.address),
  );
}

/** How each session is called: its name, else as much of its id as tells it from the others. */
export function sessionLabels(sessions: readonly RunningRecord[]): Map<string, string> {
  const shortIds = uniqueShortIds(sessions.map((session) => session.address));
  return new Map(
    sessions.map(({ address, name }) => [address, shownName(name)?.trim() ?? shortIds.get(address) ?? address]),
  );
}

function listText(sessions: readonly RunningRecord[], self: string): string {
  if (sessions.length === 0) return "No session is running.";
  const labels = sessionLabels(sessions);
  return sessions
    .map(({ address, cwd, state, waitingOn }) => {
      const waits = waitingOn === "" ? "" : `, waiting on ${labels.get(waitingOn) ?? plainLine(waitingOn)}`;
      const own = address === self ? " (this session)" : "";
      return `${labels.get(address)} ${address}${own}: ${state}${waits}, in ${plainLine(cwd)}`;
    })
    .join("\n");
}
