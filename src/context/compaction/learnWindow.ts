import type { ToolSchema } from '../../protocol/messages.ts';
import type { ModelError } from '../../protocol/model.ts';
import { reductionDraft } from '../history/reductions.ts';
import type { Session } from '../session.ts';

/** No model has a smaller window: an error that names one, or is about a smaller request, was misread. */
const LEAST_WINDOW = 1000;
/** Of a request that was too long, what is taken for the window when the server names none. */
const GUESS = 0.9;

/**
 * Records the window that an overflow error reveals: the one that the server names, or less than what it refused.
 * Only a named one may be larger than what was assumed, and only a named one is remembered beyond the session.
 */
export async function learnWindow(
  { projection, deps, append }: Session,
  error: ModelError,
  tools: readonly ToolSchema[],
): Promise<void> {
  const before = projection.measure(tools);
  const preTokens = projection.lastRequest?.countedTokens ?? projection.noteRequest(tools);
  const named =
    error.windowTokens !== undefined && error.windowTokens >= LEAST_WINDOW ? error.windowTokens : undefined;
  const guess = Math.min(before.windowTokens, before.usedTokens) * GUESS;
  const { id: model, windowTokens: knownTokens, source } = deps.model();
  const most = named !== undefined && source === 'assumed' ? Number.POSITIVE_INFINITY : before.windowTokens;
  const windowTokens = Math.floor(Math.min(most, Math.max(LEAST_WINDOW, named ?? guess)));
  const { message: reason } = error;
  const guessed = named === undefined ? { isGuess: true } : {};
  const learned = { model, windowTokens, knownTokens, ...guessed };
  await append([reductionDraft({ kind: 'window', reason, preTokens, ...learned })]);
  if (named !== undefined) await deps.onWindowLearned?.(model, named);
}
