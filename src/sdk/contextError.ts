import type { ContextErrorCode, ContextError as PublicError } from './api/context.ts';

/** See `api/context.ts`. */
export class ContextError extends Error implements PublicError {
  override readonly name = 'ContextError';
  readonly code: ContextErrorCode;

  constructor(code: ContextErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
