import { InvalidSessionIdError, SessionLockedError, SessionNotFoundError } from '../context/index.ts';

/** What to tell the user when a session cannot be opened; undefined for what nobody expects. */
export function describeOpenError(error: unknown): string | undefined {
  if (error instanceof SessionNotFoundError || error instanceof InvalidSessionIdError) return error.message;
  if (error instanceof SessionLockedError) return error.message;
  return undefined;
}
