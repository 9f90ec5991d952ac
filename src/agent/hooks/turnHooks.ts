/** The hooks of prompts, turns, compactions and the session itself. */
import type { NewEntry } from '../../protocol/entries.ts';
import type { AgentEvent, CompactionReport } from '../../protocol/events.ts';
import type { ModelError, ModelErrorKind } from '../../protocol/models/model.ts';
import { untilAborted } from '../../protocol/untilAborted.ts';
import type { FinishedCall } from '../toolCalls.ts';
import type { HookedAgent, SessionHooks } from './sessionHooks.ts';

/** Why a session was opened. */
export type SessionOrigin = 'startup' | 'resume' | 'clear' | 'fork';

/** Why a session ends: another one replaces it, the user quits, or anything else. */
export type EndReason = 'clear' | 'resume' | 'prompt_input_exit' | 'other';

/** How often Stop hooks may continue one turn. */
const MAX_STOP_CONTINUATIONS = 8;
/** Milliseconds after the end of a turn. */
const IDLE_MS = 60_000;
/** Timeout of hooks at the end of a session, so that they do not delay the exit for long. */
const SESSION_END_MS = 1500;

/** Characters of the result of each call. */
const MAX_RESPONSE = 50_000;

/** Whether a prompt is sent, and what the model is told with it. */
export type PromptVerdict =
  | { readonly type: 'sent'; readonly notes: readonly NewEntry[] }
  | { readonly type: 'blocked'; readonly reason: string };

export interface TurnHooks {
  prompt(text: string, signal: AbortSignal): Promise<PromptVerdict>;
  /**
   * The turn would end. Returns notes if it must continue. `continued`: how often hooks have already continued it.
   */
  stop(lastMessage: string, continued: number, signal: AbortSignal): Promise<readonly NewEntry[] | undefined>;
  stopFailure(error: ModelError, signal: AbortSignal): Promise<void>;
  /** All calls of a reply have results; a block ends the turn. */
  afterCalls(
    calls: readonly FinishedCall[],
    signal: AbortSignal,
  ): Promise<{ readonly notes: readonly NewEntry[]; readonly endsTurn: boolean }>;
  /** Before `/compact`: why it must not run. */
  preCompact(focus: string | undefined, signal: AbortSignal): Promise<string | undefined>;
  /** Listens for compactions and turns, and runs their hooks in the background. */
  handle(event: AgentEvent): void;
  sessionStart(signal: AbortSignal): Promise<void>;
  sessionEnd(reason?: EndReason): Promise<void>;
  /** True if there are hooks for the start of the session. */
  readonly hasStart: boolean;
  /** Waits for hooks in the background; returns the notes for the model's next request. */
  takeNotes(signal: AbortSignal): Promise<readonly NewEntry[]>;
}

interface TurnHookDeps {
  readonly origin: SessionOrigin;
  /** Present for a subagent: its start and end have their own events, and its prompt is not the user's. */
  readonly agent?: HookedAgent | undefined;
  readonly model: () => string;
  /** False in headless runs, which have no idle user. */
  readonly interactive: boolean;
  /** The user's next prompt is about to be sent. */
  readonly onPrompt: () => void;
  readonly onEnd: () => void;
  /** The running background tasks, for hooks. */
  readonly tasks: () => readonly object[];
  readonly onError: (error: unknown) => void;
  readonly notice: (level: 'info' | 'warning', text: string) => void;
  /** Path of the session's file. */
  readonly transcript: () => string;
  /** Returns the text of the newest summary. */
  readonly summary: () => string;
}

export function createTurnHooks(hooks: SessionHooks, deps: TurnHookDeps): TurnHooks {
  const closing = new AbortController();
  let waiting: NewEntry[] = [];
  let compacted: Promise<unknown> = Promise.resolve();
  const start = async (source: SessionOrigin | 'compact', signal: AbortSignal): Promise<void> => {
    const fields = { source, model: deps.model() };
    const { agent } = deps;
    const result =
      agent === undefined || source === 'compact'
        ? await hooks.run('SessionStart', { subject: source, fields }, signal)
        : await hooks.run('SubagentStart', { subject: agent.type, fields: {} }, signal);
    waiting.push(...(result?.notes ?? []));
  };
  let idle: NodeJS.Timeout | undefined;
  const notifyIdle = (): void => {
    const type = 'idle_prompt';
    const fields = {
      message: 'ClawdCode is waiting for your input',
      title: 'ClawdCode',
      notification_type: type,
    };
    hooks.run('Notification', { subject: type, fields }, closing.signal).catch(deps.onError);
  };
  const afterCompaction = async ({ trigger }: CompactionReport): Promise<void> => {
    const fields = { trigger, compact_summary: deps.summary() };
    // In the same order as Claude Code.
    await start('compact', closing.signal);
    const result = await hooks.run('PostCompact', { subject: trigger, fields }, closing.signal);
    waiting.push(...(result?.notes ?? []));
  };
  return {
    hasStart: hooks.has(deps.agent === undefined ? 'SessionStart' : 'SubagentStart'),
    async prompt(text, signal) {
      if (deps.agent !== undefined) return { type: 'sent', notes: [] };
      deps.onPrompt();
      const result = await hooks.run('UserPromptSubmit', { fields: { prompt: text } }, signal);
      if (result === undefined) return { type: 'sent', notes: [] };
      const [reason = result.stop] = result.blocks;
      return reason === undefined
        ? { type: 'sent', notes: result.notes }
        : { type: 'blocked', reason: reason.text };
    },
    async stop(lastMessage, continued, signal) {
      const fields = {
        ...{ stop_hook_active: continued > 0, last_assistant_message: lastMessage },
        background_tasks: deps.tasks(),
      };
      const { agent } = deps;
      const result =
        agent === undefined
          ? await hooks.run('Stop', { fields }, signal)
          : await hooks.run(
              'SubagentStop',
              { subject: agent.type, fields: { ...fields, agent_transcript_path: deps.transcript() } },
              signal,
            );
      if (result === undefined || result.blocks.length === 0 || result.stop !== undefined || signal.aborted)
        return undefined;
      if (continued < MAX_STOP_CONTINUATIONS) return result.notes;
      deps.notice('warning', `A Stop hook continued this turn ${MAX_STOP_CONTINUATIONS} times; it ends now.`);
      return undefined;
    },
    async stopFailure({ kind, message }, signal) {
      const error = ERRORS[kind];
      const fields = { error, error_details: message.slice(0, 2000) };
      await hooks.run('StopFailure', { subject: error, fields }, signal);
    },
    async afterCalls(calls, signal) {
      if (!hooks.has('PostToolBatch')) return { notes: [], endsTurn: false };
      const tool_calls = calls.map(({ id, name, arguments: input, output }) => ({
        ...{ tool_name: name, tool_input: jsonOf(input), tool_use_id: id },
        tool_response: output.slice(0, MAX_RESPONSE).toWellFormed(),
      }));
      const result = await hooks.run('PostToolBatch', { fields: { tool_calls } }, signal);
      const { notes = [], blocks = [], stop } = result ?? {};
      return { notes, endsTurn: stop !== undefined || blocks.length > 0 };
    },
    async preCompact(focus, signal) {
      const fields = { trigger: 'manual', custom_instructions: focus ?? null };
      const result = await hooks.run('PreCompact', { subject: 'manual', fields }, signal);
      const [reason = result?.stop] = result?.blocks ?? [];
      return reason?.text;
    },
    handle(event) {
      if (event.type === 'turn_started' || event.type === 'turn_ended') clearTimeout(idle);
      if (event.type === 'turn_ended' && deps.interactive && hooks.has('Notification'))
        idle = setTimeout(notifyIdle, IDLE_MS).unref();
      if (event.type === 'compaction_started' && event.trigger === 'auto' && hooks.has('PreCompact')) {
        const fields = { trigger: 'auto', custom_instructions: null };
        compacted = hooks.run('PreCompact', { subject: 'auto', fields }, closing.signal).catch(deps.onError);
      }
      if (event.type !== 'compaction_ended') return;
      const { outcome } = event.report;
      if (outcome !== 'done' && outcome !== 'fallback') return;
      if (!hooks.has('PostCompact') && !hooks.has('SessionStart')) return;
      compacted = Promise.all([compacted, afterCompaction(event.report).catch(deps.onError)]);
    },
    sessionStart: (signal) => start(deps.origin, signal),
    async sessionEnd(reason = 'other') {
      closing.abort();
      clearTimeout(idle);
      deps.onEnd();
      if (deps.agent !== undefined) return;
      const signal = AbortSignal.timeout(10_000);
      await hooks.run(
        'SessionEnd',
        { subject: reason, fields: { reason }, timeoutMs: SESSION_END_MS },
        signal,
      );
    },
    async takeNotes(signal) {
      await untilAborted(compacted, signal);
      const taken = waiting;
      waiting = [];
      return taken;
    },
  };
}

/** Claude Code's names for failures. */
const ERRORS: Readonly<Record<ModelErrorKind, string>> = {
  auth: 'authentication_failed',
  model_not_found: 'model_not_found',
  bad_url: 'invalid_request',
  network: 'unknown',
  rate_limit: 'rate_limit',
  server: 'server_error',
  cut: 'server_error',
  stalled: 'server_error',
  overflow: 'invalid_request',
  bad_request: 'invalid_request',
  quota: 'billing_error',
};

/** Returns arguments that are not JSON unchanged. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
