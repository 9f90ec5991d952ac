/** Unified diffs for display, limited in size and time. */
import { isUtf8 } from 'node:buffer';

interface ShownDiff {
  /** Absent if there is nothing to show: binary or very large content. */
  readonly diff?: string;
  readonly added: number;
  readonly removed: number;
}

const MAX_TEXT_BYTES = 2 ** 20;
const MAX_DIFF_CHARACTERS = 200_000;
/** With fewer differences the comparison runs synchronously; it takes milliseconds. */
const FEW_EDITS = 300;
const MAX_DIFF_MS = 1_000;
const CONTEXT_LINES = 3;

/** The diff between two contents; undefined = no file. */
export async function showDiff(
  name: string,
  from: Buffer | undefined,
  to: Buffer | undefined,
): Promise<ShownDiff> {
  if (![from, to].every(isReadable)) return { added: 0, removed: 0 };
  const [before, after] = [from?.toString() ?? '', to?.toString() ?? ''];
  if (before === after) return { added: 0, removed: 0 };
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff');
  const [oldName, newName] = [from === undefined ? '/dev/null' : name, to === undefined ? '/dev/null' : name];
  const options = { context: CONTEXT_LINES };
  const patch =
    structuredPatch(oldName, newName, before, after, undefined, undefined, {
      ...options,
      maxEditLength: FEW_EDITS,
    }) ??
    (await new Promise<ReturnType<typeof structuredPatch> | undefined>((resolve) => {
      structuredPatch(oldName, newName, before, after, undefined, undefined, {
        ...options,
        timeout: MAX_DIFF_MS,
        callback: resolve,
      });
    }));
  if (patch === undefined) return { added: countLines(after), removed: countLines(before) };
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const diff = formatPatch(patch, FILE_HEADERS_ONLY);
  return {
    ...(diff.length <= MAX_DIFF_CHARACTERS && { diff }),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

function isReadable(bytes: Buffer | undefined): boolean {
  return bytes === undefined || (bytes.length <= MAX_TEXT_BYTES && !bytes.includes(0) && isUtf8(bytes));
}

function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
