import type { ContextErrorCode, ContextError as PublicContextError } from './api/context.ts';
import type { ClawdCodeError as PublicError } from './api/sdk.ts';

/** See `api/sdk.ts`. */
export class ClawdCodeError extends Error implements PublicError {
  override readonly name = 'ClawdCodeError';
  readonly code: PublicError['code'];
  readonly exitCode: number | undefined;

  constructor(
    code: PublicError['code'],
    message: string,
    options: ErrorOptions & { exitCode?: number } = {},
  ) {
    super(message, options);
    this.code = code;
    this.exitCode = options.exitCode;
  }
}

/** The text of anything that was thrown, bounded. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 2000);
}

/** See `api/context.ts`. */
export class ContextError extends Error implements PublicContextError {
  override readonly name = 'ContextError';
  readonly code: ContextErrorCode;

  constructor(code: ContextErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
