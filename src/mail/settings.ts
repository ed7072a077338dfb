import { DEFAULT_HOP_LIMIT } from "./hops.ts";
import { quoted } from "./plain-text.ts";

export const SETTINGS_FILE = "session-mail.json";
export const DEFAULT_PRUNE_AFTER_DAYS = 30;

export interface Settings {
  /** Hops at which a model's send or ask is refused. */
  readonly hopLimit: number;
  /** Days without change after which a closed session's mailbox is pruned. */
  readonly pruneAfterDays: number;
  /** Sync files and folders to the disk on send and claim. */
  readonly durable: boolean;
}

export const DEFAULT_SETTINGS: Settings = {
  hopLimit: DEFAULT_HOP_LIMIT,
  pruneAfterDays: DEFAULT_PRUNE_AFTER_DAYS,
  durable: false,
};

/** What the settings file says, and one sentence for each thing in it that is not used. */
export interface SettingsReading {
  readonly settings: Settings;
  readonly problems: readonly string[];
}

/**
 * Reads `session-mail.json`. Whatever is missing or wrong means its default; other keys are ignored.
 * @param text the file's text; undefined when there is no such file.
 * @param path named in the problems.
 */
export function readSettings(text: string | undefined, path: string): SettingsReading {
  if (text === undefined) return { settings: DEFAULT_SETTINGS, problems: [] };
  const raw = parseObject(text);
  if (raw === undefined) {
    return {
      settings: DEFAULT_SETTINGS,
      problems: [`${path} is not a JSON object; the defaults are used: ${JSON.stringify(DEFAULT_SETTINGS)}.`],
    };
  }
  const problems: string[] = [];
  const take = <T>(key: keyof Settings, isValid: (value: unknown) => value is T, wanted: string, otherwise: T): T => {
    const value = Object.hasOwn(raw, key) ? raw[key] : undefined;
    if (value === undefined || isValid(value)) return value ?? otherwise;
    problems.push(`${path}: "${key}" is ${shownValue(value)}, not ${wanted}; ${otherwise} is used.`);
    return otherwise;
  };
  return {
    settings: {
      hopLimit: take("hopLimit", isPositiveInteger, "a positive whole number", DEFAULT_SETTINGS.hopLimit),
      pruneAfterDays: take(
        "pruneAfterDays",
        isPositiveInteger,
        "a positive whole number of days",
        DEFAULT_SETTINGS.pruneAfterDays,
      ),
      durable: take("durable", isBoolean, "true or false", DEFAULT_SETTINGS.durable),
    },
    problems,
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const raw: unknown = JSON.parse(text);
    return typeof raw === "object" && raw !== null && !Array.isArray(raw)
      ? (raw as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A list or an object is not spelled out: it can be too deep for that. */
function shownValue(value: unknown): string {
  if (typeof value === "string") return quoted(value, 80);
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}

function isPositiveInteger(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}
