import type { Host } from "./host.ts";
import { TOOL_NAMES } from "./tools.ts";

/** True when a mailbox extension that was loaded before this one answers the hooks already. */
export function answersHooks(host: Host): boolean {
  const probe: Record<string, unknown> = {};
  host.events.emit("message:scan", probe);
  return probe["scanned"] === true;
}

/** Where the mail tools come from that another extension registered; none where the host does not tell. */
export function foreignTools(host: Host): string[] {
  const tools = registeredTools(host);
  return tools.filter((tool) => TOOL_NAMES.includes(tool.name)).map((tool) => tool.sourceInfo?.path ?? tool.name);
}

/** A host that does not know its tools yet has none of a rival's either. */
function registeredTools(host: Host): ReturnType<NonNullable<Host["getAllTools"]>> {
  try {
    return host.getAllTools?.() ?? [];
  } catch {
    return [];
  }
}
