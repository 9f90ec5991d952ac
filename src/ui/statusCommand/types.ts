/** A status line of the user's own: a command that reads facts and prints a line or a few. */
import type { StatusInput } from './statusInput.ts';

export interface StatusCommand {
  /** Columns that stay empty on the left. */
  readonly padding: number;
  /** Milliseconds between two runs without a reason; absent = only when something has changed. */
  readonly refreshMs?: number | undefined;
  /** Bounded in time and size; never rejects. */
  run(input: StatusInput): Promise<StatusOutput>;
}

export type StatusOutput =
  | { readonly type: 'text'; readonly text: string }
  /** Why not, ready to show. */
  | { readonly type: 'failed'; readonly message: string };
