/** The result of a subagent, for the model and for the screen. Pure. */

import type { JSONLEntry } from '../../protocol/entries.ts';
import type { AgentEvent, TurnOutcome } from '../../protocol/events.ts';
import type { WorktreeEnd } from '../../protocol/extensions/worktrees.ts';
import type { ModelError } from '../../protocol/models/model.ts';
import { shortTokens } from '../../protocol/text/numbers.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import type { ToolOutcome } from '../../protocol/tools.ts';
import { promptText } from '../prompts/promptQueue.ts';

/** Facts about a subagent that has ended. */
export interface EndedSubagent {
  readonly id: string;
  readonly agent: string;
  readonly description: string;
  readonly log: string | undefined;
  readonly progress: Progress;
  readonly durationMs: number;
  /** The end of its worktree; absent without one. */
  readonly worktree?: WorktreeEnd | undefined;
  /** Who stopped it, if anyone did. */
  readonly stoppedBy?: 'turn' | 'user' | undefined;
  /** Why it could not be started, or failed unexpectedly. */
  readonly problem?: string | undefined;
}

/** Builds the outcome of the call that waited for it. */
export function outcomeOf(ended: EndedSubagent): ToolOutcome {
  const how = howEnded(ended);
  const facts = factsOf(ended);
  const note = `(${ended.agent} ${ended.id}: ${facts.join(', ')})`;
  return {
    status: how.status,
    text: [textFor(ended, how.text), ...worktreeLines(ended), note].join('\n\n'),
    kind: 'text',
    display: {
      ...displayOf(ended),
      summary: [...(how.status === 'ok' ? [] : [how.word]), ...facts, ...branchFact(ended)].join(' · '),
      modelNotes: `\n\n${note}`,
    },
  };
}

/** The result of a call for hooks, in Claude Code's shape. */
export function responseOf(
  { id, agent, progress, worktree, durationMs }: EndedSubagent,
  prompt: string,
): object {
  const { tokens, outputTokens, calls, moreCalls, text } = progress;
  return {
    ...{ status: 'completed', prompt, agentId: id, agentType: agent },
    content: [{ type: 'text', text }],
    ...{ totalToolUseCount: calls.length + moreCalls, totalDurationMs: durationMs, totalTokens: tokens },
    usage: {
      ...{ input_tokens: tokens - outputTokens, output_tokens: outputTokens },
      ...{ cache_creation_input_tokens: null, cache_read_input_tokens: null },
      ...{ server_tool_use: null, service_tier: null, cache_creation: null },
    },
    ...(worktree?.isKept === true && { worktreePath: worktree.path, worktreeBranch: worktree.branch }),
  };
}

/** The result of a call whose subagent continues in the background, for hooks. */
export function launchedResponse(
  { id, description, log }: Pick<EndedSubagent, 'id' | 'description' | 'log'>,
  prompt: string,
): object {
  return {
    ...{ isAsync: true, status: 'async_launched', agentId: id, description, prompt },
    outputFile: log ?? '',
  };
}

/** Maximum characters of the result of a subagent that was running when the program stopped. */
const MAX_STOPPED_RESULT = 20_000;

/** Builds the result of a call whose subagent was running when the program stopped. */
export function stoppedResult(
  ended: EndedSubagent,
  /** It is still there. */
  worktree?: { readonly path: string; readonly branch: string },
  /** How it had ended; absent if it was running when the program stopped. */
  end?: string,
): { output: string; display: ToolOutcome['display'] } {
  const { id, agent, description, progress } = ended;
  const where =
    worktree && ` Its changes are in its worktree ${worktree.path}, on branch ${worktree.branch}.`;
  const name = `subagent ${id} (${agent}: ${description})`;
  const what =
    end === undefined
      ? `The program stopped while ${name} was running, after ${steps(progress.step)}; it is no longer running.`
      : `${end} The program stopped before it could report ${name} to you.`;
  const how = `${what}${where ?? ''}`;
  const did = progress.calls.length === 0 ? [] : ['Its calls:', ...progress.calls.map((one) => `- ${one}`)];
  const output = [textFor(ended, how), ...(did.length === 0 ? [] : [did.join('\n')])].join('\n\n');
  const cut =
    output.length <= MAX_STOPPED_RESULT
      ? output
      : `${output.slice(0, MAX_STOPPED_RESULT).toWellFormed()}\n(cut)`;
  return { output: cut, display: { ...displayOf(ended), summary: 'interrupted' } };
}

/** Builds the note about a background subagent that has ended. */
export function noteText(ended: EndedSubagent): string {
  const { text, word } = howEnded(ended);
  const head = `Subagent ${ended.id} (${ended.agent}: ${ended.description}) ended: ${word}, ${factsOf(ended).join(', ')}.`;
  return [head, ...worktreeLines(ended), textFor(ended, text)].join('\n\n');
}

/** Where its changes are, for the model and the user. */
function worktreeLines({ worktree }: EndedSubagent): readonly string[] {
  if (worktree === undefined) return [];
  const { path, branch, isKept, summary, stat, ignored } = worktree;
  if (isKept)
    return [
      [`Its changes are on branch ${branch} (${summary}), in the worktree ${path}:`, stat]
        .join('\n')
        .trimEnd(),
    ];
  const removed = ignored.length === 0 ? '' : ` Git-ignored files were removed as well: ${listOf(ignored)}.`;
  return [`It changed nothing, so its worktree and the branch ${branch} were removed.${removed}`];
}

const MAX_IGNORED = 10;

function listOf(names: readonly string[]): string {
  const more = names.length > MAX_IGNORED ? ` and ${names.length - MAX_IGNORED} more` : '';
  return `${names.slice(0, MAX_IGNORED).join(', ')}${more}`;
}

function branchFact({ worktree }: EndedSubagent): readonly string[] {
  if (worktree === undefined) return [];
  return [worktree.isKept ? `branch ${worktree.branch}: ${worktree.summary}` : 'worktree unchanged, removed'];
}

/** How it ended in a few words, for lists: "done", "stopped", "step limit". */
export function outcomeLabel(ended: EndedSubagent): string {
  return howEnded(ended).word;
}

/** The title, the log and the calls of a subagent, as the screen and exports show them. */
export function displayOf({ id, agent, description, log, progress }: EndedSubagent): ToolOutcome['display'] {
  const { calls, moreCalls } = progress;
  const more = moreCalls === 0 ? [] : [`… and ${moreCalls} more calls`];
  return {
    title: `${agent}: ${description}`,
    agent: { id, name: agent, ...(log === undefined ? {} : { log }) },
    ...(calls.length === 0 ? {} : { steps: [...calls, ...more] }),
  };
}

/** The summary of a call whose subagent continues in the background. */
export const backgroundSummary = (id: string): string => `${id} in the background`;

/** True for the result of such a call, as it is stored. */
export function isBackgroundResult(display: Partial<ToolOutcome['display']> | undefined): boolean {
  return display?.agent !== undefined && display.summary === backgroundSummary(display.agent.id);
}

interface How {
  readonly status: ToolOutcome['status'];
  /** One sentence for the model; empty if it finished its task. */
  readonly text: string;
  readonly word: string;
}

function howEnded({ progress, stoppedBy, problem }: EndedSubagent): How {
  const { outcome, error, step } = progress;
  if (problem !== undefined)
    return { status: 'error', word: 'failed', text: `The subagent failed: ${problem}` };
  if (stoppedBy !== undefined) {
    const who = stoppedBy === 'user' ? 'The user stopped the subagent' : 'It was stopped with the turn';
    return { status: 'partial', word: 'stopped', text: `${who} after ${steps(step)}.` };
  }
  const end = outcome ?? 'interrupted';
  switch (end) {
    case 'done':
      return { status: 'ok', word: 'done', text: '' };
    case 'max_turns':
      return {
        status: 'partial',
        word: 'step limit',
        text: `The subagent reached its limit of ${steps(step)} before it was done.`,
      };
    case 'loop':
      return {
        status: 'partial',
        word: 'repeated itself',
        text: 'The subagent repeated the same calls, so it was stopped.',
      };
    case 'failed':
      return {
        status: 'error',
        word: 'failed',
        text: `The subagent failed after ${steps(step)}: ${error?.message ?? 'an internal error'}`,
      };
    case 'interrupted':
      return {
        status: 'partial',
        word: 'stopped',
        text: `The subagent was stopped after ${steps(step)}: the user denied one of its calls.`,
      };
  }
}

/** Its last message, preceded by how it ended if it did not finish. */
function textFor({ progress: { text } }: EndedSubagent, how: string): string {
  if (how === '') return text === '' ? 'The subagent ended without a message.' : text;
  return text === '' ? `${how} It had written nothing yet.` : `${how} Its last message was:\n\n${text}`;
}

function factsOf({ progress: { step, tokens }, durationMs }: EndedSubagent): string[] {
  return [steps(step), `${shortTokens(tokens)} tokens`, `${Math.round(durationMs / 1000)} s`];
}

const steps = (count: number): string => (count === 1 ? '1 step' : `${count} steps`);

// The progress of a subagent, folded from its events. Pure.

export interface Progress {
  readonly step: number;
  /** The running call, or what it waits for. */
  readonly doing: string;
  /** Input and output tokens of all requests. */
  readonly tokens: number;
  /** Those of `tokens` that it wrote. */
  readonly outputTokens: number;
  /** A line for each call that has ended, oldest first. */
  readonly calls: readonly string[];
  /** Number of calls left out of `calls`. */
  readonly moreCalls: number;
  /** The last text that the model wrote. */
  readonly text: string;
  readonly outcome?: TurnOutcome;
  readonly error?: ModelError;
}

/** Maximum calls listed in the result. */
const MAX_CALLS = 200;
const MAX_LINE = 160;

export const noProgress: Progress = {
  step: 0,
  doing: 'starting',
  tokens: 0,
  outputTokens: 0,
  calls: [],
  moreCalls: 0,
  text: '',
};

/** Adds one event; returns the same object if nothing changed. */
export function addProgress(known: Progress, event: AgentEvent): Progress {
  if (event.type === 'entry') return addEntry(known, event.entry);
  if (event.type === 'turn_ended') {
    const { outcome, error } = event;
    return { ...known, outcome, ...(error === undefined ? {} : { error }) };
  }
  if (event.type === 'step_started') return { ...known, step: event.step, doing: 'thinking' };
  const doing = doingOf(event);
  return doing === undefined || doing === known.doing ? known : { ...known, doing };
}

function doingOf(event: AgentEvent): string | undefined {
  if (event.type === 'tool_started') return callLine(event.tool, event.title);
  if (event.type === 'tool_ended' || event.type === 'compaction_ended') return 'thinking';
  if (event.type === 'compaction_started') return 'compacting its conversation';
  if (event.type === 'retrying') return `retrying: ${visibleLine(event.error.message, MAX_LINE)}`;
  return undefined;
}

function addEntry(known: Progress, entry: JSONLEntry): Progress {
  const { usage } = entry.message;
  const tokens = known.tokens + (usage === undefined ? 0 : usage.input_tokens + usage.output_tokens);
  const outputTokens = known.outputTokens + (usage?.output_tokens ?? 0);
  const counted = tokens === known.tokens ? known : { ...known, tokens, outputTokens };
  if (entry.type === 'assistant') {
    const reply = promptText(entry.message.content).trim();
    return { ...counted, text: reply === '' ? known.text : reply };
  }
  if (entry.toolResult !== undefined) return withCall(counted, resultLine(entry.toolResult));
  return counted;
}

function withCall(known: Progress, line: string): Progress {
  if (known.calls.length >= MAX_CALLS) return { ...known, moreCalls: known.moreCalls + 1 };
  return { ...known, calls: [...known.calls, line] };
}

/** E.g. `Read(src/a.ts)  120 lines`, `✗ Bash(npm test)  exit 1`. */
function resultLine(result: NonNullable<JSONLEntry['toolResult']>): string {
  const { name = 'Tool', display, status = 'ok' } = result;
  const summary = display?.summary ?? (status === 'ok' ? '' : status);
  const mark = status === 'error' || status === 'denied' ? '✗ ' : '';
  return visibleLine(
    `${mark}${callLine(name, display?.title ?? '')}${summary === '' ? '' : ` · ${summary}`}`,
    MAX_LINE,
  );
}

function callLine(tool: string, title: string): string {
  const shown = title === '' || title === tool ? tool : `${tool}(${title})`;
  return visibleLine(shown, MAX_LINE);
}
