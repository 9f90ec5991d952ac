/** Selects the entries to print again: the end of a resumed session, or the entries around a given one. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Print } from './view.ts';

/** Entries of a resumed session that are printed again; older ones stay in the log. */
const REPLAYED = 60;
/** Entries printed above and below a jump target; few below, so that the target stays on screen. */
const ABOVE = 16;
const BELOW = 6;

/** The end of a resumed session, starting at a prompt if there is one. */
export function replay(entries: readonly JSONLEntry[]): Print[] {
  let from = Math.max(unbrokenFrom(entries), entries.length - REPLAYED);
  const prompt = entries.findIndex((entry, index) => index >= from && entry.subtype === 'prompt');
  if (from > 0 && prompt !== -1) from = prompt;
  const shown = entries.slice(from);
  return [...earlier(shown[0]?.seq ?? 0), ...shown.map(printed), ...cutOff(entries)];
}

/** The program may have been killed during the last turn; nothing else shows that its reply is missing. */
function cutOff(entries: readonly JSONLEntry[]): Print[] {
  const last = entries.findLast(({ subtype }) => subtype === 'prompt' || subtype === 'turn_end');
  if (last?.subtype !== 'prompt') return [];
  const text = 'This turn was cut off before it ended; what was missing of its reply is lost.';
  return [{ type: 'notice', level: 'warning', text }];
}

/**
 * The session around one entry: from the prompt of its turn, or a few entries above it, to a few below, with a line
 * that marks the entry and one that says how much follows.
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

/** The newest entries in memory that form a sequence without gaps. */
export function unbrokenEntries(entries: readonly JSONLEntry[]): readonly JSONLEntry[] {
  return entries.slice(unbrokenFrom(entries)).filter(({ subtype }) => subtype !== 'past');
}

/** Index where that sequence starts. Before it, only single entries of a large session are in memory. */
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

// Entries of the open session around a position, whether in memory or on disk.

/**
 * The part of an agent that provides entries. In a long session it holds only the newest and reads the others in pages.
 */
interface EntrySource {
  entries(): readonly JSONLEntry[];
  /** Returns up to `count` entries before a position, oldest first. */
  page?(beforeSeq: number, count: number): Promise<readonly JSONLEntry[]>;
}

/** Returns up to `count` entries before a position, oldest first. */
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

/** Returns the entry at a position; undefined if there is none or it was lost. */
export async function entryAt(source: EntrySource, seq: number): Promise<JSONLEntry | undefined> {
  const [last] = await entriesBefore(source, seq + 1, 1);
  return last?.seq === seq ? last : undefined;
}
