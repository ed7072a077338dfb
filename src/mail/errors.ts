/**
 * Every refusal and failure that a person, a model or a script can meet, with the exit code that a program ends with.
 * 64 and up are the codes of sysexits.h; 1 to 5 are kept free for answers such as "failed" or "timed out".
 * @see docs/errors.md for what each means and what to do.
 */
export const EXIT_CODE = {
  "address/invalid": 64,
  "address/unknown": 67,
  "address/ambiguous": 67,
  "address/self": 67,
  "ask/already-waiting": 77,
  "ask/not-running": 77,
  "ask/cycle": 77,
  "command/unknown": 64,
  "mail/ambiguous": 67,
  "mail/empty": 65,
  "mail/too-large": 65,
  "mail/not-written": 73,
  "mail/unknown": 67,
  "reply/unknown-ask": 77,
  "reply/already-answered": 77,
  "reply/not-an-ask": 77,
  "root/unusable": 73,
  "send/hop-limit": 77,
  "session/not-started": 75,
  bug: 70,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof EXIT_CODE;

/**
 * A refusal or failure with its code. `message` is what happened, with the value, followed by what to do: the host shows
 * a model nothing but the message of a thrown error.
 */
export class MailroomError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;

  constructor(code: ErrorCode, what: string, hint: string, options?: { cause?: unknown }) {
    super(hint === "" ? what : `${what} ${hint}`, options);
    this.name = "MailroomError";
    this.code = code;
    this.hint = hint;
  }
}
