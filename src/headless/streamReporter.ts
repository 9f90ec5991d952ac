import { randomUUID } from 'node:crypto';
import type { Agent } from '../agent/types.ts';
import type { CommandHost } from '../commands/types.ts';
import { lineText } from '../protocol/entries/defineKind.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { AgentEvent, CompactionReport } from '../protocol/events.ts';
import type { HookProgress } from '../protocol/extensions/hooks.ts';
import type { TaskInfo } from '../protocol/tasks.ts';
import { outcomeOf } from './outcome.ts';
import { createPartialMessages } from './partialMessages.ts';
import { resultMessage } from './resultMessage.ts';
import { contextLineOf, resultText, type Tally } from './tally.ts';
import type { Reporter, ReportOptions } from './types.ts';
import {
  assistantLine,
  type Line,
  nudgeLine,
  type ReplyHead,
  replyHead,
  toLine,
  toolResultLine,
  toolUseLine,
} from './wireMessages.ts';

/** The version of Claude Code whose messages these are; programs that drive it compare it. */
const PROTOCOL_VERSION = '2.1.330';
/** What the control protocol can do beyond its first version, by the names of Claude Code's SDK. */
const CAPABILITIES = ['interrupt_receipt_v1', 'interrupt_cancel_queued_v1'];

/** stream-json: one JSON object per line, in Claude Code's format. */
export function createStreamReporter(
  options: ReportOptions,
  host: Pick<CommandHost, 'status' | 'commands'>,
  tally: Tally,
): Reporter {
  const { agent } = options;
  let head: ReplyHead | undefined;

  const write = (message: Line | undefined): void => {
    if (message === undefined) return;
    const { uuid = randomUUID(), ...line } = message;
    options.write(toLine({ ...line, session_id: agent.state().sessionId, uuid }));
  };
  const system = (subtype: string, fields: object): void => {
    write({ type: 'system', subtype, ...fields });
  };
  const partial =
    options.includePartialMessages === true
      ? createPartialMessages(
          () => agent.state().model.id,
          (event) => write({ type: 'stream_event', event, parent_tool_use_id: null }),
        )
      : undefined;

  /** The last reply of each subagent, by call. */
  const heads = new Map<string, ReplyHead>();
  const subagentEntry = (callId: string, one: JSONLEntry): void => {
    if (one.type === 'assistant') heads.set(callId, replyHead(one));
    const line =
      one.type === 'assistant'
        ? assistantLine(one, replyHead(one))
        : one.type === 'tool_use'
          ? toolUseLine(one, heads.get(callId) ?? replyHead(one))
          : one.type === 'tool_result'
            ? toolResultLine(one)
            : undefined;
    if (line !== undefined) write({ ...line, parent_tool_use_id: callId });
  };

  const entry = (one: JSONLEntry): void => {
    if (one.type === 'assistant') {
      const id = partial?.messageId();
      head = { ...replyHead(one), ...(id === undefined ? {} : { id }) };
      write(assistantLine(one, head));
    } else if (one.type === 'tool_use') write(toolUseLine(one, head ?? replyHead(one)));
    else if (one.type === 'tool_result') {
      if (one.toolResult?.status === 'denied') system('permission_denied', denial(one, tally));
      write(toolResultLine(one));
    } else if (one.subtype === 'nudge') write(nudgeLine(one));
    else contextLine(one);
  };

  const contextLine = (one: JSONLEntry): void => {
    const line = contextLineOf(one);
    if (line === undefined) return;
    system('informational', { content: lineText(line), level: line.tone === 'quiet' ? 'info' : line.tone });
  };

  const taskLines = createTaskLines(agent, system);
  let compacting = false;
  return {
    begin() {
      const { root, model, mode, demo } = agent.state();
      const { version, keySource, heldSettings } = host.status();
      system('init', {
        cwd: root,
        tools: options.tools?.() ?? [],
        mcp_servers: (options.servers?.() ?? []).map(({ name, state }) => ({
          name,
          status: state.type === 'connecting' ? 'pending' : state.type,
        })),
        model: model.id,
        permissionMode: mode,
        slash_commands: host.commands.map((command) => command.name),
        apiKeySource: keySource ?? 'none',
        clawdcode_version: version,
        claude_code_version: PROTOCOL_VERSION,
        capabilities: CAPABILITIES,
        output_style: 'default',
        agents: options.agents ?? [],
        skills: options.skills ?? [],
        plugins: [],
        ...(demo ? { demo } : {}),
        ...(heldSettings.length === 0 ? {} : { untrusted_settings: heldSettings }),
      });
    },
    event(event: AgentEvent) {
      partial?.event(event);
      if (event.type === 'entry') entry(event.entry);
      else if (event.type === 'subagent_entry') subagentEntry(event.callId, event.entry);
      else if (event.type === 'hook') hookLine(event.progress, options.includeHookEvents === true, system);
      else if (event.type === 'compaction_ended' && !compacting) backLine(event.report, system);
      else if (event.type === 'tasks_changed') taskLines();
      else liveLines(event, system);
      if (event.type === 'compaction_started') compacting = true;
      if (event.type === 'compaction_ended') compacting = false;
    },
    end: async (end) => write(resultMessage(outcomeOf(end, tally), tally, options)),
  };
}

/** The end of a compaction that did not start a summary: undone, or refused at once. */
function backLine({ outcome, message }: CompactionReport, system: SystemLine): void {
  const level = outcome === 'done' ? 'info' : 'warning';
  system('informational', { content: message ?? `Compaction ${outcome}.`, level });
}

/** Hooks of the session's start are always reported, as in Claude Code; others only if that was asked for. */
function hookLine(progress: HookProgress, isAsked: boolean, system: SystemLine): void {
  const { id, name, event } = progress.type === 'started' ? progress : progress.run;
  if (!isAsked && event !== 'SessionStart') return;
  const head = { hook_id: id, hook_name: name, hook_event: event };
  if (progress.type === 'started') {
    system('hook_started', head);
    return;
  }
  const { stdout, stderr, exitCode, outcome } = progress.run;
  system('hook_response', {
    ...head,
    output: `${stdout}${stderr}`,
    stdout,
    stderr,
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    outcome: outcome === 'cancelled' ? 'cancelled' : outcome === 'ok' ? 'success' : 'error',
  });
}

type SystemLine = (subtype: string, fields: object) => void;

/** Writes a line when a background task starts, and one when it ends. */
function createTaskLines(agent: Agent, system: SystemLine): () => void {
  const running = new Map<string, TaskInfo>();
  // Tasks that ended earlier are not reported.
  const ended = new Set(agent.state().tasks.flatMap(({ id, end }) => (end === undefined ? [] : id)));
  return () => {
    for (const task of agent.state().tasks) {
      const { id: task_id, command: description, kind, end } = task;
      if (ended.has(task_id)) continue;
      if (!running.has(task_id)) {
        running.set(task_id, task);
        const task_type = kind === 'subagent' ? 'local_agent' : 'local_bash';
        system('task_started', { task_id, description, task_type });
      }
      if (end === undefined) continue;
      running.delete(task_id);
      ended.add(task_id);
      const failed = end.problem !== undefined || (end.code ?? 0) !== 0;
      const status = end.stoppedBy !== undefined ? 'stopped' : failed ? 'failed' : 'completed';
      // There is no file: the output is in the session, and the model reads it there.
      system('task_notification', { task_id, status, output_file: '', summary: end.outcome ?? description });
    }
  };
}

/** Writes the live events that have a line of their own. */
function liveLines(event: AgentEvent, system: SystemLine): void {
  switch (event.type) {
    case 'compaction_started':
      system('status', { status: 'compacting' });
      return;
    case 'compaction_ended': {
      const { outcome, trigger, preTokens, postTokens, files, message } = event.report;
      system('status', { status: null });
      // An automatic compaction that was refused needs no action from the user.
      if (outcome === 'refused' && trigger === 'auto') return;
      if (outcome === 'cancelled' || outcome === 'refused') {
        system('informational', { content: message ?? `Compaction ${outcome}.`, level: 'warning' });
        return;
      }
      const compact_metadata = {
        trigger,
        pre_tokens: preTokens,
        post_tokens: postTokens,
        files_included: files,
      };
      system('compact_boundary', {
        compact_metadata: {
          ...compact_metadata,
          success: outcome === 'done',
          ...(message === undefined ? {} : { message }),
        },
      });
      return;
    }
    case 'retrying':
      system('api_retry', {
        attempt: event.attempt,
        max_retries: event.maxAttempts,
        retry_delay_ms: event.delayMs,
        error_status: event.error.status ?? null,
        error: event.error.message,
      });
      return;
    case 'mode_changed':
      system('status', { status: null, permissionMode: event.mode });
      return;
    case 'notice':
      system('informational', { content: event.text, level: event.level });
      return;
    // In the log, the partial messages or the result, or only relevant for a screen.
    case 'entry':
    case 'turn_started':
    case 'turn_ended':
    case 'step_started':
    case 'text_delta':
    case 'reasoning_delta':
    case 'tool_call_delta':
    case 'reply_discarded':
    case 'tool_started':
    case 'tool_output':
    case 'tool_ended':
    case 'subagent_changed':
    case 'subagent_entry':
    case 'permission_question':
    case 'permission_answered':
    case 'hook':
    case 'queue_changed':
    case 'queue_returned':
    case 'compaction_progress':
    case 'compaction_previewed':
    case 'rewind_ended':
    case 'context_measured':
    case 'tasks_changed':
    case 'model_changed':
    case 'sandbox_probed':
      return;
    default:
      event satisfies never;
  }
}

function denial(entry: JSONLEntry, tally: Tally): object {
  const id = entry.toolResult?.id ?? '';
  const question = tally.question(id);
  // By the program that drives the session.
  const isAnswered = entry.toolResult?.permission?.basis === 'user';
  const message = resultText(entry);
  return {
    tool_name: tally.denials().at(-1)?.tool_name ?? '',
    tool_use_id: id,
    decision_reason_type:
      question === undefined ? 'rule' : isAnswered ? 'permissionPromptTool' : 'nobody_to_ask',
    decision_reason: question?.reason ?? message,
    message,
  };
}
