import type { CallQuestion, PermissionAnswer, PermissionQuestion } from '../protocol/permissions.ts';
import { toolNames } from '../protocol/toolNames.ts';

/** A tool call that did not run because it was not allowed. */
export interface Denial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
}

/** The beginning of the answer to every question in a headless run; the log keeps it in the result of the call. */
export const NO_ONE_TO_ASK = 'No one can answer questions in this run';

/** What the model does without answers to its own questions. */
const WITHOUT_ANSWER = 'Continue on your best judgement, and say what you assumed.';

/** Denies every question, with a comment that keeps the model from trying a workaround. */
export function refusalOf(question: PermissionQuestion): PermissionAnswer {
  if (question.tool === undefined) return { behavior: 'deny', comment: NO_ONE_TO_ASK, unasked: true };
  if (question.preview.type === 'form')
    return { behavior: 'deny', comment: `${NO_ONE_TO_ASK}. ${WITHOUT_ANSWER}`, unasked: true };
  const comment = `${NO_ONE_TO_ASK} (${reasonsOf(question)}). Continue without it, or say what is missing. The user could allow it with ${allowance(question)}.`;
  return { behavior: 'deny', comment, unasked: true };
}

/** Denies a question that a host could not answer; the model is told why, since no user has decided anything. */
export function failedQuestion({ preview }: CallQuestion, why: string): PermissionAnswer {
  const comment =
    preview.type === 'form'
      ? `Your question could not be answered: ${why} ${WITHOUT_ANSWER}`
      : `The question about it could not be answered: ${why}`;
  return { behavior: 'deny', comment, unasked: true };
}

/** All reasons for the question, on one line. */
export const reasonsOf = ({ reason }: PermissionQuestion): string => reason.replaceAll('\n', ' ');

/** The flag that would have allowed the call. */
export function allowance({ tool, suggestion }: CallQuestion): string {
  if (tool === toolNames.exitPlanMode) return '--permission-mode default';
  if (suggestion?.destination === 'mode') return '--permission-mode acceptEdits';
  if (suggestion !== undefined) return `--allowed-tools '${suggestion.rules.join(',')}'`;
  return `a rule in --allowed-tools that names exactly this call of ${tool}, or --permission-mode bypassPermissions`;
}
