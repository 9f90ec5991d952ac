/** Questions that come up while a call runs: a host that a sandboxed command wants to reach, a run outside the sandbox. */
import type { PermissionMode, RuleSuggestion } from '../protocol/permissions.ts';
import type { RunningQuestion } from '../protocol/tools.ts';
import type { Questions } from './questions.ts';

export interface ConfirmParts {
  readonly questions: Questions;
  readonly mode: () => PermissionMode;
  /** What "always" would save for a host. */
  readonly suggestHost?: ((domain: string) => RuleSuggestion) | undefined;
  readonly remember: (suggestion: RuleSuggestion) => Promise<string>;
  readonly notice: (level: 'info', text: string) => void;
  readonly newId: () => string;
}

/**
 * Asks, unless the mode answers: `bypassPermissions` opens every host that managed settings want no question about, but
 * leads no command out of its sandbox.
 */
export async function confirmWhileRunning(
  { domain, title, preview, reason, isAlways, signal: wanted }: RunningQuestion,
  { callId, tool, signal }: { callId: string; tool: string; signal: AbortSignal },
  { questions, mode, suggestHost, remember, notice, newId }: ConfirmParts,
): Promise<boolean> {
  const current = mode();
  if (current === 'bypassPermissions' && isAlways !== true) return domain !== undefined;
  const suggestion = domain === undefined ? undefined : suggestHost?.(domain);
  const question = { id: newId(), callId, tool, title, headline: title, input: { domain }, preview, reason };
  const until = wanted === undefined ? signal : AbortSignal.any([signal, wanted]);
  const answer = await questions.ask({ ...question, ...(suggestion && { suggestion }) }, until);
  if (answer.behavior !== 'allow') return false;
  if (answer.remember === true && suggestion !== undefined) notice('info', await remember(suggestion));
  return true;
}
