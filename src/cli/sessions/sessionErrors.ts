import {
  AmbiguousSessionIdError,
  InvalidSessionIdError,
  type LockHolder,
  type SessionCatalogue,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
  StoredLinkError,
} from '../../context/index.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import type { OpenOutcome } from '../../ui/types.ts';

/** Maximum number of ids listed if several sessions have the title, as forks do. */
const SHOWN = 5;

/** Several sessions have the title. */
export class AmbiguousTitleError extends Error {
  override readonly name = 'AmbiguousTitleError';
  /** `ids`: newest first. */
  constructor(title: string, ids: readonly string[]) {
    const some = ids.slice(0, SHOWN).join(', ') + (ids.length > SHOWN ? ' …' : '');
    super(`${ids.length} sessions are titled ${JSON.stringify(title)}, newest first: ${some}. Give an id.`);
  }
}

/** The session belongs to another project. */
export class SessionElsewhereError extends Error {
  override readonly name = 'SessionElsewhereError';
  readonly session: Pick<SessionRecord, 'id' | 'project' | 'root' | 'isMoved' | 'title'>;
  constructor(session: Pick<SessionRecord, 'id' | 'project' | 'root' | 'isMoved' | 'title'>) {
    const { id, root, isMoved } = session;
    const where = root === undefined ? 'another project' : root;
    const there = isMoved ? ', which is no longer there' : ': start clawdcode there to resume it';
    super(
      `Session ${JSON.stringify(id)} belongs to ${where}${there}. --fork-session continues in a copy here, "clawdcode session show ${id}" prints it.`,
    );
    this.session = session;
  }
}

/**
 * The latest session belongs to a folder that no longer exists and had the same git remote. The user decides whether it
 * belongs to this project.
 */
export class LikelySessionError extends SessionElsewhereError {
  constructor(session: SessionElsewhereError['session']) {
    super(session);
    const { id, root } = session;
    this.message = `This project has no session to continue. Session ${JSON.stringify(id)} belongs to ${root ?? 'another folder'}, which had the same git remote and is no longer there. If it is yours, --resume ${id} continues it here.`;
  }
}

/** A file system error, or a copy that differs from its original; nothing has changed. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
}

const expected = [
  SessionElsewhereError,
  StorageFailure,
  AmbiguousTitleError,
  AmbiguousSessionIdError,
  InvalidSessionIdError,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
  StoredLinkError,
];

/** Returns the message for the user if a session cannot be opened; undefined for unexpected errors. */
export function describeOpenError(error: unknown): string | undefined {
  return expected.some((type) => error instanceof type) ? (error as Error).message : undefined;
}

/** True for file system errors: a full disk, an unreadable file. */
export function isRefusedByDisk(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

/** Returns the process that has a session open, in parentheses; empty if unknown. */
export function holderText(holder: LockHolder | undefined): string {
  return holder === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`;
}

type Refused = Extract<OpenOutcome, { type: 'refused' }>;

/** Returns the refusal for expected errors; undefined for all others. */
export async function refusalOf(
  error: unknown,
  catalogue: Pick<SessionCatalogue, 'find'>,
): Promise<Refused | undefined> {
  if (error instanceof SessionElsewhereError) {
    const { id, project, root, isMoved, title } = error.session;
    const refusal = { why: 'elsewhere', root, isGone: isMoved, canRead: true } as const;
    return { type: 'refused', refusal, id, project, title };
  }
  if (!(error instanceof SessionLockedError)) return undefined;
  const { sessionId: id, holder } = error;
  // The title is optional here: if the lookup fails, continue without it.
  const known = await catalogue.find(id).catch(() => []);
  const title = known.find((one) => one.id === id)?.title;
  return { type: 'refused', refusal: { why: 'locked', holder, canRead: true }, id, title };
}

interface Failure {
  readonly message: string;
  readonly code: number;
}

/** The message and the exit code for any error of a command about sessions. */
export function failureOf(error: unknown): Failure {
  if (error instanceof StorageFailure) return { message: error.message, code: EXIT.failed };
  const message = describeOpenError(error);
  if (message !== undefined) return { message, code: EXIT.badInput };
  if (!isRefusedByDisk(error)) {
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const advice = 'If "clawdcode session verify" finds no damage in the session, please report this.';
    return { message: `The command failed unexpectedly. ${what}. ${advice}`, code: EXIT.failed };
  }
  const advice =
    'path' in error ? 'Check the disk and the permissions of that file.' : 'The output is incomplete.';
  return { message: `${error.message}. ${advice}`, code: EXIT.failed };
}
