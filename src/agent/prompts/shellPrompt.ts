import type { ContextManager } from '../../context/index.ts';
import type { NewEntry } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import type { ToolContext } from '../../protocol/tools.ts';
import type { CheckpointKeeper } from '../checkpoints.ts';
import type { CallHooks, HookedCall } from '../hooks/callHooks.ts';
import type { Toolset } from '../toolset/toolset.ts';

/** Dependencies of `runShell`. */
interface ShellPorts {
  readonly toolset: Pick<Toolset, 'find'>;
  readonly toolContext: (tool: string) => ToolContext;
  readonly context: ContextManager;
  readonly checkpoints: Pick<CheckpointKeeper, 'before' | 'after'>;
  readonly emit: (event: AgentEvent) => void;
  /** Absent without hooks. */
  readonly hooks?: CallHooks | undefined;
  readonly now: () => number;
}

/**
 * Runs a command typed after `!` in the agent's shell without approval, since it is the user's own. Logs command and
 * output as one user entry, so that the model sees them.
 */
export async function runShell(command: string, ports: ShellPorts): Promise<void> {
  const { toolset, context, checkpoints, emit } = ports;
  const bash = toolset.find(toolNames.bash);
  if (bash === undefined) {
    const text = 'This session has no Bash tool to run the command.';
    emit({ type: 'notice', level: 'error', text });
    return;
  }
  const toolContext = ports.toolContext(bash.name);
  const prepared = await bash.prepare({ command }, toolContext);
  if (prepared.type === 'invalid') {
    emit({ type: 'notice', level: 'error', text: prepared.message });
    return;
  }
  const { callId, signal } = toolContext;
  const call = { id: callId, tool: bash.name, input: { command }, access: prepared.access };
  const before = await beforeShell(call, signal, ports);
  if (before === 'blocked' || signal.aborted) return;
  // Logged before the command runs, in case the program is killed while it runs.
  const start = { type: 'system', subtype: 'shell_start', message: { role: 'system', content: '' } } as const;
  await context.append({ ...start, data: { command } });
  await Promise.all([context.sync(), checkpoints.before(prepared.access, signal)]);
  emit({ type: 'tool_started', callId, tool: bash.name, title: prepared.title });
  const startedAt = ports.now();
  const outcome = await prepared.run({ basis: 'own' }).finally(() => emit({ type: 'tool_ended', callId }));
  const { drafts } = await checkpoints.after(callId, 'shell', prepared.access, signal);
  await context.appendShell(command, outcome);
  const ended = { outcome, durationMs: ports.now() - startedAt };
  const after = signal.aborted ? undefined : await ports.hooks?.after(call, ended, signal);
  const following = [...drafts, ...before, ...(after?.notes ?? [])];
  if (following.length > 0) await context.append(...following);
}

/** Hooks can block the user's own command, but neither ask about it nor change it. */
async function beforeShell(
  call: HookedCall,
  signal: AbortSignal,
  { hooks, emit }: ShellPorts,
): Promise<readonly NewEntry[] | 'blocked'> {
  const fromHooks = await hooks?.before(call, signal);
  if (fromHooks === undefined) return [];
  if (fromHooks.denied !== undefined) return 'blocked';
  if (fromHooks.changed !== undefined) {
    const text = `The hook in ${fromHooks.changed.source} wanted to change this command; your own commands run as typed.`;
    emit({ type: 'notice', level: 'info', text });
  }
  return fromHooks.notes;
}
