import {
  AmbiguousSessionIdError,
  InvalidSessionIdError,
  type LockHolder,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
} from '../context/index.ts';

/** Several sessions have the title. */
export class AmbiguousTitleError extends Error {
  override readonly name = 'AmbiguousTitleError';
  constructor(title: string, ids: readonly string[]) {
    super(`${ids.length} sessions are called ${JSON.stringify(title)}: ${ids.join(', ')}. Give an id.`);
  }
}

/** The session is that of another project. */
export class SessionElsewhereError extends Error {
  override readonly name = 'SessionElsewhereError';
  constructor(sessionId: string, root: string | undefined) {
    const where = root === undefined ? 'another project' : root;
    super(
      `Session ${JSON.stringify(sessionId)} belongs to ${where}: start clawdcode there to go on with it. "clawdcode session show ${sessionId}" prints it here.`,
    );
  }
}

const expected = [
  SessionElsewhereError,
  AmbiguousTitleError,
  AmbiguousSessionIdError,
  InvalidSessionIdError,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
];

/** What to tell the user when a session cannot be opened; undefined for what nobody expects. */
export function describeOpenError(error: unknown): string | undefined {
  return expected.some((type) => error instanceof type) ? (error as Error).message : undefined;
}

/** Who has a session open, in brackets; nothing where nobody knows. */
export function holderText(holder: LockHolder | undefined): string {
  return holder === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`;
}
