import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { type CommandSource, say, tellErrors } from "./mailbox-command.ts";

type CommandOptions = Parameters<ExtensionAPI["registerCommand"]>[1];
export function mailroomCommand(source: CommandSource): CommandOptions {
  return {
    description: "Show what this session's mail looks like now",
    async handler(_words, ctx) {
      await tellErrors(ctx, () => say(ctx, source.root()));
    },
  };
}
