import type {
  CallQuestion,
  PermissionAnswer,
  PermissionMode,
  PermissionQuestion,
} from '../protocol/permissions.ts';
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
export function refusalOf(question: PermissionQuestion, limits: AllowanceLimits = {}): PermissionAnswer {
  if (question.tool === undefined) return { behavior: 'deny', comment: NO_ONE_TO_ASK, unasked: true };
  if (question.preview.type === 'form')
    return { behavior: 'deny', comment: `${NO_ONE_TO_ASK}. ${WITHOUT_ANSWER}`, unasked: true };
  const comment = `${NO_ONE_TO_ASK} (${reasonsOf(question)}). Continue without it, or say what is missing. ${allowance(question, limits)}`;
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

/** What an administrator has ruled out: advice that does not help is worse than none. */
export interface AllowanceLimits {
  /** Only rules in managed settings count. */
  readonly isManagedOnly?: boolean | undefined;
  /** Modes that are switched off. */
  readonly refused?: Readonly<Partial<Record<PermissionMode, string>>> | undefined;
}

/** A sentence about what would have allowed the call. */
export function allowance(
  { tool, suggestion }: CallQuestion,
  { isManagedOnly, refused = {} }: AllowanceLimits,
): string {
  const would = (what: string): string => `${what} would allow it.`;
  if (tool === toolNames.exitPlanMode) return would('--permission-mode default');
  if (suggestion?.destination === 'mode') return would('--permission-mode acceptEdits');
  const rule =
    suggestion === undefined
      ? `a rule in --allowed-tools that names exactly this call of ${tool}`
      : `--allowed-tools '${suggestion.rules.join(',')}'`;
  const rules = isManagedOnly === true ? [] : [rule];
  const isOpen =
    refused.bypassPermissions === undefined && (suggestion === undefined || isManagedOnly === true);
  const modes = isOpen ? [BYPASS] : [];
  const ways = [...rules, ...modes];
  if (ways.length > 0) return would(ways.join(', or ').replace(/^a rule/, 'A rule'));
  return 'Only a rule in the managed settings of this machine could allow it.';
}

const BYPASS = '--permission-mode bypassPermissions';
