/** Expected errors of sessions; each has its own class and a message for the user. */

/** The process that has a session open. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601, UTC. */
  readonly since: string;
}

/** The id is not a valid file name for a session. */
export class InvalidSessionIdError extends Error {
  override readonly name = 'InvalidSessionIdError';
  readonly sessionId: string;
  constructor(sessionId: string) {
    super(
      `${JSON.stringify(sessionId)} is not a session id: use letters, digits, ".", "_" and "-" ` +
        '(at most 128, the first a letter or digit).',
    );
    this.sessionId = sessionId;
  }
}

/** The project has no session with this id. */
export class SessionNotFoundError extends Error {
  override readonly name = 'SessionNotFoundError';
  readonly sessionId: string;
  constructor(sessionId: string) {
    super(
      `No session ${JSON.stringify(sessionId)} in this project. /resume, or "clawdcode session", lists the ones there are.`,
    );
    this.sessionId = sessionId;
  }
}

/** The prefix matches several sessions. */
export class AmbiguousSessionIdError extends Error {
  override readonly name = 'AmbiguousSessionIdError';
  readonly prefix: string;
  readonly matches: readonly string[];
  constructor(prefix: string, matches: readonly string[]) {
    super(
      `${matches.length} sessions begin with ${JSON.stringify(prefix)}: ${matches.join(', ')}. Type more of the id.`,
    );
    this.prefix = prefix;
    this.matches = matches;
  }
}

/** The id of a new session is already in use. */
export class SessionExistsError extends Error {
  override readonly name = 'SessionExistsError';
  readonly sessionId: string;
  constructor(sessionId: string) {
    super(`Session ${JSON.stringify(sessionId)} already exists: resume it, or choose another id.`);
    this.sessionId = sessionId;
  }
}

/** Another process, or another part of this one, has the session open. */
export class SessionLockedError extends Error {
  override readonly name = 'SessionLockedError';
  readonly sessionId: string;
  readonly holder: LockHolder | undefined;
  constructor(sessionId: string, holder: LockHolder | undefined) {
    const who = holder ? ` (process ${holder.pid} on ${holder.host}, since ${holder.since})` : '';
    super(`Session ${JSON.stringify(sessionId)} is open in another clawdcode${who}. Close it there first.`);
    this.sessionId = sessionId;
    this.holder = holder;
  }
}

/** The session was opened read-only and cannot be written to. */
export class SessionReadOnlyError extends Error {
  override readonly name = 'SessionReadOnlyError';
  readonly sessionId: string;
  constructor(sessionId: string) {
    super(
      `Session ${JSON.stringify(sessionId)} is open read-only. Fork it to continue from here; the original stays as it is.`,
    );
    this.sessionId = sessionId;
  }
}
