/** The hooks of tool calls: before a call, after it, and around the question whether it may run. */

import type { NewEntry } from '../../protocol/entries.ts';
import type { Access, RuleSuggestion } from '../../protocol/permissions.ts';
import { permissionUpdateOf } from '../../protocol/permissionUpdate.ts';
import { shortened } from '../../protocol/text/visible.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import type { Tool, ToolOutcome } from '../../protocol/tools.ts';
import type { HookResult, SessionHooks } from './sessionHooks.ts';

/** A checked call. */
export interface HookedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly access: Access;
}

/** What hooks say about a call before it runs. */
export interface BeforeCall {
  readonly notes: readonly NewEntry[];
  /** Why the call must not run; the reason itself is a note. */
  readonly denied?: string;
  /** Why the user must be asked. */
  readonly asks?: string;
  /** A hook allows the call, as an allow rule from this source would. */
  readonly allowedBy?: AllowedBy;
  readonly changed?: { readonly input: unknown; readonly source: string };
  /** The turn ends. */
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
  /** The turn ends. */
  readonly endsTurn: boolean;
  /** The text that replaces the result. */
  readonly output?: string;
}

export interface CallHooks {
  before(call: HookedCall, signal: AbortSignal): Promise<BeforeCall | undefined>;
  /** Called instead of asking the user at once. `suggestion`: what "always" would save. */
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
  /** A question comes up while a call runs: called instead of asking the user at once. */
  confirm(question: AskedWhileRunning, signal: AbortSignal): Promise<RunningAnswer | undefined>;
  /** The user is asked while a call runs. */
  notifyRunning(type: 'permission_prompt' | 'elicitation_dialog', message: string, signal: AbortSignal): void;
  /** Records that a hook changed the input of a call. */
  tellChange(call: HookedCall, source: string): Promise<NewEntry>;
}

/** Characters of a result that hooks get. */
const MAX_RESPONSE = 200_000;
/** Maximum characters of a changed input in the note to the model. */
const MAX_CHANGE = 4000;

interface CallHookDeps {
  /** False in headless runs, in which questions are not shown. */
  readonly interactive: boolean;
  readonly serverOf: (tool: string) => Tool['server'];
  readonly onError: (error: unknown) => void;
}

export function createCallHooks(
  hooks: SessionHooks,
  { interactive, serverOf, onError }: CallHookDeps,
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
    const denied = `A ${event} hook of the user (${source}) blocked this call; it did not run.`;
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
      const hasFailed = outcome.status === 'error';
      const text = outcome.text.slice(0, MAX_RESPONSE).toWellFormed();
      const result = hasFailed
        ? await hooks.run(
            'PostToolUseFailure',
            occurrence(call, { error: text, duration_ms: durationMs }),
            signal,
          )
        : await hooks.run(
            'PostToolUse',
            occurrence(call, { tool_response: responseOf(call, outcome, text), duration_ms: durationMs }),
            signal,
          );
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
      return hooks.note('PreToolUse', `replaced the input of ${tool} by`, { text: cut, source }, id);
    },
  };
}

/** The result of a call in the shape that hooks for Claude Code expect of the tool, as far as there is one. */
function responseOf(
  { tool, input }: HookedCall,
  outcome: ToolOutcome,
  text: string,
): Record<string, unknown> {
  const files = (outcome.filesChanged ?? []).slice(0, 100).map(({ path, kind }) => ({ path, kind }));
  const shared = { status: outcome.status, output: text, ...(files.length > 0 && { files_changed: files }) };
  if (tool === toolNames.bash) return { ...shared, stdout: text, stderr: '', interrupted: false };
  const path =
    typeof input === 'object' && input !== null && 'file_path' in input ? input.file_path : undefined;
  return path === undefined ? shared : { ...shared, filePath: path, success: true };
}
