import type { TaskInfo } from '../protocol/tasks.ts';
import { hanging, type Page, type PageLine, pageLine } from './pages/page.ts';
import type { Command } from './types.ts';

/** Lists background tasks; the full screen also shows their output and stops them. */
export const tasks: Command = {
  name: 'tasks',
  aliases: ['bashes', 'ps'],
  description: 'background tasks: list, output, stop',
  run: (_args, { agent }) => ({
    type: 'dialog',
    dialog: 'tasks',
    page: tasksPage(agent.state().tasks),
  }),
};

// Background tasks as a page, for output without a full screen.

/** Lists the tasks, oldest first, each with the last line of its output. */
export function tasksPage(tasks: readonly TaskInfo[]): Page {
  if (tasks.length === 0) return () => [pageLine('No background tasks.')];
  const running = tasks.filter(({ end }) => end === undefined).length;
  const title = `${running} running, ${tasks.length - running} ended. They stop when ClawdCode exits.`;
  return () => [pageLine({ text: title, role: 'strong' }), ...tasks.flatMap(taskLines)];
}

function taskLines({ id, command, startedAtMs, end, lastLine }: TaskInfo): PageLine[] {
  const seconds = Math.round(((end?.endedAtMs ?? startedAtMs) - startedAtMs) / 1000);
  const state =
    end === undefined
      ? 'running'
      : end.problem !== undefined
        ? `could not be started: ${end.problem}`
        : `${end.outcome !== undefined ? end.outcome : end.stoppedBy === undefined ? `exit code ${end.code ?? '?'}` : 'stopped'} after ${seconds} s`;
  const flat = command.replace(/\s+/g, ' ').trim();
  const head = hanging(
    pageLine(`  ${id.padEnd(4)} `, { text: state, role: end === undefined ? 'accent' : 'dim' }, `  ${flat}`),
    7,
  );
  return lastLine === ''
    ? [head]
    : [head, hanging(pageLine({ text: `       last line: ${lastLine}`, role: 'dim' }), 7)];
}
