import type { ContextManager } from '../context/index.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { Tool, ToolContext } from '../protocol/tools.ts';

/**
 * Runs what the user typed after `!` in the agent's shell, without asking (it is their own command), and
 * records command and output as one user entry, so that the model knows of it.
 */
export async function runShell(
  command: string,
  bash: Tool,
  toolContext: ToolContext,
  context: ContextManager,
  emit: (event: AgentEvent) => void,
): Promise<void> {
  const prepared = await bash.prepare({ command }, toolContext);
  if (prepared.type === 'invalid') {
    emit({ type: 'notice', level: 'error', text: prepared.message });
    return;
  }
  const { callId } = toolContext;
  emit({ type: 'tool_started', callId, tool: bash.name, title: prepared.title });
  const outcome = await prepared.run().finally(() => emit({ type: 'tool_ended', callId }));
  await context.appendShell(command, outcome);
}
