/** What can be expected to go wrong with a session; each is told apart by its class and ready to show. */

/** Who holds a session open. */
export interface LockHolder {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601, UTC. */
  readonly since: string;
}

/** The id cannot be a file name of ours. */
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

/** No session of this project has that id. */
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

/** The beginning of an id fits several sessions. */
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

/** A new session was asked for under an id that is taken. */
export class SessionExistsError extends Error {
  override readonly name = 'SessionExistsError';
  readonly sessionId: string;
  constructor(sessionId: string) {
    super(`Session ${JSON.stringify(sessionId)} already exists: resume it, or choose another id.`);
    this.sessionId = sessionId;
  }
}

/** Another program, or another part of this one, has the session open. */
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

/** Something wanted to write to a session that is only read. */
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
