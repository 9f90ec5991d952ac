/** The transcript's keyboard, from bytes to keys, and its status row. */
import { joinWithDots, keyHints } from '../keys/keyHints.ts';
import type { DialogFocus, Keymap } from '../keys/keymap.ts';
import { functionKey, type Stroke } from '../keys/strokes.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { padEnd, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';

// Keys from bytes, for a view that reads the terminal itself.

/** Milliseconds after which a lone escape byte is the Esc key, not the start of a sequence. */
export const ESCAPE_WAIT_MS = 30;

/** Parses keys; `rest` may still become a sequence. Esc together with a character is read as Alt. */
export function readKeys(input: string): { readonly keys: readonly Stroke[]; readonly rest: string } {
  const keys: Stroke[] = [];
  const add = (key: string | undefined): void => {
    if (key !== undefined) keys.push({ type: 'key', key });
  };
  let at = 0;
  while (at < input.length) {
    const text = /^[^\u0000-\u001f\u007f]+/.exec(input.slice(at))?.[0];
    if (text !== undefined) {
      keys.push({ type: 'text', text });
      at += text.length;
      continue;
    }
    if (input[at] !== '\u001B') {
      add(controlName(input.charCodeAt(at)));
      at += 1;
      continue;
    }
    const sequence = /^\u001B(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|O[\x20-\x7e])/.exec(
      input.slice(at),
    )?.[0];
    if (sequence !== undefined) {
      add(sequenceName(sequence));
      at += sequence.length;
      continue;
    }
    if (/^\u001B(?:$|[[O][\x20-\x3f]*$)/.test(input.slice(at))) return { keys, rest: input.slice(at) };
    const [, character] = /^\u001B([^\u0000-\u001f\u007f[O])/u.exec(input.slice(at)) ?? [];
    add(character === undefined ? 'escape' : altName(character));
    at += 1 + (character?.length ?? 0);
  }
  return { keys, rest: '' };
}

/**
 * The possible readings of a key; the first one that is bound applies. Modifiers of named keys are ignored unless
 * bound, and so is Alt: on a slow connection, Esc and a letter may arrive together.
 */
export function meaningsOf(stroke: Stroke): readonly (readonly Stroke[])[] {
  if (stroke.type === 'text') return [[stroke]];
  if (stroke.key === 'ctrl+j') return [[stroke], [key('enter')]];
  const [, modifiers = '', name = ''] = /^((?:ctrl\+|alt\+|shift\+)*)(.+)$/su.exec(stroke.key) ?? [];
  if (modifiers === '') return [[stroke]];
  if ([...name].length > 1 && name !== 'space') return [[stroke], [key(name)]];
  if (!modifiers.startsWith('alt+')) return [[stroke]];
  const typed = name === 'space' ? ' ' : modifiers === 'alt+shift+' ? name.toUpperCase() : name;
  return [[stroke], [key('escape'), { type: 'text', text: typed }]];
}

const key = (name: string): Stroke => ({ type: 'key', key: name });

function controlName(code: number): string {
  if (code === 0x7f || code === 8) return 'backspace';
  if (code === 13) return 'enter';
  if (code === 9) return 'tab';
  return code === 0 ? 'ctrl+space' : `ctrl+${String.fromCharCode(code + 64).toLowerCase()}`;
}

function altName(character: string): string {
  if (character === ' ') return 'alt+space';
  const small = character.toLowerCase();
  // Some capitals cannot be restored from their lower-case letter; they stay unchanged.
  return small !== character && small.toUpperCase() === character ? `alt+shift+${small}` : `alt+${character}`;
}

/** Adds the modifiers: the number after the semicolon is 1 plus Shift 1, Alt 2, Control 4. */
function sequenceName(sequence: string): string | undefined {
  const [, number = '', modifiers = '1', final = ''] =
    /^\u001B[[O](\d*)(?:;(\d+))?[;\d]*([~A-Za-z])$/.exec(sequence) ?? [];
  if (sequence === '\u001B[Z') return 'shift+tab';
  const name = functionKey(sequence) ?? (final === '~' ? byNumber[number] : byFinal[final]);
  if (name === undefined) return undefined;
  const held = Number(modifiers) - 1;
  return `${held & 4 ? 'ctrl+' : ''}${held & 2 ? 'alt+' : ''}${held & 1 ? 'shift+' : ''}${name}`;
}

const byFinal: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  M: 'enter',
};

const byNumber: Readonly<Record<string, string>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
};

/** The status row at the bottom: question, message, position and keys. Pure. */
interface TranscriptStatus {
  /** The tool that needs approval, in the dialog behind this view. */
  readonly question: string | undefined;
  /** The result of the last key, such as `match 3 of 17`. */
  readonly message: string | undefined;
  readonly isBusy: boolean;
  readonly isAtEnd: boolean;
  /** Position of the top entry and of the newest one. */
  readonly seq: number | undefined;
  readonly lastSeq: number;
}

/** Where the view's keys are read, except in the search field. */
export const transcriptFocus: DialogFocus = { contexts: ['Transcript'], typing: 'keys' };

export function statusRow(facts: TranscriptStatus, width: number, theme: Theme, keymap: Keymap): string {
  const place = placeText(facts);
  if (facts.question !== undefined) {
    const asks = `${sanitizeLine(facts.question)} asks: ${exitKey(keymap)} goes back to answer`;
    return theme.warning(truncate(asks, width));
  }
  const left =
    facts.message ?? (facts.isBusy && facts.isAtEnd ? `working · ${keysText(keymap)}` : keysText(keymap));
  const room = width - textWidth(place) - 1;
  if (room < 8) return theme.dim(truncate(facts.message ?? place, width));
  const paint = facts.message === undefined ? theme.dim : theme.accent;
  return `${paint(padEnd(truncate(left, room), room))} ${theme.dim(place)}`;
}

function placeText({ isAtEnd, seq, lastSeq }: TranscriptStatus): string {
  if (isAtEnd || seq === undefined) return `#${lastSeq} end`;
  return `#${seq} of #${lastSeq}`;
}

function keysText(keymap: Keymap): string {
  const hints = keyHints(keymap, transcriptFocus);
  const search = hints.keys(
    'transcript:search',
    'transcript:searchBack',
    'transcript:searchNext',
    'transcript:searchPrevious',
  );
  const prompts = hints.keys('transcript:previousPrompt', 'transcript:nextPrompt');
  return joinWithDots(
    `${exitKey(keymap)} back`,
    hints.keys(
      'scroll:lineUp',
      'scroll:lineDown',
      'scroll:pageUp',
      'scroll:pageDown',
      'scroll:top',
      'scroll:bottom',
    ),
    search && `${search} search`,
    prompts && `${prompts} prompts`,
  );
}

function exitKey(keymap: Keymap): string {
  return keyHints(keymap, transcriptFocus).key('transcript:exit') ?? 'Esc';
}
