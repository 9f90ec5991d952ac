/**
 * Mode `auto`: a second request to the session's model decides about calls that need approval, within hard limits. After
 * too many denials or failures it makes no more requests. Any problem falls back to asking the user.
 */
import { type ContextManager, usageOf } from '../../context/index.ts';
import { autoLimit } from '../../permissions/autoLimit.ts';
import type { NewEntry } from '../../protocol/entries.ts';
import type { ModelClient, ModelInfo } from '../../protocol/models/model.ts';
import type { Access, PermissionDecision } from '../../protocol/permissions.ts';
import { type Clock, type ReplyOutcome, streamReply } from '../reply.ts';
import { canBeJudged, judgePrompt, parseVerdict, userWords, type Verdict } from './judgePrompt.ts';

/** Short, because the tool call waits for the verdict. */
const JUDGE_TIMEOUT_MS = 15_000;
/** Denials in a row after which the user is asked: either the model is off track, or the judge is. */
const MAX_DENIALS_IN_A_ROW = 3;
/** Total denials after which the user is asked for the rest of the run. */
const MAX_DENIALS = 20;
/** Consecutive requests without a verdict after which none is made until the user approves a call. */
const MAX_FAILURES = 3;
/** Reasoning models need room to think; the verdict itself takes about forty tokens. */
const maxOutputTokens = 1500;

interface JudgePorts {
  readonly context: Pick<ContextManager, 'live' | 'append' | 'recordRequest'>;
  readonly client: ModelClient;
  readonly clock: Clock;
  readonly model: () => ModelInfo;
  /** The user's or administrator's rules for the judge, one sentence each. */
  readonly rules: readonly string[];
  readonly root: string;
}

/** A tool call that the rules would ask about. */
interface AskedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly access: Access;
  readonly decision: PermissionDecision;
  readonly signal: AbortSignal;
}

export interface Judge {
  /** Allows or denies the call, or returns "ask" with the reason for it. Never rejects because of the model. */
  judge(call: AskedCall): Promise<PermissionDecision>;
  /** Call when the user approves a call: resets the counts of consecutive denials and failures. */
  userAllowed(): void;
}

export function createJudge(ports: JudgePorts): Judge {
  let inARow = 0;
  let total = 0;
  let failures = 0;

  const pause = (): string | undefined => {
    if (total >= MAX_DENIALS) return `it has denied ${MAX_DENIALS} calls in this session`;
    if (inARow >= MAX_DENIALS_IN_A_ROW) return `it has denied ${inARow} calls in a row`;
    return failures >= MAX_FAILURES ? 'the judge has repeatedly failed to answer' : undefined;
  };
  const count = (verdict: Verdict | undefined): void => {
    failures = verdict === undefined ? failures + 1 : 0;
    if (verdict?.decision === 'allow') inARow = 0;
    if (verdict?.decision !== 'deny') return;
    inARow += 1;
    total += 1;
  };

  return {
    async judge(call) {
      const words = userWords(ports.context.live().entries);
      const limit = limitOf(call, words);
      if (limit !== undefined) return asking(call.decision, limit);
      const paused = pause();
      if (paused !== undefined) return asking(call.decision, `Auto mode asks you, as ${paused}.`);
      const answer = await request(call, words, ports);
      // Interrupted by the user: counts neither as a denial nor as a failure.
      if (call.signal.aborted) return call.decision;
      count(answer.verdict);
      if (answer.verdict === undefined)
        return asking(call.decision, `Auto mode asks you, as ${answer.problem}.`);
      const { decision, reason } = answer.verdict;
      if (decision === 'allow')
        return { behavior: 'allow', basis: 'judge', reason: `Allowed by auto: ${reason}` };
      if (decision === 'ask') return asking(call.decision, `Auto mode is not sure: ${reason}`);
      return { behavior: 'deny', basis: 'judge', reason: refusalText(reason) };
    },
    userAllowed() {
      inARow = 0;
      failures = 0;
    },
  };
}

/** The reason for a denial, as sent to the agent's model. */
function refusalText(reason: string): string {
  return `${reason} (Auto mode: the call was judged against what the user asked for.) Continue within that, or say what you need and why; do not look for a workaround.`;
}

function asking(decision: PermissionDecision, why: string): PermissionDecision {
  return { ...decision, reason: decision.reason === why ? why : `${decision.reason} ${why}` };
}

function limitOf({ access, input, decision }: AskedCall, words: readonly string[]): string | undefined {
  const limit = autoLimit(decision, words);
  if (limit !== undefined) return limit;
  if (words.length === 0)
    return 'Auto mode asks you, as you have typed nothing in this session to judge it by.';
  if (canBeJudged({ access, input })) return undefined;
  const what = access.type === 'command' ? 'command' : access.type === 'write' ? 'change' : 'call';
  return `Auto mode asks you, as the ${what} is too long to be judged.`;
}

type JudgeAnswer =
  | { readonly verdict: Verdict; readonly problem?: never }
  | { readonly verdict?: undefined; readonly problem: string };

/** Makes the request and records it, whatever its outcome. */
async function request(call: AskedCall, words: readonly string[], ports: JudgePorts): Promise<JudgeAnswer> {
  const { context, client, clock, model, rules, root } = ports;
  const { id } = model();
  const messages = judgePrompt(words, rules, { ...call, root });
  const asked = { model: id, messages, tools: [], maxOutputTokens, temperature: 0 };
  const started = clock.now();
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  let timedOut = false;
  const deadline = clock.sleep(JUDGE_TIMEOUT_MS, signal).then((): undefined => {
    timedOut = !signal.aborted;
    over.abort();
    return undefined;
  });
  const reply = streamReply(asked, { client, clock, signal, maxAttempts: 1, emit: () => {} });
  // A client that ignores the signal must not block the call.
  const outcome = await Promise.race([reply, deadline.then(() => undefined)]).finally(() => over.abort());
  reply.catch(() => undefined);
  const answer = timedOut ? late : answerIn(outcome);
  if (outcome !== undefined) {
    const end = outcome.type === 'failed' ? outcome.error.kind : outcome.type;
    await context.recordRequest({ purpose: 'judge', outcome: end }, asked, outcome.sent);
  }
  await context.append(judgementEntry(call, answer, outcome, id, clock.now() - started));
  return answer;
}

const late: JudgeAnswer = { problem: `the judge has not answered within ${JUDGE_TIMEOUT_MS / 1000} seconds` };

function answerIn(outcome: ReplyOutcome | undefined): JudgeAnswer {
  if (outcome === undefined || outcome.type === 'interrupted') return { problem: 'the judge was stopped' };
  if (outcome.type === 'failed')
    return { problem: `the judge could not be reached (${outcome.error.message})` };
  const { message, finishReason } = outcome.reply;
  const isWhole = finishReason === 'stop' && message.toolCalls.length === 0;
  const verdict = isWhole ? parseVerdict(message.content.trim()) : undefined;
  return verdict === undefined ? { problem: 'the judge gave no clear verdict' } : { verdict };
}

/** Builds the log entry of a judgement: its decision and its cost. */
function judgementEntry(
  { id: callId, tool }: AskedCall,
  answer: JudgeAnswer,
  outcome: ReplyOutcome | undefined,
  model: string,
  durationMs: number,
): NewEntry {
  const reply = outcome?.type === 'done' ? outcome.reply : undefined;
  const decision = answer.verdict?.decision ?? 'ask';
  return {
    type: 'system',
    subtype: 'judgement',
    message: {
      role: 'system',
      content: answer.verdict?.reason ?? '',
      model: reply?.model ?? model,
      ...(reply?.usage === undefined ? {} : { usage: usageOf(reply.usage) }),
      durationMs,
    },
    data: { callId, tool, decision, ...(answer.problem === undefined ? {} : { problem: answer.problem }) },
  };
}
