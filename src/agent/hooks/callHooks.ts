/** The hooks of tool calls: before a call, after it, and around the question whether it may run. */

import type { NewEntry } from '../../protocol/entries.ts';
import type { Access } from '../../protocol/permissions.ts';
import { shortened } from '../../protocol/text/visible.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import type { ToolOutcome } from '../../protocol/tools.ts';
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
  readonly halts: boolean;
}

export interface AllowedBy {
  readonly source: string;
  readonly isManaged: boolean;
}

export interface CallHooks {
  before(call: HookedCall, signal: AbortSignal): Promise<BeforeCall | undefined>;
  /** Called instead of asking the user at once. */
  request(call: HookedCall, signal: AbortSignal): Promise<BeforeCall | undefined>;
  /** The rules or the mode have denied the call. */
  denied(call: HookedCall, reason: string, signal: AbortSignal): Promise<readonly NewEntry[]>;
  after(
    call: HookedCall,
    ended: { readonly outcome: ToolOutcome; readonly durationMs: number },
    signal: AbortSignal,
  ): Promise<{ readonly notes: readonly NewEntry[]; readonly halts: boolean } | undefined>;
  /** The user is asked about a call. */
  notify(call: HookedCall, signal: AbortSignal): void;
  /** Records that a hook changed the input of a call. */
  tellChange(call: HookedCall, source: string): Promise<NewEntry>;
}

/** Characters of a result that hooks get. */
const MAX_RESPONSE = 200_000;
/** Maximum characters of a changed input in the note to the model. */
const MAX_CHANGE = 4000;

export function createCallHooks(hooks: SessionHooks, onError: (error: unknown) => void): CallHooks {
  const occurrence = ({ id, tool, input, access }: HookedCall, more: object = {}) => ({
    subject: tool,
    access: { tool, access },
    callId: id,
    fields: { tool_name: tool, tool_input: input, tool_use_id: id, ...more },
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
    const halts = stop !== undefined || (isDenied && interrupts);
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
      halts,
    };
  };
  return {
    async before(call, signal) {
      const result = await hooks.run('PreToolUse', occurrence(call), signal);
      return result && decided('PreToolUse', call, result);
    },
    async request(call, signal) {
      const { tool, input } = call;
      // The call has no id for these hooks, as in Claude Code.
      const asked = { ...occurrence(call), fields: { tool_name: tool, tool_input: input } };
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
      return result && { notes: result.notes, halts: result.stop !== undefined };
    },
    notify({ tool, access }, signal) {
      const message =
        access.type === 'question'
          ? 'ClawdCode has a question for you'
          : `ClawdCode needs your permission to use ${tool}`;
      const type = 'permission_prompt';
      const fields = { message, title: 'ClawdCode', notification_type: type };
      if (hooks.has('Notification'))
        hooks.run('Notification', { subject: type, fields }, signal).catch(onError);
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
