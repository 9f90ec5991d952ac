/** The conversation as a list in which the user pins, drops and restores: one item for each atom, oldest first. */
import type { ContextItem } from '../protocol/contextReport.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import { type Atom, groupAtoms, isPrompt } from './history/atoms.ts';
import { instructionPath } from './history/instructionEntries.ts';
import { liveEntries } from './history/live.ts';
import { reductionOf } from './history/reductions.ts';
import { retainedBy } from './history/retained.ts';
import { lastCompaction, type View } from './history/view.ts';
import { headOf } from './tokens/wellFormed.ts';

/** Characters of a title. */
const TITLE = 80;

/** `sizeOf`: tokens of an atom as it would be sent. */
export function contextItems(
  entries: readonly JSONLEntry[],
  view: View,
  sizeOf: (atom: Atom) => number,
): readonly ContextItem[] {
  const shown = new Map(view.atoms.map((atom) => [atom.head.uuid, atom]));
  const pinnedFiles = new Set(view.instructions.map(({ uuid }) => uuid));
  const masked = maskedHeads(view);
  const live = liveEntries(entries);
  const boundary = live.entries[lastCompaction(live.entries, live.undone)];
  const retained = retainedBy(boundary, live.entries);
  const quoted = new Set(view.userMessages.map(({ entry }) => entry.uuid));
  const isSummarised = ({ seq, uuid }: JSONLEntry): boolean =>
    boundary !== undefined && seq < boundary.seq && (quoted.has(uuid) || !retained.has(uuid));
  return groupAtoms(live.entries).map((atom) => {
    const isShown = shown.has(atom.head.uuid) || pinnedFiles.has(atom.head.uuid);
    const isMasked = atom.calls.some(
      ({ result }) => result !== undefined && view.replacements.has(result.uuid),
    );
    const hidden = masked.has(atom.head.uuid) ? 'masked' : isSummarised(atom.head) ? 'summarised' : 'removed';
    return {
      ...itemOf(atom),
      tokens: Math.ceil(sizeOf(shown.get(atom.head.uuid) ?? atom)),
      state: isShown ? (isMasked ? 'masked' : 'sent') : hidden,
      isPinned: view.pinned.has(atom.head.uuid),
    };
  });
}

/** Heads of which a ledger that is sent has a line. */
function maskedHeads({ atoms }: View): ReadonlySet<string> {
  const notes = atoms.map(({ head }) => reductionOf(head)).filter((one) => one?.kind === 'mask');
  return new Set(notes.flatMap((note) => note?.removed ?? []));
}

function itemOf(atom: Atom): Pick<ContextItem, 'uuid' | 'seq' | 'kind' | 'title'> {
  const { head } = atom;
  return { uuid: head.uuid, seq: head.seq, kind: kindOf(atom), title: titleOf(atom) };
}

function kindOf({ kind, head }: Atom): ContextItem['kind'] {
  if (kind === 'reply') return 'reply';
  if (head.subtype === 'instructions') return 'instructions';
  return isPrompt(head) ? 'prompt' : 'note';
}

function titleOf({ head, calls }: Atom): string {
  const called = calls.map(({ call, result }) => {
    const title = result?.toolResult?.display?.title ?? '';
    return [call.tool?.name ?? '', title].filter((part) => part !== '').join(' ');
  });
  const text = head.subtype === 'instructions' ? instructionPath(head) : wordsOf(head.message.content);
  // Only its beginning is read: an item may be a megabyte, and there may be ten thousand of them.
  const said = headOf(text, 4 * TITLE)
    .replace(/\s+/g, ' ')
    .trim();
  return headOf([said, ...called].filter((part) => part !== '').join(' · '), TITLE);
}

/** The words of a message; its images have none. */
function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.map((part) => (isText(part) ? part.text : '')).join(' ');
}

function isText(part: unknown): part is { readonly text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
}
