import {
  AmbiguousSessionIdError,
  InvalidSessionIdError,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
} from '../context/index.ts';

const expected = [
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
