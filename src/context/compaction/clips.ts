import type { Replacement } from '../../protocol/entries/kinds/compaction.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { quotesFiles } from '../results/errorLines.ts';
import { GAP, OMISSION } from '../results/headAndTail.ts';
import { type Truncation, truncateObservation, truncationNotice } from '../results/ObservationTruncator.ts';

/**
 * Shortens the output of recorded tool results; the full output stays stored and is pointed to. A single notice gives
 * the lines that are left; it replaces the notice of an earlier cut.
 */
export function clipResults(
  clips: readonly { readonly result: JSONLEntry; readonly tokens: number }[],
  countTokens: (text: string) => number,
): Replacement[] {
  return clips.map((clip) => clipResult(clip, countTokens));
}

function clipResult(
  { result, tokens }: { readonly result: JSONLEntry; readonly tokens: number },
  countTokens: (text: string) => number,
): Replacement {
  const recorded = recordedLines(result);
  const before = recorded.lines.map(({ text }) => text).join('\n');
  const { original, truncation } = result.toolResult ?? {};
  const whole = original === undefined ? { seq: result.seq } : { ...original, lines: recorded.total };
  // An output cut to its beginning has no real end, so the cut keeps its direction.
  const direction = truncation?.direction ?? 'head_tail';
  const options = { findsErrors: !quotesFiles(result.toolResult ?? {}) };
  let text = '';
  // The byte limit only approximates the tokens: reduce it until the count fits.
  for (let maxBytes = tokens * 3; maxBytes > 50; maxBytes = Math.floor(maxBytes * 0.7)) {
    const cut = truncateObservation(before, { maxLines: 1000, maxBytes }, direction, options);
    const originalBytes = truncation?.originalBytes ?? cut.stats.originalBytes;
    const stats = { ...cut.stats, originalBytes, originalLines: recorded.total };
    const which = whichLines(recorded, cut);
    text = `${truncationNotice({ ...cut, stats, which }, undefined, whole)}\n${cut.preview}`;
    if (countTokens(text) <= tokens) break;
  }
  return { uuid: result.uuid, output: text, ...(original === undefined ? {} : { original }) };
}

/** The tool result as the model sees it, as text. */
export function outputOf(result: JSONLEntry): string {
  const output = result.toolResult?.output;
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
}

/** A line of the recorded output. It has no number if it was picked from the middle or marks a gap. */
interface AdmittedLine {
  readonly text: string;
  /** 1-based line number in the full output. */
  readonly number?: number;
}

interface RecordedLines {
  readonly lines: readonly AdmittedLine[];
  /** Number of lines in the full output. */
  readonly total: number;
}

/** Beginning of the notices on partial results. */
const NOTICE = /^\[(Output truncated: |_note_: |A part of )[^\n]*\](?:\n|$)/;

/** The lines after the notices, with their line numbers in the full output if known. */
function recordedLines(result: JSONLEntry): RecordedLines {
  const { original, truncation } = result.toolResult ?? {};
  let text = outputOf(result);
  const notices: string[] = [];
  // A complete output has no notice, even if it begins like one.
  for (
    let notice = NOTICE.exec(text);
    original !== undefined && notice !== null;
    notice = NOTICE.exec(text)
  ) {
    notices.push(notice[1] ?? '');
    text = text.slice(notice[0].length);
  }
  const lines = text.replace(/\n$/, '').split('\n');
  const total = truncation?.originalLines ?? original?.lines ?? lines.length;
  const isPart = notices.length > 0 || (original !== undefined && original.bytes > Buffer.byteLength(text));
  // Lines selected by structure or by the tool itself may come from anywhere.
  const isCutOnly = truncation !== undefined && notices.every((notice) => notice.startsWith('Output'));
  if ((isPart && !isCutOnly) || lines.length > total)
    return { lines: lines.map((line) => ({ text: line })), total };
  const head = truncation?.direction === 'tail' ? 0 : firstOf(lines, truncation?.direction);
  const tail = truncation?.direction === 'head' ? lines.length : lastOf(lines, truncation?.direction);
  const numbered = lines.map((line, index): AdmittedLine => {
    if (index < head) return { text: line, number: index + 1 };
    return index < tail ? { text: line } : { text: line, number: total - lines.length + index + 1 };
  });
  return { lines: numbered, total };
}

/** Number of lines at the beginning that are the beginning of the full output. */
function firstOf(lines: readonly string[], direction: string | undefined): number {
  const mark = lines.indexOf(OMISSION);
  return direction === 'head_tail' && mark !== -1 ? mark : lines.length;
}

/** Index of the first line that belongs to the end of the full output. */
function lastOf(lines: readonly string[], direction: string | undefined): number {
  return direction === 'head_tail' ? lines.findLastIndex((line) => line === OMISSION || line === GAP) + 1 : 0;
}

/** `lines 1-40 and 705-743 of 743, and 3 error lines`; undefined when the line numbers are unknown. */
function whichLines({ lines, total }: RecordedLines, { shown, stats }: Truncation): string | undefined {
  const { keptLines, direction } = stats;
  const ends = direction === 'tail' ? { head: 0, tail: keptLines } : { head: keptLines, tail: 0 };
  const { head, errors, tail } = shown ?? { ...ends, errors: 0 };
  const kept = lines.filter((_, index) => index < head || index >= lines.length - tail);
  const numbers = kept.flatMap(({ number }) => number ?? []);
  if (numbers.length === 0) return undefined;
  const isPicked = ({ text, number }: AdmittedLine): boolean =>
    number === undefined && text !== OMISSION && text !== GAP;
  const others = errors + kept.filter(isPicked).length;
  const picked = others === 0 ? '' : `, and ${others} error line${others === 1 ? '' : 's'}`;
  const ranges = rangesOf(numbers);
  const isOne = ranges.length === 1 && !ranges[0]?.includes('-');
  return `${isOne ? 'line' : 'lines'} ${ranges.join(' and ')} of ${grouped(total)}${picked}`;
}

function rangesOf(numbers: readonly number[]): readonly string[] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number <= last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? grouped(from) : `${grouped(from)}-${grouped(to)}`));
}
