/** Summaries that need no model, for when there is none to ask. */

import { contentText } from '../facts/entryText.ts';
import { type Atom, isPrompt } from '../history/atoms.ts';
import type { View } from '../history/view.ts';
import { headOf } from '../tokens/wellFormed.ts';
import { SUMMARY_END, SUMMARY_START } from './summaryText.ts';

const MAX_REQUESTS = 5;
const MAX_REQUEST_CHARACTERS = 200;

/** First tier when a model failed: statistics, the last requests, and what an earlier summary said. */
export function createFallbackSummary(view: View, dropped: readonly Atom[], maxCharacters: number): string {
  const note =
    'No model could be asked for a summary, so this one was counted together by the program. Details of the archived part are missing here: look at the files again before relying on them.';
  return statistics(view, dropped, maxCharacters, note);
}

/** The same as a choice of the user's (`context.summary: simple`), which is no failure and is not called one. */
export function simpleSummary(view: View, dropped: readonly Atom[], maxCharacters: number): string {
  const note =
    'Counted together by the program, as the settings ask; no model was asked. Details of the archived part can be recalled; look at the files again before relying on them.';
  return statistics(view, dropped, maxCharacters, note);
}

function statistics(view: View, dropped: readonly Atom[], maxCharacters: number, note: string): string {
  const replies = dropped.filter((atom) => atom.kind === 'reply');
  const users = dropped.filter((atom) => atom.kind === 'user');
  const calls = replies.reduce((sum, atom) => sum + atom.calls.length, 0);
  const requests = dropped.filter((atom) => isPrompt(atom.head)).slice(-MAX_REQUESTS);
  const counted = [
    '### Statistics',
    `- Messages: ${dropped.length + calls}`,
    `- From the user: ${users.length}`,
    `- Replies: ${replies.length}`,
    `- Tool calls: ${calls}`,
    '',
    '### The last requests of the user',
    ...(requests.length === 0 ? ['(none in this part)'] : requests.map((atom) => `- ${requestLine(atom)}`)),
    '',
    '### Note',
    note,
  ].join('\n');
  const earlier = earlierSummary(view, Math.min(maxCharacters / 2, maxCharacters - counted.length));
  return earlier === '' ? counted : `${counted}\n\n### The summary before this one\n${earlier}`;
}

/** Second tier: something else went wrong, and its error is all there is to say. */
export function fallbackText(view: View, error: string, maxCharacters: number): string {
  const earlier = earlierSummary(view, Math.floor(maxCharacters / 2));
  return [
    'Older messages were left out without a summary, because compaction failed. The newest part of the conversation follows unchanged.',
    ...(earlier === '' ? [] : ['', '### The summary before this one', earlier]),
    '',
    `Error: ${headOf(error, 500)}`,
  ].join('\n');
}

function requestLine({ head }: Atom): string {
  const text = contentText(head.message.content).replace(/\s+/g, ' ').trim();
  if (text === '') return '(no text)';
  return text.length > MAX_REQUEST_CHARACTERS ? `${headOf(text, MAX_REQUEST_CHARACTERS)}...` : text;
}

function earlierSummary({ summary }: View, maxCharacters: number): string {
  const content = summary?.message.content;
  if (typeof content !== 'string') return '';
  const body = content.replace(SUMMARY_START, '').replace(SUMMARY_END, '').trim();
  return headOf(body, Math.max(0, Math.floor(maxCharacters)));
}
