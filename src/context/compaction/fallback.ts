/** Summaries that are written without a model. */

import { contentText } from '../../protocol/messages.ts';
import { RECORDED_HEADING } from '../facts/recordedFacts.ts';
import { type Atom, atomEntries, isPrompt } from '../history/atoms.ts';
import type { View } from '../history/view.ts';
import { headOf } from '../tokens/truncate.ts';
import { ledgerLines } from './ledger.ts';
import { wrapSummary } from './summaryMessage.ts';

const MAX_REQUESTS = 5;
const MAX_REQUEST_CHARACTERS = 200;

/**
 * Fallback if the model fails: the last requests, statistics, a line for each of the last steps, and the text of the
 * last summary that a model wrote.
 */
export function createFallbackSummary(view: View, dropped: readonly Atom[], maxCharacters: number): string {
  return counted(view, dropped, maxCharacters, FAILED);
}

/** The same text, chosen by the user (`context.summary: simple`), and therefore not called a failure. */
export function simpleSummary(view: View, dropped: readonly Atom[], maxCharacters: number): string {
  return counted(view, dropped, maxCharacters, CHOSEN);
}

/** Fallback if something else fails: only the error and the earlier summary. */
export function fallbackText(view: View, error: string, maxCharacters: number): string {
  const earlier = earlierSummary(view, Math.floor(maxCharacters / 2));
  const said = `${LEFT_OUT} The newest part of the conversation follows unchanged.\n\nError: ${headOf(error, 500)}`;
  return earlier === '' ? said : `${said}\n\n${EARLIER_HEADING}\n${earlier}`;
}

const FAILED = 'No summary could be written.';
const CHOSEN = 'Written by the program, as the settings ask.';
const LEFT_OUT = 'Older messages were left out without a summary, because compaction failed.';
const STEPS_HEADING = '### The last steps, oldest first';
const STATISTICS_HEADING = '### Statistics';
const EARLIER_HEADING = '### The summary before this one';

function counted(view: View, dropped: readonly Atom[], maxCharacters: number, opening: string): string {
  const replies = dropped.filter((atom) => atom.kind === 'reply');
  const calls = replies.reduce((sum, atom) => sum + atom.calls.length, 0);
  const requests = dropped.filter((atom) => isPrompt(atom.head));
  const newest = requests.slice(-MAX_REQUESTS);
  const text = [
    `${opening} The facts and messages below were recorded by the program; use Recall${rangeOf(dropped)} or read the files for anything else.`,
    '',
    '### The last requests of the user',
    ...(newest.length === 0 ? ['(none in this part)'] : newest.map((atom) => `- ${requestLine(atom)}`)),
    '',
    STATISTICS_HEADING,
    `Messages: ${dropped.length + calls}, From the user: ${requests.length}, Replies: ${replies.length}, Tool calls: ${calls}`,
  ].join('\n');
  const earlier = earlierSummary(view, Math.min(maxCharacters / 2, maxCharacters - text.length));
  const steps = stepsOf(dropped, maxCharacters - text.length - earlier.length);
  return [text, steps, earlier === '' ? '' : `${EARLIER_HEADING}\n${earlier}`]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** One line per step, as many of the newest as fit. */
function stepsOf(dropped: readonly Atom[], maxCharacters: number): string {
  const lines = ledgerLines(dropped);
  let left = maxCharacters - STEPS_HEADING.length;
  const tooMany = lines.findLastIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  const newest = lines.slice(tooMany + 1);
  return newest.length === 0 ? '' : [STEPS_HEADING, ...newest].join('\n');
}

/** The range to pass to Recall for all of these entries; empty if there are none. */
function rangeOf(dropped: readonly Atom[]): string {
  const last = dropped.flatMap(atomEntries).reduce((most, { seq }) => Math.max(most, seq), 0);
  return last === 0 ? '' : ` (#0-#${last})`;
}

function requestLine({ head }: Atom): string {
  const text = contentText(head.message.content).replace(/\s+/g, ' ').trim();
  if (text === '') return '(no text)';
  return text.length > MAX_REQUEST_CHARACTERS ? `${headOf(text, MAX_REQUEST_CHARACTERS)}...` : text;
}

function earlierSummary({ summary }: View, maxCharacters: number): string {
  const content = summary?.message.content;
  if (typeof content !== 'string') return '';
  return headOf(writtenIn(content), Math.max(0, Math.floor(maxCharacters)));
}

/**
 * The text that a model wrote in a summary message: without the wrapper, recorded facts and statistics, which are
 * outdated.
 */
function writtenIn(content: string): string {
  const body = WRAPPER.reduce((text, part) => text.replaceAll(part, ''), content)
    .replace(RECORDED_SECTION, '')
    .trim();
  if (!COUNTED.some((opening) => body.startsWith(opening))) return body;
  const earlier = body.indexOf(EARLIER_HEADING);
  return earlier === -1 ? '' : writtenIn(body.slice(earlier + EARLIER_HEADING.length));
}

/** Lines around a summary: its markers, heading and note. */
const WRAPPER = wrapSummary('')
  .split('\n')
  .filter((line) => line !== '');
/** Matches the section up to the next blank line. */
const RECORDED_SECTION = new RegExp(`^${RECORDED_HEADING}\\n(?:.+(?:\\n|$))*`, 'gm');
/** First lines of summaries that no model wrote; older versions began with the statistics. */
const COUNTED = [FAILED, CHOSEN, LEFT_OUT, STATISTICS_HEADING];
