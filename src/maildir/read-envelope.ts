import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { type Envelope, type EnvelopeFault, MAX_ENVELOPE_BYTES, parseEnvelope } from "../mail/envelope.ts";
import { errnoOf, isErrno } from "./errno.ts";

export type EnvelopeReading =
  | { readonly type: "envelope"; readonly envelope: Envelope }
  /** A regular file that holds no envelope that can be read. */
  | { readonly type: "fault"; readonly fault: EnvelopeFault; readonly size: number; readonly mtimeMs: number }
  /** No regular file: a folder, link, pipe, socket or device. */
  | { readonly type: "not a file" }
  /** Not there (any more). */
  | { readonly type: "gone" };

/** Links are not followed, and a pipe put in a box does not block who opens it. */
const OPEN_SAFELY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads one envelope file; what is no regular file is not read, and one over 32 MiB is not read either. */
export function readEnvelope(path: string): EnvelopeReading {
  let fd: number;
  try {
    fd = openSync(path, OPEN_SAFELY);
  } catch (error) {
    if (isErrno(error, "ENOENT")) return { type: "gone" };
    if (isErrno(error, "EACCES", "EPERM")) return unread(`it can not be opened (${errnoOf(error)})`);
    return { type: "not a file" };
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return { type: "not a file" };
    const { size, mtimeMs } = stats;
    if (size > MAX_ENVELOPE_BYTES) return unread(`it is larger than ${MAX_ENVELOPE_BYTES} bytes`, size, mtimeMs);
    const parsed = parseEnvelope(readText(fd, size));
    return parsed.ok
      ? { type: "envelope", envelope: parsed.value }
      : { type: "fault", fault: parsed.error, size, mtimeMs };
  } catch (error) {
    return unread(`it can not be read (${errnoOf(error) ?? String(error)})`);
  } finally {
    closeSync(fd);
  }
}

function unread(reason: string, size = 0, mtimeMs = 0): EnvelopeReading {
  return { type: "fault", fault: { reason, unfinished: false }, size, mtimeMs };
}

function readText(fd: number, size: number): string {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const count = readSync(fd, bytes, length, size - length, null);
    if (count === 0) break;
    length += count;
  }
  return bytes.toString("utf8", 0, length);
}
