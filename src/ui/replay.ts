import type { JSONLEntry } from '../protocol/entries.ts';
import type { Print } from './view.ts';

/** Entries of an earlier session that are printed again on resume; older ones stay in the log. */
const REPLAYED = 60;

/** The end of a session as it is shown when it is taken up again, beginning at a prompt where there is one. */
export function replay(entries: readonly JSONLEntry[]): Print[] {
  let from = Math.max(0, entries.length - REPLAYED);
  const prompt = entries.findIndex((entry, index) => index >= from && entry.subtype === 'prompt');
  if (from > 0 && prompt !== -1) from = prompt;
  const shown = entries.slice(from).map((entry): Print => ({ type: 'entry', entry }));
  if (from === 0) return shown;
  return [
    { type: 'notice', level: 'info', text: `${from} earlier entries are in the session’s log.` },
    ...shown,
  ];
}
