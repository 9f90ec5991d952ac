/**
 * The state of the live screen, as a pure function of events. The transcript is not part of it: finished output leaves
 * as a `Print` and lives on in the terminal's scrollback.
 */

import type { Page } from '../../commands/pages/page.ts';
import { previewPage } from '../../commands/pages/previewPage.ts';
import { topicOf } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { AgentEvent, CompactionReport } from '../../protocol/events.ts';
import type { SubagentStatus } from '../../protocol/extensions/subagents.ts';
import type { ModelError } from '../../protocol/models/model.ts';
import type { PromptOp } from '../../protocol/ops.ts';
import type { PermissionQuestion } from '../../protocol/permissions.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { withoutHalfFence } from '../print/streaming.ts';

/** Finished output for the scrollback; printed once, in order. */
export type Print =
  | { readonly type: 'entry'; readonly entry: JSONLEntry }
  /** Consecutive reads and searches. */
  | { readonly type: 'reads'; readonly entries: readonly JSONLEntry[] }
  /** Part of a reply's Markdown; `first` is true for its first part. */
  | { readonly type: 'markdown'; readonly text: string; readonly first: boolean }
  /** A slash command, as typed. */
  | { readonly type: 'command'; readonly text: string }
  | { readonly type: 'page'; readonly page: Page }
  | { readonly type: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string };

export interface LiveTool {
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  /** The last characters of its output, for a few live lines. */
  readonly output: string;
  /** The subagent of this call. */
  readonly subagent?: SubagentStatus;
}

interface Retry {
  /** The number of the next attempt. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly error: ModelError;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export interface View {
  /** A turn is running. A `!command` or `/compact` sets `busy` without a turn. */
  readonly inTurn: boolean;
  readonly busy: boolean;
  /** How many times `busy` has ended. Short work starts and ends between two frames, so `busy` alone would miss it. */
  readonly finished: number;
  /** When the running turn, command or compaction started; milliseconds since the epoch. */
  readonly startedAt: number | undefined;
  /** Markdown of the running reply that is not printed yet. */
  readonly tail: string;
  /** True if part of the running reply is already in the scrollback. */
  readonly tailPrinted: boolean;
  /** The running reply from its first character. */
  readonly reply: { readonly reasoning: string; readonly text: string };
  readonly reasoningLength: number;
  /** Characters streamed in this turn; the spinner estimates tokens from it. */
  readonly streamedLength: number;
  /** The tool call whose arguments are being streamed. */
  readonly writing: { readonly name: string; readonly length: number } | undefined;
  readonly tools: readonly LiveTool[];
  /** Results of reads and searches that are not printed yet. */
  readonly reads: readonly JSONLEntry[];
  readonly retry: Retry | undefined;
  readonly compacting:
    | { readonly characters: number; readonly trigger: 'auto' | 'manual' | 'preview' }
    | undefined;
  /** A summary is being written in the background. */
  readonly drafting: boolean;
  readonly questions: readonly PermissionQuestion[];
  readonly queue: readonly PromptOp[];
}

/** Result of one event: the next view, and what to print, in order. */
interface Step {
  readonly view: View;
  readonly prints: readonly Print[];
}

export const emptyView: View = {
  inTurn: false,
  busy: false,
  finished: 0,
  startedAt: undefined,
  tail: '',
  tailPrinted: false,
  reply: { reasoning: '', text: '' },
  reasoningLength: 0,
  streamedLength: 0,
  writing: undefined,
  tools: [],
  reads: [],
  retry: undefined,
  compacting: undefined,
  drafting: false,
  questions: [],
  queue: [],
};

/** Between two replies. */
const noReply = {
  tail: '',
  tailPrinted: false,
  reply: emptyView.reply,
  reasoningLength: 0,
  writing: undefined,
} satisfies Partial<View>;

/** Characters of a running tool's output that are kept for the live lines. */
const LIVE_OUTPUT = 2000;

export function reduce(view: View, event: AgentEvent, now: number): Step {
  const step = reduced(view, event, now);
  if (!view.busy || step.view.busy) return step;
  return { ...step, view: { ...step.view, finished: view.finished + 1 } };
}

function reduced(view: View, event: AgentEvent, now: number): Step {
  const next = nextOf(view);
  switch (event.type) {
    case 'turn_started':
      return next({ inTurn: true, busy: true, startedAt: now, streamedLength: 0 });
    case 'turn_ended':
      // A separate entry says how it ended; that entry is printed.
      return next({
        ...emptyView,
        questions: view.questions,
        queue: view.queue,
        drafting: view.drafting,
        finished: view.finished,
      });
    case 'step_started':
      return next({ ...noReply, retry: undefined });
    case 'text_delta':
      return next({
        tail: view.tail + event.text,
        reply: { ...view.reply, text: view.reply.text + event.text },
        streamedLength: view.streamedLength + event.text.length,
        retry: undefined,
      });
    case 'reasoning_delta':
      return next({
        reasoningLength: view.reasoningLength + event.text.length,
        reply: { ...view.reply, reasoning: view.reply.reasoning + event.text },
        streamedLength: view.streamedLength + event.text.length,
        retry: undefined,
      });
    case 'tool_call_delta':
      return next({ writing: { name: event.name, length: event.argumentsLength }, retry: undefined });
    case 'reply_discarded':
      return next(
        noReply,
        ...(view.tailPrinted
          ? [notice('warning', 'Connection lost: the unfinished reply above was discarded.')]
          : []),
      );
    case 'retrying':
      return next({
        retry: {
          attempt: event.attempt + 1,
          maxAttempts: event.maxAttempts,
          error: event.error,
          until: now + event.delayMs,
        },
      });
    case 'entry':
      return recorded(view, event.entry);
    case 'tool_started':
    case 'tool_output':
    case 'tool_ended':
    case 'hook':
    case 'subagent_changed':
      return toolStep(view, event, now);
    case 'permission_question':
      return next({ questions: [...view.questions, event.question] });
    case 'permission_answered':
      return next({ questions: view.questions.filter((question) => question.id !== event.id) });
    case 'queue_changed':
      return next({ queue: event.queue });
    case 'compaction_previewed':
    case 'compaction_started':
    case 'compaction_progress':
    case 'compaction_ended':
      return compactionStep(view, event, now);
    case 'rewind_ended': {
      const { outcome, message, type } = event.report;
      const level = outcome === 'done' ? 'info' : 'warning';
      // After a list of paths it gets its own line.
      const before = message.includes('\n') ? '\n' : ' ';
      const way = outcome === 'refused' || type === 'undo' ? '' : before + UNDO_HINT;
      return next({}, notice(level, message + way));
    }
    case 'notice':
      return next({}, notice(event.level, event.text));
    case 'subagent_entry':
    case 'queue_returned':
    case 'context_measured':
    case 'mode_changed':
    case 'model_changed':
    case 'sandbox_probed':
    case 'tasks_changed':
      return next({});
  }
}

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { readonly type: Type }>;

/** Running calls; a running hook is shown like a running tool. */
function toolStep(
  view: View,
  event: EventOf<'tool_started' | 'tool_output' | 'tool_ended' | 'hook' | 'subagent_changed'>,
  now: number,
): Step {
  const next = nextOf(view);
  switch (event.type) {
    case 'tool_started': {
      const { callId, tool, title } = event;
      const startedAt = view.startedAt ?? now;
      const tools = [...view.tools, { callId, tool, title, output: '' }];
      return next({ busy: true, startedAt, tools });
    }
    case 'hook': {
      const { progress } = event;
      if (progress.type === 'ended')
        return toolStep(view, { type: 'tool_ended', callId: progress.run.id }, now);
      const { id, name, label } = progress;
      return toolStep(
        view,
        { type: 'tool_started', callId: id, tool: 'Hook', title: `${name}: ${label}` },
        now,
      );
    }
    case 'tool_output':
      return next({
        tools: view.tools.map((tool) =>
          tool.callId === event.callId
            ? { ...tool, output: (tool.output + event.text).slice(-LIVE_OUTPUT) }
            : tool,
        ),
      });
    case 'subagent_changed':
      return next({
        tools: view.tools.map((tool) =>
          tool.callId === event.status.callId ? { ...tool, subagent: event.status } : tool,
        ),
      });
    case 'tool_ended': {
      const tools = view.tools.filter((tool) => tool.callId !== event.callId);
      return next({
        tools,
        ...(tools.length > 0 ? {} : idleOutsideTurn(view)),
      });
    }
  }
}

function compactionStep(
  view: View,
  event: EventOf<'compaction_previewed' | 'compaction_started' | 'compaction_progress' | 'compaction_ended'>,
  now: number,
): Step {
  const next = nextOf(view);
  switch (event.type) {
    case 'compaction_previewed':
      return next(
        { compacting: undefined, ...idleOutsideTurn(view) },
        { type: 'page', page: previewPage(event.preview) },
      );
    case 'compaction_started':
      return next({
        busy: true,
        startedAt: view.startedAt ?? now,
        compacting: { characters: 0, trigger: event.trigger },
      });
    case 'compaction_progress':
      // Only a preview reports progress without `compaction_started`.
      return next({
        busy: true,
        startedAt: view.startedAt ?? now,
        compacting: { trigger: view.compacting?.trigger ?? 'preview', characters: event.characters },
      });
    case 'compaction_ended': {
      const { outcome, message, trigger } = event.report;
      const level = outcome === 'done' ? 'info' : 'warning';
      const change = {
        compacting: undefined,
        ...idleOutsideTurn(view),
      };
      // A separate entry explains why a summary failed; the compaction entry says what was done instead.
      const isSaid = message === undefined || outcome === 'fallback';
      // The user did not request it and cannot act on it.
      const isNoNews = outcome === 'refused' && trigger === 'auto';
      return next(
        change,
        ...(isSaid || isNoNews ? [] : [notice(level, message + undoneSizes(view, event.report))]),
      );
    }
  }
}

/** Work outside of a turn ends with what was running. */
function idleOutsideTurn({ inTurn }: View): Partial<View> {
  return inTurn ? {} : { busy: false, startedAt: undefined };
}

function nextOf(view: View): (change: Partial<View>, ...prints: Print[]) => Step {
  return (change, ...prints) => ({ view: { ...view, ...change }, prints });
}

/**
 * Moves the finished part of a long reply to the scrollback. `split` finds that part; `tooTall` decides when to start.
 * Once the beginning of a reply is printed, each further block follows as soon as it is finished, because blocks that
 * wait would be drawn twice.
 */
export function flushTail(
  view: View,
  split: (markdown: string) => { finished: string; rest: string },
  tooTall: (tail: string) => boolean,
): Step {
  if (view.tail === '' || !(view.tailPrinted || tooTall(view.tail))) return { view, prints: [] };
  const { finished, rest } = split(view.tail);
  if (finished === '') return { view, prints: [] };
  const print: Print = { type: 'markdown', text: finished, first: !view.tailPrinted };
  return { view: { ...view, tail: rest, tailPrinted: true }, prints: [print] };
}

/** Tells the user how to undo a rewind. */
const UNDO_HINT = 'Undo with Esc Esc u or /rewind undo.';

/** Handles a recorded entry, which replaces its live text: prints only the part that is not printed yet. */
function recorded(view: View, entry: JSONLEntry): Step {
  // `rewind_ended` reports the rewind, together with anything that could not be restored.
  if (topicOf(entry) === 'rewind') return { view, prints: [] };
  // The user was notified when it happened; this entry only informs the model.
  if (topicOf(entry) === 'task') return { view, prints: [] };
  if (entry.type !== 'assistant') return { view, prints: [{ type: 'entry', entry }] };
  const cleared: View = { ...view, ...noReply };
  if (!view.tailPrinted) return { view: cleared, prints: [{ type: 'entry', entry }] };
  if (view.tail === '') return { view: cleared, prints: [] };
  return { view: cleared, prints: [{ type: 'markdown', text: withoutHalfFence(view.tail), first: false }] };
}

/** The sizes of an undone compaction, which are shown nowhere else. Undoing one sends no `compaction_started`. */
function undoneSizes({ compacting }: View, { outcome, preTokens, postTokens }: CompactionReport): string {
  if (outcome !== 'done' || compacting !== undefined) return '';
  return ` (${grouped(preTokens)} → ${grouped(postTokens)} tokens)`;
}

function notice(level: 'info' | 'warning' | 'error', text: string): Print {
  return { type: 'notice', level, text };
}

/** The current activity, for the spinner and plain mode: "Compacting the conversation", "Preparing Edit". */
export function activityOf(view: View, model = 'the model'): string {
  if (view.compacting?.trigger === 'preview') return 'Writing a summary for the preview';
  if (view.compacting !== undefined) return 'Compacting the conversation';
  if (view.retry !== undefined) return 'Waiting';
  if (view.writing !== undefined) return `Preparing ${sanitizeLine(view.writing.name)}`;
  if (view.tools.length > 0) return 'Running';
  if (view.tail !== '' || view.tailPrinted) return 'Answering';
  return view.reasoningLength > 0 ? 'Reasoning' : `Waiting for ${sanitizeLine(model)}`;
}
