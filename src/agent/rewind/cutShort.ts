/**
 * Calls and commands that were running when the program was stopped. What they named was kept before they ran, so the
 * resumed session compares it with the disk; what else a command has changed is unknown.
 */
import { type ContextManager, isPrompt } from '../../context/index.ts';
import type { FileCheckpoints } from '../../protocol/checkpoints.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import {
  agentToolAlias,
  agentToolName,
  skillToolName,
  toolNames,
  traitsOf,
} from '../../protocol/toolNames.ts';
import { checkpointEntry, emptyCheckpoint, linesIn } from '../checkpoints.ts';

const UNKNOWN = 'a command was cut short when the program stopped: files that it changed cannot be restored';

/** Records what has changed since, unless an earlier start has done so. */
export async function recordCutShort(
  context: Pick<ContextManager, 'append' | 'entries' | 'isOwn'>,
  files: FileCheckpoints,
): Promise<void> {
  const entries = context.entries();
  const drafts = commandsCutShort(entries).map(({ uuid: of }) => emptyCheckpoint({ of, notes: [UNKNOWN] }));
  for (const { entry, kept } of announced(entries)) {
    if (!context.isOwn(entry)) continue;
    const captured = await files.since(kept);
    const lines = await linesIn(files, captured.changes);
    const draft = checkpointEntry({ cause: 'call', captured, lines, of: entry.uuid });
    if (draft !== undefined) drafts.push(draft);
  }
  if (drafts.length > 0) await context.append(...drafts);
}

/** Returns the entries that end commands which may have changed files, of which nothing was recorded yet. */
export function commandsCutShort(entries: readonly JSONLEntry[]): readonly JSONLEntry[] {
  const done = recorded(entries);
  const since = entries.slice(entries.findLastIndex(isPrompt) + 1);
  const shell = since.findLast(({ subtype }) => subtype === 'shell_start' || subtype === 'shell');
  return since.filter(
    (entry) =>
      !done.has(entry.uuid) &&
      (isCommandCutShort(entry) || (entry === shell && entry.subtype === 'shell_start')),
  );
}

/** Results that a later start has added say no duration. */
function isCommandCutShort({ toolResult }: JSONLEntry): boolean {
  return (
    toolResult?.status === 'interrupted' &&
    toolResult.durationMs === undefined &&
    runsCommands(toolResult.name)
  );
}

function runsCommands(tool = ''): boolean {
  const own: readonly string[] = [toolNames.bash, skillToolName, agentToolName, agentToolAlias];
  return traitsOf(tool) === undefined || own.includes(tool);
}

/** The entries that say what a call was about to change, without one that says what it has changed. */
function announced(entries: readonly JSONLEntry[]) {
  const done = recorded(entries);
  return entries.flatMap((entry) => {
    const kept = entry.subtype === 'checkpoint' ? entry.data?.kept : undefined;
    return kept === undefined || done.has(entry.uuid) ? [] : [{ entry, kept }];
  });
}

function recorded(entries: readonly JSONLEntry[]): ReadonlySet<string> {
  return new Set(entries.flatMap((entry) => (entry.subtype === 'checkpoint' ? (entry.data?.of ?? []) : [])));
}
