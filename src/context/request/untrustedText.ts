/**
 * Finds untrusted text in a message of the program, and frames the message. In sessions that separate the two, a note
 * contains only the program's words, so that nothing from a file, a hook or a model is inside a frame with the key.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { quotedName } from '../../protocol/text/visible.ts';
import {
  FILES_HEADING,
  MESSAGES_HEADING,
  SUMMARY_END,
  SUMMARY_HEADING,
  SUMMARY_NOTE,
  SUMMARY_START,
} from '../compaction/summaryMessage.ts';
import { notTypedAt } from '../history/atoms.ts';
import { instructionPath } from '../memory/instructions.ts';
import {
  framedApart,
  framedBlock,
  framedData,
  framedNote,
  framedSequence,
  type NoteKey,
  type UntrustedPart,
  type UntrustedText,
  withoutKey,
} from './systemNotes.ts';

/** How a session frames notes; fixed when it starts. */
export interface Framing {
  readonly noteKey?: NoteKey;
  /** True if notes contain only the program's words; sessions of earlier versions have more in them. */
  readonly keepsApart?: boolean;
}

/** Frames a message that the user did not write. */
export function framedMessage(text: string, entry: JSONLEntry, { noteKey, keepsApart }: Framing): string {
  if (noteKey === undefined || keepsApart !== true) {
    const found = foreignAt(text, entry);
    if (found === undefined) return framedNote(text, noteKey);
    return framedData(text, found.at, noteKey, found.kind);
  }
  const { at, kind } = foreignAt(text, entry) ?? quotedAt(text, entry) ?? { at: text.length, kind: 'data' };
  return framedApart(text.slice(0, at), text.slice(at), noteKey, kind);
}

/** Frames the part of a prompt that the user did not type, in sessions that keep it apart: piped input, an included text. */
export function framedPrompt(text: string, entry: JSONLEntry, { noteKey, keepsApart }: Framing): string {
  const at = keepsApart === true ? notTypedAt(text, entry) : undefined;
  if (noteKey === undefined || at === undefined) return withoutKey(text, noteKey);
  return `${withoutKey(text.slice(0, at), noteKey)}${framedApart(NOT_TYPED, text.slice(at), noteKey, 'data')}`;
}

const NOT_TYPED = 'The user did not type the rest of this message: it was piped in, or included.';

/** Frames an instruction file; empty text = the file was deleted. */
export function framedInstructions(
  text: string,
  entry: JSONLEntry,
  { noteKey, keepsApart }: Framing,
): string {
  const gone = `${quotedName(instructionPath(entry))} is gone; its instructions no longer apply.`;
  if (noteKey !== undefined && keepsApart === true && text !== '') {
    const isUsers = entry.subtype === 'instructions' && entry.data?.origin === 'user';
    return isUsers
      ? framedApart('[User instructions]', text, noteKey, 'user-instructions')
      : framedApart('[Project instructions]', text, noteKey, 'instructions');
  }
  const block = `[Project instructions]\n\n${text === '' ? gone : text}\n\n[End of project instructions]`;
  return framedBlock(block, noteKey);
}

/** The parts of a summary message besides the stored text. */
interface SummaryBlocks {
  /** With their heading, as `quoteUserMessages` gives them; may be empty. */
  readonly messages: string;
  /** As `quoteFiles` gives them; may be empty. */
  readonly files: string;
}

/** Frames a stored summary in a session that keeps it apart. The markers stay outside, since readers look for them. */
export function framedSummaryApart(text: string, { messages, files }: SummaryBlocks, key: string): string {
  const head = `${SUMMARY_START}\n\n${SUMMARY_HEADING}\n\n`;
  const end = text.lastIndexOf(SUMMARY_END);
  const isWrapped = text.startsWith(head) && end >= head.length;
  const inner = isWrapped ? text.slice(head.length, end).trim() : text;
  const note = inner.startsWith(SUMMARY_NOTE) ? SUMMARY_NOTE : '';
  const body = framedSequence(
    [
      { heading: note, text: inner.slice(note.length).trim(), kind: 'summary' },
      ...partOf(messages, MESSAGES_HEADING, 'messages'),
      ...partOf(files, FILES_HEADING, 'data'),
    ],
    key,
  );
  return isWrapped ? `${head}${body}\n\n${SUMMARY_END}` : body;
}

/** Frames quoted files, as `quoteFiles` gives them. */
export function framedFiles(files: string, key: string): string {
  return framedSequence(partOf(files, FILES_HEADING, 'data'), key);
}

function partOf(block: string, heading: string, kind: UntrustedText): readonly UntrustedPart[] {
  return block === '' ? [] : [{ heading, text: block.slice(heading.length).trimStart(), kind }];
}

interface Foreign {
  /** Where the text of others begins, after the heading. */
  readonly at: number;
  readonly kind: UntrustedText;
}

/**
 * A file that a prompt mentions, the output of a `!command`, the message of a subagent and the text of a skill: apart
 * in every session with a key.
 */
function foreignAt(text: string, entry: JSONLEntry): Foreign | undefined {
  if (entry.subtype === 'shell' || entry.subtype === 'nudge') return from(entry.data?.outputAt, 'data');
  // Its name has no spaces and its folder is quoted, so the heading is the program's.
  if (entry.subtype === 'skill')
    return from(/^# Skill \S+\n\nFolder of this skill: [^\n]+\n\n/.exec(text)?.[0].length, 'skill');
  if (entry.subtype !== 'attachment') return undefined;
  return after('\n', text, entry.data?.outcome === 'prompt' ? 'prompt' : 'data');
}

/** What notes of earlier versions contained in addition. */
function quotedAt(text: string, entry: JSONLEntry): Foreign | undefined {
  switch (entry.subtype) {
    case 'memory':
    case 'environment':
      return after('\n\n', text, 'data');
    case 'hook_context':
      return after('\n', text, 'hook');
    case 'reminder':
    case 'reduction':
      return after('\n', text, 'quote');
    case 'image':
      return after(' image ', text, 'data');
    case 'nudge':
      return entry.data?.about === 'diagnostics' ? after('\n', text, 'data') : undefined;
    default:
      return undefined;
  }
}

function after(mark: string, text: string, kind: UntrustedText): Foreign | undefined {
  const at = text.indexOf(mark);
  return at === -1 ? undefined : { at: at + mark.length, kind };
}

function from(at: number | undefined, kind: UntrustedText): Foreign | undefined {
  return at === undefined ? undefined : { at, kind };
}
