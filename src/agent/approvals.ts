/** How a call gets its permission: the rules, the judge of the mode `auto`, the user's answer. Owns the open questions. */
import { isDeepStrictEqual } from 'node:util';
import type { AgentEvent } from '../protocol/events.ts';
import {
  type Access,
  modeLabels,
  type PermissionAnswer,
  type PermissionDecision,
  type PermissionMode,
  type PermissionQuestion,
  type RuleSuggestion,
} from '../protocol/permissions.ts';
import type { RunningQuestion } from '../protocol/tools.ts';
import type { Judge } from './auto/judge.ts';
import type { Modes } from './modes.ts';
import type { NewQuestion, ToolCallPorts } from './toolCalls.ts';

/** What the rules say, and where an "always" goes. */
export interface PermissionRules {
  readonly decide: (tool: string, access: Access, mode: PermissionMode) => Promise<PermissionDecision>;
  /** Saves an "always" and says in a sentence what was saved where. */
  readonly remember: (suggestion: RuleSuggestion) => Promise<string>;
  /** Commands in the sandbox need no question from now on. */
  readonly autoAllow?: () => void;
}

export interface PermissionParts {
  readonly rules: PermissionRules;
  readonly modes: Modes;
  readonly questions: Questions;
  readonly judge: Judge;
  readonly notice: (level: 'info', text: string) => void;
}

/** How a call gets its permission: rules under the current mode, the user's answer, and what "always" does. */
export function createPermissionPorts({
  rules,
  modes,
  questions,
  judge,
  notice,
}: PermissionParts): Pick<ToolCallPorts, 'decide' | 'ask' | 'onAllowed'> {
  return {
    async decide(tool, access, call): Promise<PermissionDecision> {
      const mode = modes.current();
      if (access.type === 'plan' && mode !== 'plan')
        return { behavior: 'deny', reason: 'plan mode is not on; just do the work' };
      const decision = await rules.decide(tool, access, mode);
      if (access.type === 'plan' && decision.behavior === 'ask') return { ...decision, ...planChoice(modes) };
      if (mode !== 'auto' || decision.behavior !== 'ask') return decision;
      const judged = await judge.judge({ ...call, tool, access, decision });
      if (judged.behavior !== 'allow') return judged;
      // A judge takes seconds, in which a link, a file or the mode may have become another.
      const now = await rules.decide(tool, access, modes.current());
      const isSame = modes.current() === 'auto' && isDeepStrictEqual(now, decision);
      return isSame ? judged : now;
    },
    ask: questions.ask,
    async onAllowed({ suggestion }, access, answer) {
      if (answer.behavior === 'allow') judge.userAllowed();
      if (answer.behavior === 'allow' && answer.autoAllow === true) {
        rules.autoAllow?.();
        notice('info', 'Commands in the sandbox run without a question for the rest of this session.');
      }
      const isAlways = answer.behavior === 'allow' && answer.remember === true && suggestion !== undefined;
      if (isAlways && suggestion.destination === 'mode') await modes.set('acceptEdits');
      else if (access.type === 'plan') await modes.set(modes.afterPlan());
      if (!isAlways || suggestion.destination === 'mode') return;
      notice('info', await rules.remember(suggestion));
    },
  };
}

/** A plan leads back to the mode from before; accepting edits from now on is a choice of its own. */
function planChoice(modes: Modes): Partial<PermissionDecision> {
  const next = modes.afterPlan();
  if (next === 'default' && modes.cycle.includes('acceptEdits'))
    return { suggestion: { rules: [], destination: 'mode', label: 'Yes, and accept edits' } };
  return next === 'default' ? {} : { reason: `The plan runs in ${modeLabels[next]} mode.` };
}

/** The open questions of a session: the agent waits here, a subscriber answers through an op. */
export interface Questions {
  /** Resolves with the answer; an abort answers every open question with a refusal that ends the turn. */
  ask(question: NewQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
  answer(id: string, answer: PermissionAnswer): void;
  open(): readonly PermissionQuestion[];
}

/** Owns the promises behind `permission_question` events; parallel calls may have several open at once. */
export function createQuestions(
  agentId: string,
  emit: (event: AgentEvent) => void,
  asksNothing: () => boolean = () => false,
): Questions {
  const waiting = new Map<
    string,
    { question: PermissionQuestion; settle: (answer: PermissionAnswer) => void }
  >();

  const answer = (id: string, given: PermissionAnswer): void => {
    const entry = waiting.get(id);
    if (entry === undefined) return;
    waiting.delete(id);
    entry.settle(given);
    emit({ type: 'permission_answered', id, answer: given });
  };

  return {
    ask(asked, signal) {
      const question: PermissionQuestion = { ...asked, agentId };
      if (signal.aborted) return Promise.resolve(refusal);
      if (asksNothing()) return Promise.resolve(unasked);
      return new Promise((resolve) => {
        const onAbort = (): void => answer(question.id, refusal);
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.set(question.id, {
          question,
          settle: (given) => {
            signal.removeEventListener('abort', onAbort);
            resolve(given);
          },
        });
        emit({ type: 'permission_question', question });
      });
    },
    answer,
    open: () => [...waiting.values()].map((entry) => entry.question),
  };
}

/** What is not about a rule comes here in the mode `dontAsk` as well: whether to go on, a host that a command wants. */
const unasked: PermissionAnswer = {
  behavior: 'deny',
  comment: 'This session does not ask (mode dontAsk).',
  unasked: true,
};

const refusal: PermissionAnswer = { behavior: 'deny', interrupt: true };

/** For questions that come up while a call runs: a host that a sandboxed command wants to reach, a run outside the sandbox. */
export interface ConfirmParts {
  readonly questions: Questions;
  readonly mode: () => PermissionMode;
  /** What "always" would save for a host. */
  readonly suggestHost?: ((domain: string) => RuleSuggestion) | undefined;
  readonly remember: (suggestion: RuleSuggestion) => Promise<string>;
  readonly notice: (level: 'info', text: string) => void;
  readonly newId: () => string;
  /** Hosts that the user has said no to since they last said something; a no is not asked for again until then. */
  readonly declinedHosts: Set<string>;
}

/**
 * Asks, unless the mode answers: `bypassPermissions` opens every host that managed settings want no question about, but
 * leads no command out of its sandbox.
 */
export async function confirmWhileRunning(
  { domain, title, preview, reason, isAlways, signal: wanted }: RunningQuestion,
  { callId, tool, signal }: { callId: string; tool: string; signal: AbortSignal },
  { questions, mode, suggestHost, remember, notice, newId, declinedHosts }: ConfirmParts,
): Promise<boolean> {
  const current = mode();
  if (current === 'bypassPermissions' && isAlways !== true) return domain !== undefined;
  if (domain !== undefined && declinedHosts.has(domain)) return false;
  const suggestion = domain === undefined ? undefined : suggestHost?.(domain);
  const question = { id: newId(), callId, tool, title, headline: title, input: { domain }, preview, reason };
  const until = wanted === undefined ? signal : AbortSignal.any([signal, wanted]);
  const answer = await questions.ask({ ...question, ...(suggestion && { suggestion }) }, until);
  if (answer.behavior !== 'allow') {
    // A question that was withdrawn, or that nobody was asked, is no answer of theirs.
    if (domain !== undefined && !until.aborted && answer.unasked !== true) declinedHosts.add(domain);
    return false;
  }
  if (answer.remember === true && suggestion !== undefined) notice('info', await remember(suggestion));
  return true;
}
