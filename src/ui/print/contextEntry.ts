/** Entries that change what the model sees of the conversation, a dim line each; a failed summary is a warning. */
import { failedSummaryText, reductionText } from '../../commands/pages/reductionText.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Paint } from '../theme.ts';
import { contentText } from './content.ts';
import type { EntryOptions } from './entry.ts';
import { count } from './numbers.ts';
import { sanitizeLine } from './sanitize.ts';
import { prefixLines, wrapText } from './spans.ts';

/** `undefined` for every other entry. */
export function renderContextEntry(entry: JSONLEntry, options: EntryOptions): string | undefined {
  const { theme } = options;
  switch (entry.subtype) {
    case 'reduction':
      return marked('◇', reductionText(entry), theme.dim, options);
    case 'summary_failed':
      return marked('!', failedSummaryText(entry), theme.warning, options);
    case 'pin': {
      const which = pointer(entry.data?.uuid, options);
      const said =
        entry.data?.pinned === false
          ? `Unpinned ${which}`
          : `Pinned ${which}: it is never shortened or dropped`;
      return marked('◇', said, theme.dim, options);
    }
    case 'rewind': {
      const which = pointer(entry.data?.to, options);
      const said = `Went back: what came after ${which} is no longer part of the conversation`;
      return marked('◇', contentText(entry) || said, theme.dim, options);
    }
    case 'undo':
      return marked('◇', contentText(entry) || 'Undone.', theme.dim, options);
    case 'instructions':
      return marked('◇', instructionText(entry), theme.dim, options);
    case 'memory':
      return marked('◇', memoryText(entry), theme.dim, options);
    default:
      return undefined;
  }
}

/** An entry as it is pointed to everywhere; without its number where that is not known any more. */
function pointer(uuid: unknown, { seqOf }: EntryOptions): string {
  const seq = typeof uuid === 'string' ? seqOf?.(uuid) : undefined;
  return seq === undefined ? 'an earlier item' : `#${seq}`;
}

/** E.g. "Instructions: lib/AGENTS.md". */
function instructionText({ cwd, data, message }: JSONLEntry): string | undefined {
  const path = data?.path;
  if (typeof path !== 'string' || path === '') return undefined;
  const short = path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
  return message.content === '' ? `Instructions removed: ${short}` : `Instructions: ${short}`;
}

/** E.g. "2 memories: notes.md". */
function memoryText(entry: JSONLEntry): string | undefined {
  const { memories } = entry.data ?? {};
  if (!Array.isArray(memories) || memories.length === 0) return undefined;
  const files = memories.flatMap((one: unknown) =>
    typeof one === 'object' && one !== null && 'file' in one && typeof one.file === 'string'
      ? [one.file]
      : [],
  );
  const from = files.length === 0 ? '' : `: ${[...new Set(files)].join(', ')}`;
  return `${count(memories.length, 'memory', 'memories')}${from}`;
}

function marked(
  mark: string,
  text: string | undefined,
  paint: Paint,
  { width }: EntryOptions,
): string | undefined {
  const clean = sanitizeLine(text ?? '').trim();
  if (clean === '') return undefined;
  return prefixLines(wrapText(clean, width - 2, paint), paint(`${mark} `), '  ').join('\n');
}
