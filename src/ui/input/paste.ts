/**
 * Standard input that delivers each bracketed paste in one piece. Whenever a chunk arrives, Ink searches everything
 * received so far, and terminals deliver 4 kB at a time: ten megabytes would take 12 s instead of 0.1 s.
 */
import { PassThrough } from 'node:stream';
import { countLines } from '../../protocol/text/countLines.ts';
import { clean, type PastedText, type Unit, unitsOf } from './units.ts';

/** Longer pastes, or pastes with more lines, are shown folded (as in Claude Code). */
const foldLimits = { characters: 800, lines: 2 } as const;

/** Recalled text is meant to be edited, so it is folded only if it would fill several screens. */
const recallLimits = { characters: 10_000, lines: 200 } as const;

/**
 * The units that a paste inserts: its characters, or one fold that holds the text under a label such as `[Pasted text
 * #1 +120 lines]`. Takes time linear in the text.
 */
export function unitsOfPaste(pasted: string, existing: readonly Unit[]): readonly Unit[] {
  const text = clean(pasted);
  return exceeds(text, foldLimits) ? [fold(text, existing)] : unitsOf(text);
}

/** The units that a recalled or restored text inserts. */
export function unitsOfRecall(recalled: string, existing: readonly Unit[] = []): readonly Unit[] {
  const text = clean(recalled);
  if (exceeds(text, recallLimits)) return [fold(text, existing)];
  return text
    .split(/(\[Image #\d{1,6}\])/)
    .flatMap((part, at) => (at % 2 === 1 ? [imageUnit(part)] : unitsOf(part)));
}

/** An image's label, as one step for the cursor. The label is all it needs: see `ImageShelf` in `images.ts`. */
export function imageUnit(label: string): PastedText {
  return { label, text: label };
}

function fold(text: string, existing: readonly Unit[]): PastedText {
  const used = existing.flatMap((unit) => (typeof unit === 'string' ? [] : [numberOf(unit)]));
  const lines = countLines(text);
  const size = lines > foldLimits.lines ? `${lines} lines` : `${text.length} characters`;
  return { label: `[Pasted text #${Math.max(0, ...used) + 1} +${size}]`, text };
}

const exceeds = (text: string, limits: { readonly characters: number; readonly lines: number }): boolean =>
  text.length > limits.characters || countLines(text) > limits.lines;

const numberOf = (unit: PastedText): number => Number(/^\[Pasted text #(\d+)/.exec(unit.label)?.[1] ?? 0);

const start = '\u001B[200~';
const end = '\u001B[201~';

/**
 * Wraps a terminal for Ink's `stdin` option. The terminal is read only in raw mode, so that an editor to which Ink has
 * handed over the terminal gets its keys. `typed` arrived earlier and is emitted first. While `isStarting` is true,
 * keys pile up; they are emitted line by line, because an Enter followed by more in the same chunk looks like part of a
 * paste.
 */
export function createPasteStream(
  terminal: NodeJS.ReadStream,
  typed = '',
  isStarting: () => boolean = () => false,
): NodeJS.ReadStream {
  const output = new PassThrough({ encoding: 'utf8' });
  let assembler = createPasteAssembler();
  const waiting = linesOf(typed);
  let next: ReturnType<typeof setImmediate> | undefined;
  let ending: NodeJS.Timeout | undefined;
  const passOn = (): void => {
    next = undefined;
    const ready = assembler.take(waiting.shift() ?? '');
    if (ready !== '') output.write(ready);
    if (waiting.length > 0) next = setImmediate(passOn);
    wait();
  };
  const wait = (): void => {
    clearTimeout(ending);
    const ms = assembler.quietMs();
    if (ms !== undefined) ending = setTimeout(settle, ms);
  };
  const settle = (): void => {
    const started = ending;
    // Between a timer and `setImmediate` Node reads all input that has arrived.
    setImmediate(() => {
      if (ending !== started || assembler.quietMs() === undefined) return;
      const ready = waiting.length > 0 ? '' : assembler.settle();
      if (ready !== '') output.write(ready);
      wait();
    });
  };
  const onData = (chunk: string): void => {
    waiting.push(...(isStarting() ? linesOf(chunk) : [chunk]));
    if (next === undefined) passOn();
  };
  const stream = Object.assign(output, {
    isTTY: terminal.isTTY,
    setRawMode(isOn: boolean) {
      terminal.setRawMode(isOn);
      terminal.off('data', onData);
      clearImmediate(next);
      clearTimeout(ending);
      assembler = createPasteAssembler();
      if (isOn) {
        terminal.setEncoding('utf8').on('data', onData).resume();
        passOn();
      } else terminal.pause();
      return stream;
    },
    ref() {
      terminal.ref();
      return stream;
    },
    unref() {
      terminal.unref();
      return stream;
    },
  });
  return stream as unknown as NodeJS.ReadStream;
}

/** What follows an end mark within this time, in ms, is pasted: a user types later, even over a slow connection. */
const ENDING_MS = 10;

/** Input without a pause of this length, in ms, may still belong to the paste, if the connection stalled at an end mark. */
const BURST_MS = 150;

const linesOf = (text: string): string[] => text.split(/(?<=\r)/);

/** Ctrl+C, plain and in the kitty protocol. */
const INTERRUPTS: ReadonlySet<string> = new Set(['\u0003', '\u001B[99;5u']);

const ENTER = '\r';

/** Enter in all encodings, and Ctrl+M, which means the same. */
const enters = /\r|\u001B(?:OM|\[(?:13|57414|109)(?:[;:][\d;:]*)?u|\[27;\d+;13~)/g;

interface PasteAssembler {
  /** Returns what can be emitted when a chunk arrives. */
  take(piece: string): string;
  /** If no input arrives for this time in ms, `settle` is to be called; undefined: nothing is held back. */
  quietMs(): number | undefined;
  /** Returns the text that was held back when nothing follows. */
  settle(): string;
}

/**
 * Holds back the content of a paste until it is complete. The pasted bytes may contain an end mark, which not every
 * terminal removes: what follows a mark immediately is pasted text, because a user types later. Only the start of the
 * next paste may follow, or one Enter and nothing else: after pasted text there would be another mark. If the rest comes
 * a little later, it is taken for keys, but sends nothing: until input pauses, an Enter counts only if it comes alone and
 * nothing but another one follows; others are pasted line breaks. A paste whose end never arrives (a cut connection, a
 * terminal that lost it) would block the keyboard forever, so Ctrl+C ends it.
 */
export function createPasteAssembler(): PasteAssembler {
  let held: string[] | undefined;
  // The newest held characters, because a mark may be split across chunks.
  let seam = '';
  let isEnding = false;
  let tail = '';
  /** The beginning of a start mark. */
  let opening = '';
  /** True from the end of a paste until input pauses. */
  let isBurst = false;
  /** An Enter in that time that nothing has followed yet. */
  let enter = '';

  function settle(): string {
    if (held !== undefined) {
      enter = tail === end + ENTER ? ENTER : '';
      const text = held.join('').slice(start.length) + (enter === '' ? tail : '');
      held = undefined;
      isEnding = false;
      tail = '';
      isBurst = true;
      return asPaste(text);
    }
    if (opening !== '') {
      const keys = opening;
      opening = '';
      return asKeys(keys);
    }
    const key = enter;
    isBurst = false;
    enter = '';
    return key;
  }

  function asKeys(text: string): string {
    if (!isBurst || text === '') return text;
    const before = enter;
    const lines = text.replace(enters, ENTER);
    enter = lines === ENTER ? text : '';
    if (enter !== '') return before;
    return before === '' && !lines.includes(ENTER) ? text : lineBreak(before) + asPaste(lines);
  }

  function takeAfterEnd(piece: string): string {
    tail += piece;
    if (!tail.slice(end.length).startsWith(start.slice(0, tail.length - end.length))) return '';
    if (tail.length < end.length + start.length) return '';
    const next = tail.slice(end.length);
    tail = end;
    return settle() + take(next);
  }

  function take(piece: string): string {
    if (isEnding) return takeAfterEnd(piece);
    if (held !== undefined) {
      if (INTERRUPTS.has(piece)) {
        held = undefined;
        return piece;
      }
      const recent = seam + piece;
      const at = recent.indexOf(end);
      if (at === -1) {
        held.push(piece);
        seam = recent.slice(1 - end.length);
        return '';
      }
      const text = held.join('') + piece;
      const stop = text.length - (recent.length - at);
      held = [text.slice(0, stop)];
      isEnding = true;
      return takeAfterEnd(text.slice(stop));
    }
    const keys = opening + piece;
    const from = keys.indexOf(start);
    opening = from === -1 ? startOfMark(keys) : '';
    if (from === -1) return asKeys(keys.slice(0, keys.length - opening.length));
    const before = asKeys(keys.slice(0, from)) + lineBreak(enter);
    isBurst = false;
    enter = '';
    held = [start];
    seam = '';
    return before + take(keys.slice(from + start.length));
  }

  function quietMs(): number | undefined {
    if (isEnding || opening !== '') return ENDING_MS;
    return isBurst ? BURST_MS : undefined;
  }

  return { take, quietMs, settle };
}

const lineBreak = (enter: string): string => (enter === '' ? '' : asPaste(ENTER));

const asPaste = (text: string): string => start + withoutMarks(text) + end;

/** The end of the text, if a start mark may begin there. */
function startOfMark(text: string): string {
  const from = text.lastIndexOf('\u001B');
  return from !== -1 && start.startsWith(text.slice(from)) ? text.slice(from) : '';
}

/** The text without marks, also without those that appear when others are removed. */
function withoutMarks(text: string): string {
  const plain = text.replaceAll(start, '').replaceAll(end, '');
  return plain.includes(start) || plain.includes(end) ? plain.replaceAll('\u001B', '') : plain;
}

/** Joins two drafts. A command among several lines would run all of them, so it becomes text. */
export const stacked = (above: string, below: string): string =>
  `${/^[!/]/.test(above) ? ' ' : ''}${above}\n${below}`;
