/**
 * How the program's own words are told from everybody else's. Each session has a key that its system prompt names
 * (agent/systemPrompt.ts) and that only the program writes: what stands in a frame with the key comes from the program,
 * and no text of others ever has the key in it, not even text that has read it in the log. The stored texts have
 * neither frame nor key; both are put around them here, so that the same log gives the same bytes. Pure.
 */
import { SUMMARY_END, SUMMARY_HEADING, SUMMARY_START } from '../compaction/summaryMessage.ts';

/** The key of a session; undefined in sessions of earlier versions, whose frames have none. */
export type NoteKey = string | undefined;

/** A word from the program to the model. */
export function framedNote(text: string, key: NoteKey): string {
  const tag = key === undefined ? '' : ` ${key}`;
  return `<system-note${tag}>\n${withoutKey(text, key)}\n</system-note${tag}>`;
}

/** Text that has its own wrapper. Text inside could imitate that, so with a key it is put in a note as well. */
export function framedBlock(text: string, key: NoteKey): string {
  return key === undefined ? text : framedNote(text, key);
}

/** A summary as it is stored, blocks next to it included. Its wrapper stays outside: readers recognise it by that. */
export function framedSummary(text: string, key: NoteKey): string {
  if (key === undefined) return text;
  const head = `${SUMMARY_START}\n\n${SUMMARY_HEADING}\n\n`;
  const end = text.lastIndexOf(SUMMARY_END);
  if (!text.startsWith(head) || end < head.length) return framedNote(text, key);
  return `${head}${framedNote(text.slice(head.length, end).trim(), key)}\n\n${SUMMARY_END}`;
}

/** Text of others: a key in it was copied from somewhere, and would make its words look like the program's. */
export function withoutKey(text: string, key: NoteKey): string {
  return key === undefined ? text : text.replace(spellingsOf(key), NOT_GENUINE);
}

/** Matches the key in any case, also with invisible characters in it: a reader would take it for the key. */
function spellingsOf(key: string): RegExp {
  return new RegExp([...key].join('\\p{Default_Ignorable_Code_Point}*'), 'giu');
}

/** A frame that was copied or made up says so: `<system-note not-genuine>`. */
const NOT_GENUINE = 'not-genuine';
