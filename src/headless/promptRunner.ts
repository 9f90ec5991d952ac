/**
 * Runs prompts one after another without a screen, as a subscriber of the agent with the same rights as the terminal
 * UI. Uses the same commands; differs in who answers questions, and in the output.
 */

import type { Agent, AgentState } from '../agent/types.ts';
import { interpret, mayBeCommand, unknownCommandText } from '../commands/interpret.ts';
import { plainText } from '../commands/pages/page.ts';
import type { CommandResult } from '../commands/types.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { ImagePart } from '../protocol/files/images.ts';
import { effortText } from '../protocol/models/wires.ts';
import type { Op } from '../protocol/ops.ts';
import type { PermissionQuestion } from '../protocol/permissions.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Tally } from './tally.ts';
import type { LimitOptions, Reporter, ReportOptions, RunEnd } from './types.ts';

export interface RunPrompt {
  readonly text: string;
  /** The part of the text that the user typed, if the rest was piped in. */
  readonly typed?: string;
  readonly images?: readonly ImagePart[];
  /** Never a slash command. */
  readonly isVerbatim?: boolean;
  /** Why it cannot be sent, ready to show. */
  readonly problem?: string;
}

interface PromptRunnerOptions extends Pick<ReportOptions, 'agent' | 'host'> {
  readonly tally: Tally;
  readonly reporter: Reporter;
  readonly limits: LimitOptions;
  /** What to do instead of a command that needs a terminal; ready to show. */
  readonly withoutTerminal?: string;
  /** Must lead to an answer, now or later: the turn waits for it. */
  readonly onQuestion: (question: PermissionQuestion) => void;
  /** Receives every event after it was reported. */
  readonly onEvent?: (event: AgentEvent) => void;
}

export interface PromptRunner {
  /** Runs a prompt to its end and writes the result. One at a time. */
  run(prompt: RunPrompt): Promise<Outcome>;
  /** Stops listening to the agent. */
  close(): void;
}

export function createPromptRunner(options: PromptRunnerOptions): PromptRunner {
  const { agent, host, tally, reporter, onQuestion, onEvent, withoutTerminal = WITH_FLAGS } = options;
  const limits = createRunLimits(options.limits, agent, tally);
  let reported: RunEnd | undefined;
  let op: Op | undefined;
  const close = agent.subscribe((event) => {
    tally.add(event);
    reporter.event(event);
    reported = endOf(event, op) ?? reported;
    if (event.type === 'permission_question') onQuestion(event.question);
    onEvent?.(event);
    limits.handle(event);
  });
  const runOp = async (next: Op): Promise<RunEnd> => {
    [reported, op] = [undefined, next];
    agent.submit(next);
    await agent.idle();
    const end = limits.end(reported ?? unreportedEnd(next, agent.state()));
    return end.type === 'ask' ? runOp({ type: 'prompt', text: end.text }) : end;
  };
  return {
    async run(prompt) {
      tally.startTurn();
      reporter.begin();
      // Nothing happens between the first line of the output and the start of the turn: its reader may interrupt.
      const meaning = interpretPlain(prompt) ?? (await interpretCommand(prompt, host, withoutTerminal));
      const end = meaning.type === 'op' ? (limits.begin() ?? (await runOp(meaning.op))) : meaning;
      await reporter.end(end);
      return outcomeOf(end, tally);
    },
    close,
  };
}

/** The end of the op, if this event reports it; a compaction within a turn does not end the turn. */
function endOf(event: AgentEvent, op: Op | undefined): RunEnd | undefined {
  if (event.type === 'compaction_ended' && op?.type === 'compact') {
    return { type: 'compaction', report: event.report };
  }
  if (event.type === 'compaction_ended' && op?.type === 'uncompact') {
    return { type: 'uncompact', report: event.report };
  }
  if (event.type === 'rewind_ended' && (op?.type === 'rewind' || op?.type === 'undo_rewind')) {
    const { outcome, message } = event.report;
    return { type: 'answer', ok: outcome !== 'refused', text: message };
  }
  if (event.type === 'compaction_previewed') return { type: 'preview', preview: event.preview };
  if (event.type !== 'turn_ended') return undefined;
  const { outcome, steps, error } = event;
  return { type: 'turn', outcome, steps, ...(error === undefined ? {} : { error }) };
}

/** The end of an op without its own event: a setting that applies at once, or a failed operation. */
function unreportedEnd(op: Op, { model }: AgentState): RunEnd {
  switch (op.type) {
    case 'set_title':
      return { type: 'answer', ok: true, text: `Title: ${op.title}` };
    case 'set_mode':
      return { type: 'answer', ok: true, text: `Mode: ${op.mode}` };
    case 'set_model':
      return { type: 'answer', ok: true, text: `Model: ${op.model}` };
    case 'set_effort':
      return { type: 'answer', ok: true, text: effortText(model, op.effort) };
    case 'set_thinking':
      return { type: 'answer', ok: true, text: 'The thinking budget was set.' };
    case 'prompt':
    case 'use_skill':
    case 'shell':
    case 'compact':
    case 'uncompact':
    case 'rewind':
    case 'undo_rewind':
    // No command submits these.
    case 'edit_item':
    case 'interrupt':
    case 'background':
    case 'stop_task':
    case 'answer':
      return { type: 'turn', outcome: 'failed', steps: 0 };
  }
}

/** What a prompt asks for: an op for the agent, or an answer without one. */
type InterpretedPrompt = { readonly type: 'op'; readonly op: Op } | RunEnd;

/** Interprets a prompt that cannot be a command; returns undefined for others. */
function interpretPlain(prompt: RunPrompt): InterpretedPrompt | undefined {
  const { text, isVerbatim = false, problem } = prompt;
  if (problem !== undefined) return { type: 'answer', ok: false, text: problem };
  return isVerbatim || !mayBeCommand(text) ? promptOp(prompt) : undefined;
}

/**
 * Interprets the prompt. `!command` is plain text here: anyone who can pass `-p` has a shell, and piped input may
 * contain anything.
 */
async function interpretCommand(
  prompt: RunPrompt,
  loadHost: ReportOptions['host'],
  withoutTerminal: string,
): Promise<InterpretedPrompt> {
  const { text, typed } = prompt;
  const host = await loadHost();
  const meaning = interpret(text, host.commands);
  switch (meaning.type) {
    case 'prompt':
    case 'shell':
      return promptOp(prompt);
    case 'unknown':
      return { type: 'answer', ok: false, text: unknownCommandText(meaning) };
    case 'command': {
      const { command, args } = meaning;
      const instead = command.needsUser?.(args);
      if (instead === undefined) {
        const needsTerminal = `/${command.name} needs a terminal to answer in. ${withoutTerminal}`;
        return fromCommand(withTyped(await command.run(args, host), typed), needsTerminal);
      }
      const text = `/${command.name} would change more than this session, so it needs a terminal. ${instead}`;
      return { type: 'answer', ok: false, text };
    }
  }
}

function promptOp({ text, typed, images = [] }: RunPrompt): InterpretedPrompt {
  const extras = {
    ...(typed === undefined ? {} : { typed }),
    ...(images.length === 0 ? {} : { images }),
  };
  return { type: 'op', op: { type: 'prompt', text, ...extras } };
}

/** What was piped in may have become an argument of the command: it is not the user's own words there either. */
function withTyped(result: CommandResult, typed: string | undefined): CommandResult {
  if (typed === undefined || result.type !== 'op') return result;
  const { op } = result;
  return op.type === 'prompt' || op.type === 'use_skill' ? { ...result, op: { ...op, typed } } : result;
}

/** `needsTerminal`: the answer if the command opens something on a screen. */
async function fromCommand(result: CommandResult, needsTerminal: string): Promise<InterpretedPrompt> {
  switch (result.type) {
    case 'op':
      return result;
    case 'notice':
      return { type: 'answer', ok: result.level !== 'error', text: result.text };
    case 'exit':
      return { type: 'answer', ok: true, text: '' };
    case 'setting_changed':
      return { type: 'answer', ok: true, text: result.text };
    case 'page':
      return { type: 'answer', ok: true, text: plainText(result.page) };
    case 'dialog':
      if (result.dialog === 'confirm') {
        const { text } = await result.question.answer(false);
        const question = `${result.question.title} Answer it in a terminal. ${text}`;
        return { type: 'answer', ok: false, text: `${plainText(result.page)}\n\n${question}` };
      }
      if ('page' in result) return { type: 'answer', ok: true, text: plainText(result.page) };
      return { type: 'answer', ok: false, text: needsTerminal };
    case 'open_session':
    case 'fork_session':
    case 'toggle_vim':
    case 'set_theme':
      return { type: 'answer', ok: false, text: needsTerminal };
  }
}

const WITH_FLAGS = 'With -p, use --resume ID, --continue or --model instead.';

// What ends a run early or continues it: its budget, and an answer that fits the schema.

interface RunLimits {
  /** Why a prompt must not even begin. */
  begin(): RunEnd | undefined;
  /** Interrupts the turn if a limit is reached. */
  handle(event: AgentEvent): void;
  /** The end of the turn as the limits see it; a text if the model has to be asked again. */
  end(reported: RunEnd): RunEnd | { readonly type: 'ask'; readonly text: string };
}

/** Calls that do not fit the schema. */
const MAX_FAILURES = 5;
/** How many times a model that answered in text is asked for the call. */
const MAX_ASKED = 2;

const ASK = 'Give your final answer now, by calling StructuredOutput.';
const UNFIT = `The model gave no answer that fits the schema of --json-schema.`;

function createRunLimits({ maxBudgetUsd, structured }: LimitOptions, agent: Agent, tally: Tally): RunLimits {
  let reached: 'budget' | 'structured_output' | undefined;
  /** True if the limit was noticed before a step had sent anything. */
  let isUnsent = false;
  let asked = 0;
  const overBudget = (): string | undefined => {
    if (maxBudgetUsd === undefined) return undefined;
    const cost = tally.costUsd();
    const model = agent.state().model.id;
    if (!tally.isCounted())
      return `The server of ${model} reports no tokens, so --max-budget-usd cannot be enforced.`;
    if (cost === undefined)
      return `The price of ${model} is unknown, so --max-budget-usd cannot be enforced. Set its price in the settings (models).`;
    return cost < maxBudgetUsd
      ? undefined
      : `The budget of $${maxBudgetUsd} is used up ($${cost.toFixed(4)}).`;
  };
  const ended = (limit: 'budget' | 'structured_output', steps: number): RunEnd => ({
    type: 'limit',
    limit,
    reason: limit === 'budget' ? (overBudget() ?? '') : UNFIT,
    steps,
  });
  return {
    begin() {
      [reached, asked] = [undefined, 0];
      structured?.begin();
      return overBudget() === undefined ? undefined : ended('budget', 0);
    },
    handle(event) {
      if (reached !== undefined) return;
      // Before the request of the step is sent, or the next one of a subagent.
      isUnsent = event.type === 'step_started';
      if (!isUnsent && !isSubagentReply(event)) return;
      if (overBudget() !== undefined) reached = 'budget';
      else if (isUnsent && (structured?.failures() ?? 0) >= MAX_FAILURES) reached = 'structured_output';
      if (reached === undefined) return;
      agent.submit({ type: 'interrupt' });
      if (reached === 'budget') stopSubagents(agent);
    },
    end(reported) {
      if (reported.type !== 'turn') return reported;
      if (reached !== undefined) return ended(reached, Math.max(0, reported.steps - (isUnsent ? 1 : 0)));
      if (structured === undefined) return reported;
      const answer = structured.answer();
      if (reported.outcome === 'done' && answer !== undefined) return { ...reported, structured: answer };
      if (reported.outcome === 'loop' && structured.failures() > 0)
        return ended('structured_output', reported.steps);
      if (reported.outcome !== 'done') return reported;
      return asked++ < MAX_ASKED ? { type: 'ask', text: ASK } : ended('structured_output', reported.steps);
    },
  };
}

/** True once a reply of a subagent is part of the cost. */
function isSubagentReply(event: AgentEvent): boolean {
  if (event.type !== 'entry' || event.entry.subtype !== 'usage') return false;
  return event.entry.data?.purpose?.startsWith('subagent ') === true;
}

/** Stops those in the background, which an interrupt leaves running. */
function stopSubagents(agent: Agent): void {
  for (const { id, kind, end } of agent.state().tasks)
    if (kind === 'subagent' && end === undefined) agent.submit({ type: 'stop_task', id });
}
