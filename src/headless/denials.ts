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
const WITHOUT_ANSWER = 'Use your best judgement, and say what you assumed.';

/** Denies every question, with a comment that keeps the model from trying a workaround. */
export function refusalOf(question: PermissionQuestion, limits: AllowanceLimits = {}): PermissionAnswer {
  if (question.tool === undefined) return { behavior: 'deny', comment: NO_ONE_TO_ASK, unasked: true };
  if (question.preview.type === 'form')
    return { behavior: 'deny', comment: `${NO_ONE_TO_ASK}. ${WITHOUT_ANSWER}`, unasked: true };
  const comment = `${NO_ONE_TO_ASK} (${reasonsOf(question)}). Continue without it, or say what is missing. ${allowanceForModel(question, limits)}`;
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
export const reasonsOf = ({ reason }: PermissionQuestion): string =>
  reason.replaceAll('\n', ' ').replace(/\.$/, '');

/** What an administrator has ruled out: advice that does not help is worse than none. */
export interface AllowanceLimits {
  /** Only rules in managed settings count. */
  readonly isManagedOnly?: boolean | undefined;
  /** Modes that are switched off. */
  readonly refused?: Readonly<Partial<Record<PermissionMode, string>>> | undefined;
}

/** What would have allowed the call, as a sentence for the user. */
export function allowance(question: CallQuestion, limits: AllowanceLimits): string {
  const flags = allowingFlags(question, limits);
  return flags === undefined ? MANAGED_ONLY : `${flags.replace(/^a rule/, 'A rule')} would allow it.`;
}

/** The same for the model, which cannot set a flag itself. */
function allowanceForModel(question: CallQuestion, limits: AllowanceLimits): string {
  const flags = allowingFlags(question, limits);
  return flags === undefined ? MANAGED_ONLY : `The user could allow it with ${flags}.`;
}

const MANAGED_ONLY = 'Only a rule in the managed settings of this machine could allow it.';

/** undefined if no flag would. */
function allowingFlags(
  { tool, suggestion }: CallQuestion,
  { isManagedOnly, refused = {} }: AllowanceLimits,
): string | undefined {
  if (tool === toolNames.exitPlanMode) return '--permission-mode default';
  if (suggestion?.destination === 'mode') return '--permission-mode acceptEdits';
  const rule =
    suggestion === undefined
      ? `a rule in --allowed-tools that names exactly this call of ${tool}`
      : `--allowed-tools '${suggestion.rules.join(',')}'`;
  const rules = isManagedOnly === true ? [] : [rule];
  const isOpen =
    refused.bypassPermissions === undefined && (suggestion === undefined || isManagedOnly === true);
  const modes = isOpen ? [BYPASS] : [];
  const ways = [...rules, ...modes];
  return ways.length === 0 ? undefined : ways.join(', or ');
}

const BYPASS = '--permission-mode bypassPermissions';
