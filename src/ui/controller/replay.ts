/** Which entries of a session are printed again: its end when it is resumed, or the part around an entry. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Print } from './view.ts';

/** Entries of an earlier session that are printed again on resume; older ones stay in the log. */
const REPLAYED = 60;
/** Entries above and below a place that somebody jumps to; few below, so that it stays on screen. */
const ABOVE = 16;
const BELOW = 6;

/** The end of a session as it is shown when it is taken up again, beginning at a prompt where there is one. */
export function replay(entries: readonly JSONLEntry[]): Print[] {
  let from = Math.max(unbrokenFrom(entries), entries.length - REPLAYED);
  const prompt = entries.findIndex((entry, index) => index >= from && entry.subtype === 'prompt');
  if (from > 0 && prompt !== -1) from = prompt;
  const shown = entries.slice(from);
  return [...earlier(shown[0]?.seq ?? 0), ...shown.map(printed)];
}

/**
 * A session around one of its entries: from the prompt of its turn, or a little above it, to a little below, with
 * a line at the place itself and one that says how much follows.
 */
export async function replayAround(source: EntrySource, seq: number): Promise<Print[]> {
  const last = source.entries().at(-1)?.seq ?? seq;
  const page = await entriesBefore(source, Math.min(seq + BELOW, last) + 1, ABOVE + BELOW + 1);
  const prompt = page.findLast((entry) => entry.seq <= seq && entry.subtype === 'prompt');
  const shown = prompt === undefined ? page : page.filter((entry) => entry.seq >= prompt.seq);
  const at = shown.findIndex((entry) => entry.seq >= seq);
  const place: Print = { type: 'notice', level: 'warning', text: `Entry #${seq}, from your search:` };
  const prints = shown.map(printed);
  const follow = last - (shown.at(-1)?.seq ?? last);
  return [
    ...earlier(shown[0]?.seq ?? 0),
    ...(at === -1 ? prints : [...prints.slice(0, at), place, ...prints.slice(at)]),
    ...(follow === 0
      ? []
      : [
          note(
            `… ${entries(follow, 'later')} follow${follow === 1 ? 's' : ''}; the conversation continues at its end.`,
          ),
        ]),
  ];
}

/** What of the entries in memory goes without gaps up to the newest. */
export function unbrokenEntries(entries: readonly JSONLEntry[]): readonly JSONLEntry[] {
  return entries.slice(unbrokenFrom(entries)).filter(({ subtype }) => subtype !== 'past');
}

/** Where what is in memory as a whole begins: of a large session only single entries are before it. */
function unbrokenFrom(entries: readonly JSONLEntry[]): number {
  if (!entries.some(({ subtype }) => subtype === 'past')) return 0;
  return entries.findLastIndex(({ seq }, index) => seq - (entries[index - 1]?.seq ?? seq) > 1 || index === 0);
}

function earlier(many: number): Print[] {
  return many === 0
    ? []
    : [note(`${entries(many, 'earlier')} ${many === 1 ? 'is' : 'are'} in the session’s log.`)];
}

function entries(many: number, which: string): string {
  return `${many} ${which} ${many === 1 ? 'entry' : 'entries'}`;
}

function note(text: string): Print {
  return { type: 'notice', level: 'info', text };
}

function printed(entry: JSONLEntry): Print {
  return { type: 'entry', entry };
}

// Entries of the open session around a place, wherever they are: held in memory or still on disk.

/** An agent, as far as its entries go; one of a long session holds the newest only and pages the rest. */
export interface EntrySource {
  entries(): readonly JSONLEntry[];
  /** Up to `count` entries before a position, oldest first. */
  page?(beforeSeq: number, count: number): Promise<readonly JSONLEntry[]>;
}

/** Up to `count` entries before a position, oldest first. */
async function entriesBefore(
  source: EntrySource,
  beforeSeq: number,
  count: number,
): Promise<readonly JSONLEntry[]> {
  if (source.page !== undefined) return source.page(beforeSeq, count);
  return source
    .entries()
    .filter(({ seq }) => seq < beforeSeq)
    .slice(-count);
}

/** The entry at a position; undefined when there is none, or when it was lost. */
export async function entryAt(source: EntrySource, seq: number): Promise<JSONLEntry | undefined> {
  const [last] = await entriesBefore(source, seq + 1, 1);
  return last?.seq === seq ? last : undefined;
}
