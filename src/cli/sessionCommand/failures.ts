/** What can be expected to go wrong with a subcommand: what to tell, and the exit code. */
import { EXIT } from '../../headless/exitCodes.ts';
import { describeOpenError, isRefusedByDisk } from '../sessions/sessionErrors.ts';

/** The disk refused, or what came out was not what went in; everything is as it was. */
export class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
}

export interface Failure {
  readonly message: string;
  readonly code: number;
}

/** Undefined for what nobody expects. */
export function failureOf(error: unknown): Failure | undefined {
  const message = describeOpenError(error);
  if (message !== undefined) return { message, code: EXIT.badInput };
  if (error instanceof StorageFailure) return { message: error.message, code: EXIT.failed };
  if (!isRefusedByDisk(error)) return undefined;
  const advice =
    'path' in error ? 'Check the disk and the permissions of that file.' : 'The output is incomplete.';
  return { message: `${error.message}. ${advice}`, code: EXIT.failed };
}
