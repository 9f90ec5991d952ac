import type { ContextManager } from '../context/index.ts';
import type { AgentEvent } from '../protocol/events.ts';
import { toolNames } from '../protocol/toolNames.ts';
import type { ToolContext } from '../protocol/tools.ts';
import type { CheckpointKeeper } from './checkpoints.ts';
import type { Toolset } from './toolset.ts';

/** Dependencies of `runShell`. */
interface ShellPorts {
  readonly toolset: Pick<Toolset, 'find'>;
  readonly toolContext: (tool: string) => ToolContext;
  readonly context: ContextManager;
  readonly checkpoints: Pick<CheckpointKeeper, 'before' | 'after'>;
  readonly emit: (event: AgentEvent) => void;
}

/**
 * Runs a command typed after `!` in the agent's shell without approval, since it is the user's own. Logs command and
 * output as one user entry, so that the model sees them.
 */
export async function runShell(command: string, ports: ShellPorts): Promise<void> {
  const { toolset, context, checkpoints, emit } = ports;
  const bash = toolset.find(toolNames.bash);
  if (bash === undefined) {
    const text = 'There is no Bash tool in this session to run the command with.';
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
  // Logged before the command runs, in case the program is killed meanwhile.
  const start = { type: 'system', subtype: 'shell_start', message: { role: 'system', content: '' } } as const;
  await context.append({ ...start, data: { command } });
  await Promise.all([context.sync(), checkpoints.before(prepared.access, signal)]);
  emit({ type: 'tool_started', callId, tool: bash.name, title: prepared.title });
  const outcome = await prepared.run({ basis: 'own' }).finally(() => emit({ type: 'tool_ended', callId }));
  const { drafts } = await checkpoints.after(callId, 'shell', prepared.access, signal);
  await context.appendShell(command, outcome);
  if (drafts.length > 0) await context.append(...drafts);
}
