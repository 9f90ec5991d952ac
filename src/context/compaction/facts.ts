/** What a machine knows better than a model: files changed and the todo list, from the log itself. */
import type { JSONLEntry, Todo } from '../../protocol/entries.ts';

const MAX_FILES = 40;

/** A section for the end of a summary; empty when there is nothing to say. */
export function recordedFacts(entries: readonly JSONLEntry[], maxCharacters: number): string {
  const files = new Map<string, string>();
  for (const { toolResult } of entries) {
    for (const { path, kind } of toolResult?.filesChanged ?? []) {
      files.delete(path);
      files.set(path, kind);
    }
  }
  const todos = latestTodos(entries);
  const lines = [
    ...(files.size === 0 ? [] : ['Files changed in this session, newest last:']),
    ...[...files].slice(-MAX_FILES).map(([path, kind]) => `- ${path} (${kind})`),
    ...(todos.length === 0 ? [] : ['Todo list:']),
    ...todos.map(({ status, content }) => `- [${status}] ${content}`),
  ];
  const kept: string[] = [];
  let characters = 0;
  for (const line of lines) {
    characters += line.length + 1;
    if (characters > maxCharacters) break;
    kept.push(line);
  }
  return kept.length === 0 ? '' : `### Recorded by the program\n${kept.join('\n')}`;
}

/** The todo list as the last tool result left it. */
export function latestTodos(entries: readonly JSONLEntry[]): readonly Todo[] {
  return entries.findLast((entry) => entry.toolResult?.todos !== undefined)?.toolResult?.todos ?? [];
}
