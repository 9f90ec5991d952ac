/**
 * Runs the hooks of a session: adds the fields common to all hooks, records what the user should see, and turns texts
 * for the model into entries.
 */
import type { ContextManager } from '../../context/index.ts';
import type { NewEntry } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { HookAnswer, HookCall, HookEvent, HookPort, HookText } from '../../protocol/extensions/hooks.ts';
import type { PermissionMode } from '../../protocol/permissions.ts';
import { betweenLines, wordOf } from '../../protocol/text/marks.ts';
import { visibleLine } from '../../protocol/text/visible.ts';

interface SessionHookDeps {
  readonly port: HookPort;
  readonly context: Pick<ContextManager, 'append' | 'filePath' | 'getCurrentSessionId'>;
  readonly emit: (event: AgentEvent) => void;
  readonly mode: () => PermissionMode;
  readonly cwd: () => string;
  readonly newId: () => string;
  /** The prompt that the session works on; undefined before the first. */
  readonly promptId: () => string | undefined;
  /** How much the model is asked to reason; undefined = its own default. */
  readonly effort: () => string | undefined;
  /** The subagent whose hooks these are. */
  readonly agent?: HookedAgent | undefined;
  /** A hook names files to watch. */
  readonly onWatchPaths: (paths: readonly string[]) => void;
}

/** A subagent, as described to its hooks. */
export interface HookedAgent {
  readonly id: string;
  /** The name of its definition. */
  readonly type: string;
  /** The session of the agent that started it. */
  readonly sessionId: string;
}

/** One occurrence of an event, without the fields that every hook gets. */
interface HookTrigger extends Pick<HookCall, 'subject' | 'access' | 'timeoutMs'> {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly callId?: string;
}

export interface HookResult extends HookAnswer {
  /** Entries for the model, to be appended by the caller where they belong. */
  readonly notes: readonly NewEntry[];
}

export interface SessionHooks {
  /** True if a hook for the event could run. */
  has(event: HookEvent): boolean;
  /** Runs the hooks and records what the user should see. Undefined if there are none. */
  run(event: HookEvent, occurrence: HookTrigger, signal: AbortSignal): Promise<HookResult | undefined>;
  /** Records a line for the user. */
  tell(line: HookLine): Promise<void>;
  /** Builds the entry that gives the model a hook's text. */
  note(event: HookEvent, verb: string, text: HookText, callId?: string): NewEntry;
}

interface HookLine {
  readonly event: HookEvent;
  readonly what: 'blocked' | 'changed' | 'failed' | 'message' | 'stopped';
  readonly source: string;
  readonly text: string;
  readonly callId?: string | undefined;
}

export function createSessionHooks({
  port,
  context,
  emit,
  mode,
  cwd,
  newId,
  promptId,
  effort,
  agent,
  onWatchPaths,
}: SessionHookDeps): SessionHooks {
  const tell: SessionHooks['tell'] = async (line) => void (await context.append(lineEntry(line)));
  const note: SessionHooks['note'] = (event, verb, text, callId) =>
    noteEntry({ event, verb, text, callId, word: wordOf(newId()) });
  return {
    has: (event) => port.has(event),
    tell,
    note,
    async run(event, { subject, access, timeoutMs, fields, callId }, signal) {
      if (!port.has(event)) return undefined;
      const [prompt, level] = [promptId(), ofSession.has(event) ? undefined : effort()];
      const input = {
        session_id: agent?.sessionId ?? context.getCurrentSessionId() ?? '',
        transcript_path: context.filePath() ?? '',
        cwd: cwd(),
        permission_mode: mode(),
        hook_event_name: event,
        ...(prompt !== undefined && { prompt_id: prompt }),
        ...(level !== undefined && { effort: { level } }),
        ...(agent && { agent_id: agent.id, agent_type: agent.type }),
        ...fields,
      };
      const call = {
        event,
        input,
        ...(level !== undefined && { effort: level }),
        ...(subject !== undefined && { subject }),
        ...(access !== undefined && { access }),
        ...(timeoutMs !== undefined && { timeoutMs }),
      };
      const answer = await port.run(call, signal, (progress) => emit({ type: 'hook', progress }));
      const lines = linesOf(event, subject, answer).map((line) => ({ ...line, callId }));
      if (lines.length > 0) await context.append(...lines.map(lineEntry));
      if (answer.watchPaths !== undefined) onWatchPaths(answer.watchPaths);
      const notes = [
        ...answer.blocks.map((text) => note(event, BLOCKED[event] ?? 'objects', text, callId)),
        ...answer.contexts.map((text) => note(event, 'adds', text, callId)),
      ];
      return { ...answer, notes };
    },
  };
}

/** Events outside of a turn: no effort applies to them. */
const ofSession: ReadonlySet<HookEvent> = new Set([
  'SessionStart',
  'SessionEnd',
  'Notification',
  'CwdChanged',
  'FileChanged',
]);

/** What a block means for an event, for the model. */
const BLOCKED: Partial<Record<HookEvent, string>> = {
  Stop: 'asks you to continue',
  SubagentStop: 'asks you to continue',
};

/** Maximum lines shown for one event. */
const MAX_LINES = 10;

function linesOf(event: HookEvent, subject: string | undefined, answer: HookAnswer): HookLine[] {
  const name = subject === undefined ? event : `${event} (${visibleLine(subject, 80)})`;
  const { runs, blocks, permission, stop, messages } = answer;
  const reasons =
    permission?.behavior === 'deny' ? [{ text: permission.reason, source: permission.source }] : blocks;
  // The error of a blocked prompt or compaction already contains the reason.
  const shown = event === 'UserPromptSubmit' || event === 'PreCompact' ? [] : reasons;
  const lines: HookLine[] = [
    ...shown.map(({ text, source }) => ({
      ...{ event, what: 'blocked' as const, source },
      text: `${name} hook blocked: ${visibleLine(text, 200) || 'no reason given'}`,
    })),
    ...runs.flatMap(({ outcome, problem = 'no reason', label, source }) =>
      outcome === 'failed'
        ? [
            {
              event,
              what: 'failed' as const,
              source,
              text: `${name} hook failed: ${problem} · ${label} · ${source}`,
            },
          ]
        : [],
    ),
    ...(stop === undefined
      ? []
      : [
          {
            event,
            what: 'stopped' as const,
            source: stop.source,
            text: `${name} hook ended the turn: ${visibleLine(stop.text, 300)}`,
          },
        ]),
    ...messages.map(({ text, source }) => ({
      ...{ event, what: 'message' as const, source },
      text: `Hook: ${visibleLine(text, 500)}`,
    })),
  ];
  return lines.slice(0, MAX_LINES);
}

function lineEntry({ event, what, source, text, callId }: HookLine): NewEntry {
  return {
    type: 'system',
    subtype: 'hook',
    message: { role: 'system', content: text },
    data: { event, source, what, ...(callId !== undefined && { callId }) },
  };
}

interface Note {
  readonly event: HookEvent;
  /** What the hook does, to complete the sentence. */
  readonly verb: string;
  readonly text: HookText;
  readonly callId: string | undefined;
  /** Unknown to the hook, so that its text cannot end the quote. */
  readonly word: string;
}

function noteEntry({ event, verb, text: { text, source }, callId, word }: Note): NewEntry {
  const content = `A hook that the user has set up (${event}, ${source}) ${verb} the text between the lines ${word}. It was written by the hook, not by the user or this program.\n${betweenLines(text, word)}`;
  return {
    type: 'user',
    subtype: 'hook_context',
    message: { role: 'user', content },
    data: { event, source, ...(callId !== undefined && { callId }) },
  };
}
