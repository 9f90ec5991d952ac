/** The hooks of tool calls: before a call, after it, and when it needs approval. */

import type { Todo } from '../../protocol/entries/fields.ts';
import type { NewEntry } from '../../protocol/entries.ts';
import type { Access, RuleSuggestion } from '../../protocol/permissions.ts';
import { permissionUpdateOf } from '../../protocol/permissions.ts';
import { shortened } from '../../protocol/text/visible.ts';
import type { EndedCall, Tool, ToolOutcome } from '../../protocol/tools.ts';
import type { HookResult, SessionHooks } from './sessionHooks.ts';

/** A checked call. */
export interface HookedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly access: Access;
}

/** The hooks' answer about a call before it runs. */
export interface BeforeCall {
  readonly notes: readonly NewEntry[];
  /** Why the call must not run; the reason itself is a note. */
  readonly denied?: string;
  /** Why the user must be asked. */
  readonly asks?: string;
  /** A hook allows the call, as an allow rule from this source would. */
  readonly allowedBy?: AllowedBy;
  readonly changed?: { readonly input: unknown; readonly source: string };
  readonly endsTurn: boolean;
}

export interface AllowedBy {
  readonly source: string;
  readonly isManaged: boolean;
}

/** Whether a command may reach a host, or leave its sandbox. */
interface AskedWhileRunning {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
}

interface RunningAnswer {
  readonly behavior: 'allow' | 'deny';
  readonly isManaged: boolean;
}

interface AfterCall {
  readonly notes: readonly NewEntry[];
  readonly endsTurn: boolean;
  /** The text that replaces the result. */
  readonly output?: string;
}

export interface CallHooks {
  before(call: HookedCall, signal: AbortSignal): Promise<BeforeCall | undefined>;
  /** Called before the user is asked. `suggestion`: what "always" would save. */
  request(
    call: HookedCall,
    suggestion: RuleSuggestion | undefined,
    signal: AbortSignal,
  ): Promise<BeforeCall | undefined>;
  /** The judge of mode `auto` has denied the call. */
  denied(call: HookedCall, reason: string, signal: AbortSignal): Promise<readonly NewEntry[]>;
  after(
    call: HookedCall,
    ended: { readonly outcome: ToolOutcome; readonly durationMs: number },
    signal: AbortSignal,
  ): Promise<AfterCall | undefined>;
  /** The user is asked about a call. */
  notify(call: Pick<HookedCall, 'tool' | 'access'>, signal: AbortSignal): void;
  /** Called before the user is asked about something that comes up while a call runs. */
  confirm(question: AskedWhileRunning, signal: AbortSignal): Promise<RunningAnswer | undefined>;
  /** The user is asked while a call runs. */
  notifyRunning(type: 'permission_prompt' | 'elicitation_dialog', message: string, signal: AbortSignal): void;
  /** Records that a hook changed the input of a call. */
  tellChange(call: HookedCall, source: string): Promise<NewEntry>;
}

/** Characters of each text of a result that hooks get. */
const MAX_RESPONSE = 200_000;
/** Maximum characters of a changed input in the note to the model. */
const MAX_CHANGE = 4000;

interface CallHookDeps {
  /** False in headless runs, in which questions are not shown. */
  readonly interactive: boolean;
  readonly serverOf: (tool: string) => Tool['server'];
  /** Runs the hooks of a changed folder. */
  readonly settlePlace: (signal: AbortSignal) => Promise<void>;
  /** The todo list, which a call that has just ended has not changed yet. */
  readonly todos: () => readonly Todo[];
  readonly onError: (error: unknown) => void;
}

export function createCallHooks(
  hooks: SessionHooks,
  { interactive, serverOf, settlePlace, todos, onError }: CallHookDeps,
): CallHooks {
  const aboutTool = (tool: string, input: unknown): object => {
    const server = serverOf(tool);
    return { tool_name: tool, tool_input: input, ...(server && { mcp_server: server }) };
  };
  const occurrence = ({ id, tool, input, access }: HookedCall, more: object = {}) => ({
    subject: tool,
    access: { tool, access },
    callId: id,
    fields: { ...aboutTool(tool, input), tool_use_id: id, ...more },
  });
  const decided = (
    event: 'PreToolUse' | 'PermissionRequest',
    call: HookedCall,
    result: HookResult,
  ): BeforeCall => {
    const { permission, updatedInput, stop, notes, interrupts } = result;
    const source = permission === undefined ? '' : permission.source;
    const reason = permission?.reason ?? '';
    const isDenied = permission?.behavior === 'deny';
    const endsTurn = stop !== undefined || (isDenied && interrupts);
    const denied = `A ${event} hook (${source}) blocked this call; it did not run.`;
    const why = { text: reason, source };
    return {
      notes: [
        ...(isDenied && reason !== '' ? [hooks.note(event, 'gives as its reason', why, call.id)] : []),
        ...notes,
      ],
      ...(isDenied && { denied }),
      ...(!isDenied &&
        stop !== undefined && { denied: 'A hook ended the turn before this call; it did not run.' }),
      ...(permission?.behavior === 'ask' && {
        asks: `A hook (${source}) asks${reason === '' ? '.' : `: ${reason}`}`,
      }),
      ...(permission?.behavior === 'allow' && {
        allowedBy: { source: `hook in ${source}`, isManaged: permission.isManaged },
      }),
      ...(updatedInput && { changed: { input: updatedInput.value, source: updatedInput.source } }),
      endsTurn,
    };
  };
  const notification = (type: string, message: string, signal: AbortSignal): void => {
    const fields = { message, title: 'ClawdCode', notification_type: type };
    if (interactive && hooks.has('Notification'))
      hooks.run('Notification', { subject: type, fields }, signal).catch(onError);
  };
  return {
    async before(call, signal) {
      const result = await hooks.run('PreToolUse', occurrence(call), signal);
      return result && decided('PreToolUse', call, result);
    },
    async request(call, suggestion, signal) {
      // The call has no id for these hooks, as in Claude Code.
      const fields = {
        ...aboutTool(call.tool, call.input),
        ...(suggestion && { permission_suggestions: [permissionUpdateOf(suggestion)] }),
      };
      const asked = { ...occurrence(call), fields };
      const result = await hooks.run('PermissionRequest', asked, signal);
      return result && decided('PermissionRequest', call, result);
    },
    async denied(call, reason, signal) {
      const result = await hooks.run('PermissionDenied', occurrence(call, { reason }), signal);
      return result?.notes ?? [];
    },
    async after(call, { outcome, durationMs }, signal) {
      await settlePlace(signal);
      const event = outcome.status === 'error' ? 'PostToolUseFailure' : 'PostToolUse';
      if (!hooks.has(event)) return undefined;
      const fields =
        event === 'PostToolUse'
          ? { tool_response: responseOf(outcome, { durationMs, todos: todos() }) }
          : { error: truncated(outcome.text, MAX_RESPONSE), is_interrupt: false };
      const result = await hooks.run(event, occurrence(call, { ...fields, duration_ms: durationMs }), signal);
      if (result === undefined) return undefined;
      const { notes, stop, updatedOutput: replaced } = result;
      const after = { notes, endsTurn: stop !== undefined };
      if (replaced === undefined) return after;
      const line = `PostToolUse hook replaced the result of ${call.tool} · ${replaced.source}`;
      await hooks.tell({
        ...{ event: 'PostToolUse', what: 'changed', source: replaced.source },
        ...{ text: line, callId: call.id },
      });
      return { ...after, output: replaced.text };
    },
    notify({ tool, access }, signal) {
      const message =
        access.type === 'question'
          ? 'ClawdCode has a question for you'
          : `ClawdCode needs your permission to use ${tool}`;
      notification('permission_prompt', message, signal);
    },
    notifyRunning: notification,
    async confirm({ callId, tool, input }, signal) {
      const fields = { ...aboutTool(tool, input) };
      const { permission } =
        (await hooks.run('PermissionRequest', { subject: tool, callId, fields }, signal)) ?? {};
      if (permission === undefined || permission.behavior === 'ask') return undefined;
      return { behavior: permission.behavior, isManaged: permission.isManaged };
    },
    async tellChange({ id, tool, input }, source) {
      const text = `PreToolUse hook changed the input of ${tool} · ${source}`;
      await hooks.tell({ event: 'PreToolUse', what: 'changed', source, text, callId: id });
      const shown = JSON.stringify(input);
      const cut = shortened(shown, MAX_CHANGE);
      return hooks.note('PreToolUse', `replaced the input of ${tool} with`, { text: cut, source }, id);
    },
  };
}

/** The result of a call in Claude Code's shape, or status and text if it has none. */
function responseOf(outcome: ToolOutcome, ended: EndedCall): unknown {
  const { status, text, response } = outcome;
  return truncated(response === undefined ? { status, output: text } : response(ended), MAX_RESPONSE);
}

function truncated(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return value.length <= limit ? value : value.slice(0, limit).toWellFormed();
  if (Array.isArray(value)) return value.map((one) => truncated(one, limit));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, truncated(one, limit)]));
}
