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

const expected = [
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
