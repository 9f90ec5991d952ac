import type { TaskInfo } from '../../protocol/tasks.ts';

const COMMAND_CHARACTERS = 60;

/** What is said when background tasks end because their session is left; undefined where none runs. */
export function endingText(tasks: readonly TaskInfo[]): string | undefined {
  const running = tasks.filter(({ end }) => end === undefined);
  if (running.length === 0) return undefined;
  const names = running.map(({ id, command }) => {
    const flat = command.replace(/\s+/g, ' ').trim();
    return `${id} ${flat.length <= COMMAND_CHARACTERS ? flat : `${flat.slice(0, COMMAND_CHARACTERS - 1)}…`}`;
  });
  return `Background tasks stop with their session: ${names.join(', ')}`;
}
