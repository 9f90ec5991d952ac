/** Describes running background tasks to hooks, in Claude Code's format. Pure. */
import type { TaskInfo } from '../../protocol/tasks.ts';

/** Maximum characters of a description or a command. */
const MAX_TEXT = 1000;

export function backgroundTasks(tasks: readonly TaskInfo[]): object[] {
  return tasks.flatMap(({ id, kind, command, end }): object[] => {
    if (end !== undefined) return [];
    const about = { id, type: kind ?? 'shell', status: 'running', description: clipped(command) };
    if (kind === undefined) return [{ ...about, command: clipped(command) }];
    // A subagent's line is its name and its task: `explore: find the parser`.
    const [agent = '', ...task] = command.split(': ');
    return [{ ...about, description: clipped(task.join(': ')), agent_type: agent }];
  });
}

function clipped(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT).toWellFormed()}… [+${text.length - MAX_TEXT} chars]`;
}
