import type { CallQuestion, PermissionAnswer, PermissionQuestion } from '../protocol/permissions.ts';
import { toolNames } from '../protocol/toolNames.ts';

/** A call that did not run because it was not allowed. */
export interface Denial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
}

/** How the answer of a run without anybody begins; the log keeps it in the result of the call. */
export const NOBODY = 'Nobody can answer questions in this run';

/** The answer to any question here: no, with a word that keeps the model from trying a way round. */
export function refusalOf(question: PermissionQuestion): PermissionAnswer {
  if (question.tool === undefined) return { behavior: 'deny', comment: NOBODY, unasked: true };
  const comment = `${NOBODY} (${reasonsOf(question)}). Go on without it, or say what is missing. The user could allow it with ${allowance(question)}.`;
  return { behavior: 'deny', comment, unasked: true };
}

/** Why it asks, every reason, on one line. */
export const reasonsOf = ({ reason }: PermissionQuestion): string => reason.replaceAll('\n', ' ');

/** The flag that would have allowed the call. */
export function allowance({ tool, suggestion }: CallQuestion): string {
  if (tool === toolNames.exitPlanMode) return '--permission-mode default';
  if (suggestion?.destination === 'mode') return '--permission-mode acceptEdits';
  if (suggestion !== undefined) return `--allowed-tools '${suggestion.rules.join(',')}'`;
  return `a rule in --allowed-tools that names exactly this call of ${tool}, or --permission-mode bypassPermissions`;
}
