/**
 * Decides how a tool call is approved: by the rules, the judge of mode `auto` or the user. Manages the open questions.
 */
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
import type { ApprovalPorts, NewQuestion } from './authorize.ts';
import type { Judge } from './auto/judge.ts';
import type { AllowedBy, CallHooks } from './hooks/callHooks.ts';
import type { Modes } from './modes.ts';

/** Decides by rules, and saves the answer "always". */
export interface PermissionRules {
  readonly decide: (
    tool: string,
    access: Access,
    mode: PermissionMode,
    /** A hook allows the call, as an allow rule for the tool would. */
    allowedBy?: AllowedBy,
  ) => Promise<PermissionDecision>;
  /** Saves the rule for "always" and returns a sentence that names the rule and its file. */
  readonly remember: (suggestion: RuleSuggestion) => Promise<string>;
  /** From now on sandboxed commands run without approval. */
  readonly autoAllow?: () => void;
}

interface PermissionParts {
  readonly rules: PermissionRules;
  readonly modes: Modes;
  readonly questions: Questions;
  readonly judge: Judge;
  readonly notice: (level: 'info', text: string) => void;
}

/**
 * Creates the ports that approve calls: rules under the current mode, the user's answer, and the effects of "always".
 */
export function createPermissionPorts({
  rules,
  modes,
  questions,
  judge,
  notice,
}: PermissionParts): Pick<ApprovalPorts, 'decide' | 'ask' | 'onAllowed'> {
  return {
    async decide(tool, access, call): Promise<PermissionDecision> {
      const mode = modes.current();
      if (access.type === 'plan' && mode !== 'plan')
        return { behavior: 'deny', reason: 'Plan mode is not on.', modelAdvice: 'Just do the work.' };
      // Only the user can answer plans and questions.
      const isForUser = access.type === 'plan' || access.type === 'question';
      const allowedBy = isForUser ? undefined : call.allowedBy;
      const decision = await rules.decide(tool, access, mode, allowedBy);
      if (access.type === 'plan' && decision.behavior === 'ask') return { ...decision, ...planChoice(modes) };
      // A judge approves calls; it has no answers to questions.
      if (mode !== 'auto' || decision.behavior !== 'ask' || access.type === 'question') return decision;
      const judged = await judge.judge({ ...call, tool, access, decision });
      if (judged.behavior !== 'allow') return judged;
      // A judge takes seconds; in the meantime a link, a file or the mode may have changed.
      const now = await rules.decide(tool, access, modes.current(), allowedBy);
      const isSame = modes.current() === 'auto' && isDeepStrictEqual(now, decision);
      return isSame ? judged : now;
    },
    ask: questions.ask,
    async onAllowed({ suggestion }, access, answer) {
      if (answer.behavior === 'allow') judge.userAllowed();
      if (answer.behavior === 'allow' && answer.autoAllow === true) {
        rules.autoAllow?.();
        notice('info', 'Commands in the sandbox run without approval for the rest of this session.');
      }
      const isAlways = answer.behavior === 'allow' && answer.remember === true && suggestion !== undefined;
      if (isAlways && suggestion.destination === 'mode') await modes.set(suggestion.mode ?? 'acceptEdits');
      else if (access.type === 'plan') await modes.set(modes.afterPlan());
      if (!isAlways || suggestion.destination === 'mode') return;
      notice('info', await rules.remember({ ...suggestion, ...answer.remembered }));
    },
  };
}

/** An approved plan returns to the mode before it; to accept edits, or to ask for each, is offered as another choice. */
function planChoice(modes: Modes): Partial<PermissionDecision> {
  const next = modes.afterPlan();
  const offer = (label: string, mode: Pick<RuleSuggestion, 'mode'> = {}): RuleSuggestion => ({
    ...{ rules: [], destination: 'mode', label, ...mode },
  });
  if (next === 'default')
    return modes.cycle.includes('acceptEdits') ? { suggestion: offer('Yes, and accept edits') } : {};
  const isFreer = next !== 'dontAsk' && modes.cycle.includes('default');
  return {
    reason: `The plan runs in ${modeLabels[next]} mode.`,
    ...(isFreer && { suggestion: offer('Yes, but ask for each edit', { mode: 'default' }) }),
  };
}

/** The open questions of a session: the agent waits here until a subscriber answers with an op. */
export interface Questions {
  /**
   * Resolves with the answer. An abort answers every open question with a denial that ends the turn. `apply`, for calls
   * that the rules decide about, applies the answer beyond the call; if it changes the rules, all other such questions
   * are withdrawn as outdated once it is done.
   */
  ask(
    question: NewQuestion,
    signal: AbortSignal,
    apply?: (answer: PermissionAnswer) => Promise<void>,
  ): Promise<PermissionAnswer>;
  answer(id: string, answer: PermissionAnswer): void;
  open(): readonly PermissionQuestion[];
}

/** Creates the store of open questions; parallel calls may have several open at once. */
export function createQuestions(
  agentId: string,
  emit: (event: AgentEvent) => void,
  neverAsks: () => boolean,
): Questions {
  interface Waiting {
    readonly question: PermissionQuestion;
    readonly apply: ((answer: PermissionAnswer) => Promise<void>) | undefined;
    readonly resolve: (answer: PermissionAnswer | Promise<PermissionAnswer>) => void;
  }
  const waiting = new Map<string, Waiting>();

  const close = (id: string, answer: PermissionAnswer): Waiting | undefined => {
    const entry = waiting.get(id);
    if (entry !== undefined && waiting.delete(id)) emit({ type: 'permission_answered', id, answer });
    return entry;
  };
  const settle = (id: string, answer: PermissionAnswer): void => {
    const entry = close(id, answer);
    if (entry === undefined) return;
    const applied = entry.apply?.(answer) ?? Promise.resolve();
    entry.resolve(applied.then(() => answer));
    if (!changesRules(answer)) return;
    // Not shown meanwhile: the new rules may answer them.
    const decideAgain = applied.then(
      () => outdated,
      () => outdated,
    );
    for (const other of waiting.values())
      if (other.apply !== undefined) close(other.question.id, outdated)?.resolve(decideAgain);
  };

  return {
    ask(asked, signal, apply) {
      const question: PermissionQuestion = { ...asked, agentId };
      if (signal.aborted) return Promise.resolve(refusal);
      if (neverAsks()) return Promise.resolve(unasked);
      return new Promise<PermissionAnswer>((resolve) => {
        const onAbort = (): void => settle(question.id, refusal);
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.set(question.id, {
          question,
          apply,
          resolve(answer) {
            signal.removeEventListener('abort', onAbort);
            resolve(answer);
          },
        });
        emit({ type: 'permission_question', question });
      });
    },
    answer: settle,
    open: () => [...waiting.values()].map((entry) => entry.question),
  };
}

/** "Always", and running every command in the sandbox. */
const changesRules = (answer: PermissionAnswer): boolean =>
  answer.behavior === 'allow' && (answer.remember === true || answer.autoAllow === true);

const outdated: PermissionAnswer = { behavior: 'deny', outdated: true };

/** The questions of a subagent: the agent that started it asks them, and stores the open ones. */
export function delegatedQuestions(ask: Questions['ask'], neverAsks: () => boolean): Questions {
  return {
    ask: (question, signal, apply) => (neverAsks() ? Promise.resolve(unasked) : ask(question, signal, apply)),
    answer: () => {},
    open: () => [],
  };
}

/**
 * Mode `dontAsk` also denies questions that are not about a call: whether to continue a turn that repeats itself, or to
 * let a command reach a host.
 */
const unasked: PermissionAnswer = {
  behavior: 'deny',
  comment: 'This session does not ask (mode dontAsk).',
  unasked: true,
};

const refusal: PermissionAnswer = { behavior: 'deny', interrupt: true };

/** For questions that come up while a call runs: reaching a host from the sandbox, or running outside the sandbox. */
export interface ConfirmParts {
  readonly questions: Questions;
  readonly mode: () => PermissionMode;
  /** Returns the rule that "always" saves for a host. */
  readonly suggestHost?: ((domain: string) => RuleSuggestion) | undefined;
  readonly remember: (suggestion: RuleSuggestion) => Promise<string>;
  readonly notice: (level: 'info', text: string) => void;
  readonly newId: () => string;
  /** Absent without hooks. */
  readonly hooks?: Pick<CallHooks, 'confirm' | 'notifyRunning'> | undefined;
  /** Hosts denied since the user's last prompt; they are not asked about again until the next one. */
  readonly declinedHosts: Set<string>;
}

/**
 * Asks the user unless the mode decides: `bypassPermissions` allows every host unless managed settings require a
 * question, but never lets a command run outside its sandbox.
 */
export async function confirmWhileRunning(
  { domain, title, preview, reason, verdict, signal: wanted }: RunningQuestion,
  { callId, tool, signal }: { callId: string; tool: string; signal: AbortSignal },
  { questions, mode, suggestHost, remember, notice, newId, declinedHosts, hooks }: ConfirmParts,
): Promise<boolean> {
  const isAlways = verdict?.() === 'always ask';
  if (mode() === 'bypassPermissions' && !isAlways) return domain !== undefined;
  if (domain !== undefined && declinedHosts.has(domain)) return false;
  const suggestion = domain === undefined ? undefined : suggestHost?.(domain);
  const input = domain === undefined ? { question: title } : { question: title, domain };
  const question = { callId, tool, title, headline: title, input: { domain }, preview, reason };
  const until = wanted === undefined ? signal : AbortSignal.any([signal, wanted]);
  const decided = hooks && (await hooks.confirm({ callId, tool, input }, until));
  if (decided?.behavior === 'deny') return false;
  // A hook may allow a host, as an allow rule would, but never lets a command leave its sandbox. Without suggestions,
  // only rules of managed settings apply.
  const isRule = decided?.isManaged === true || (!isAlways && suggestHost !== undefined);
  const mayAllow = domain !== undefined && isRule;
  if (decided?.behavior === 'allow' && mayAllow) return true;
  hooks?.notifyRunning('permission_prompt', `ClawdCode needs your permission: ${title}`, until);
  const apply = async (answer: PermissionAnswer): Promise<void> => {
    const isKept = answer.behavior === 'allow' && answer.remember === true;
    if (isKept && suggestion !== undefined) notice('info', await remember(suggestion));
  };
  const ask = async (): Promise<boolean> => {
    const asked = { ...question, id: newId(), ...(suggestion && { suggestion }) };
    // No rule decides about leaving the sandbox.
    const answer = await questions.ask(asked, until, domain === undefined ? undefined : apply);
    if (answer.behavior === 'allow') return true;
    if (answer.outdated === true) {
      const now = verdict?.();
      return now === 'allow' || (now !== 'deny' && ask());
    }
    // A question that was withdrawn, or never shown, is not a denial by the user.
    if (domain !== undefined && !until.aborted && answer.unasked !== true) declinedHosts.add(domain);
    return false;
  };
  return ask();
}
