/** Which lines of a file stand in the part of the conversation that a compaction keeps. */
import * as z from 'zod';
import { RealFiles } from '../files/RealFiles.ts';
import type { AtomCall } from '../history/atoms.ts';
import { outputOf } from './clips.ts';
import type { CompactionPlan } from './plan.ts';

/**
 * Tells of a file, by its real path and its lines as they are now, the indices of those that the tail shows: in what
 * Read printed, under the same number and with the same text, or in what Write was given. What becomes a line of its
 * own or is clipped shows nothing.
 */
export function linesInTail(
  { kept, uncovered, clips }: Pick<CompactionPlan, 'kept' | 'uncovered' | 'clips'>,
  replacements: ReadonlyMap<string, unknown>,
): (path: string, lines: readonly string[]) => ReadonlySet<number> {
  const gone = new Set(uncovered);
  const clipped = new Set(clips.map(({ result }) => result.uuid));
  const files = new RealFiles();
  const shown = new Map<string, ((lines: readonly string[]) => readonly number[])[]>();
  const add = (name: string, linesOf: (lines: readonly string[]) => readonly number[]): void => {
    const path = files.find(name, []) ?? name;
    shown.set(path, [...(shown.get(path) ?? []), linesOf]);
  };
  for (const { call, result } of kept.filter((atom) => !gone.has(atom)).flatMap(({ calls }) => calls)) {
    if (result?.toolResult === undefined || clipped.has(result.uuid)) continue;
    const { filesRead = [], filesChanged = [] } = result.toolResult;
    const output = replacements.get(result.uuid) ?? outputOf(result);
    for (const { path } of filesRead) add(path, (lines) => numberedLines(String(output), lines));
    const written = writtenBy(call);
    if (written === undefined) continue;
    for (const { path } of filesChanged)
      add(path, (lines) => (written.replace(/\n$/, '') === lines.join('\n') ? [...lines.keys()] : []));
  }
  return (path, lines) => new Set(shown.get(path)?.flatMap((linesOf) => linesOf(lines)));
}

/** Of what Read printed, the lines that the file still has there. */
function numberedLines(output: string, lines: readonly string[]): readonly number[] {
  return output.split('\n').flatMap((line) => {
    const [head, number] = /^ *(\d+)\t/.exec(line) ?? [];
    const index = Number(number) - 1;
    return head !== undefined && lines[index]?.replace(/\r$/, '') === line.slice(head.length) ? [index] : [];
  });
}

const writeInput = z.object({ content: z.string() });

function writtenBy({ tool }: AtomCall['call']): string | undefined {
  return writeInput.safeParse(tool?.input).data?.content;
}
