/** From Ink's input events to strokes: keys under one name each, whatever protocol the terminal speaks, and text. */
import type { Key } from 'ink';

/** The parts of Ink's key event that are used here. */
export type KeyEvent = Partial<Key>;

/** A key by its name, such as `ctrl+g`, `alt+shift+b`, `f2` or `enter`; or text that was typed. */
export type Stroke =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'text'; readonly text: string };

/**
 * The strokes of one input event. Ink hands over in one event what arrived in one piece, so fast typing (or a slow
 * line) can bring text and Enter together: control characters at its ends are keys, line breaks inside it are a
 * paste by a terminal without bracketed paste. `raw` is what the terminal sent: Ink does not tell function keys.
 */
export function strokesOf(input: string, key: KeyEvent, raw = ''): readonly Stroke[] {
  // The Super and Hyper keys belong to the desktop, even where a terminal reports them.
  if (key.eventType === 'release' || key.super || key.hyper) return [];
  // Two escapes in one piece are two presses.
  if (key.escape) return key.meta ? [stroke('escape'), stroke('escape')] : [stroke('escape')];
  const name = nameOf(key) ?? (input === '' ? functionKey(raw) : undefined);
  if (name !== undefined) return [stroke(name, key)];
  if (key.ctrl) return input === '' ? [] : [controlStroke(input, key)];
  if (key.meta) return input === '' ? [] : [stroke(letterOf(input), { ...key, shift: isUpper(input) })];
  return input.length > 1 ? strokesOfChunk(input) : strokesOfCharacter(input);
}

/** What terminals without the kitty protocol send for both keys has one name. */
const sameKey: Readonly<Record<string, string>> = { i: 'tab', m: 'enter', '[': 'escape', h: 'backspace' };

function nameOf(key: KeyEvent): string | undefined {
  if (key.return) return 'enter';
  if (key.tab) return 'tab';
  if (key.upArrow) return 'up';
  if (key.downArrow) return 'down';
  if (key.leftArrow) return 'left';
  if (key.rightArrow) return 'right';
  if (key.home) return 'home';
  if (key.end) return 'end';
  if (key.backspace) return 'backspace';
  if (key.delete) return 'delete';
  if (key.pageUp) return 'pageup';
  if (key.pageDown) return 'pagedown';
  return undefined;
}

/** Numbers that terminals send between `ESC [` and `~`, as xterm and its kin have them. */
const numbered: Readonly<Record<string, string>> = {
  2: 'insert',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};
const lettered: Readonly<Record<string, string>> = { P: 'f1', Q: 'f2', R: 'f3', S: 'f4' };

/** F1 to F12 and Insert by what the terminal sent; undefined for others. */
export function functionKey(raw: string): string | undefined {
  const [, number, letter] = /^\x1b(?:\[(\d+)(?:;[\d:]*)?~|(?:O|\[(?:1;[\d:]*)?)([PQRS]))$/.exec(raw) ?? [];
  return numbered[number ?? ''] ?? lettered[letter ?? ''];
}

function strokesOfChunk(chunk: string): readonly Stroke[] {
  const [, before = '', body = '', after = ''] = /^([\x00-\x1F]*)([\s\S]*?)([\x00-\x1F]*)$/.exec(chunk) ?? [];
  const keys = (controls: string): Stroke[] => [...controls].flatMap(strokesOfCharacter);
  const strokes = body
    .split(/([\x00-\x08\x0B\x0C\x0E-\x1F\x7F])/)
    .flatMap((part, index) => (index % 2 === 1 ? keys(part) : part === '' ? [] : [text(part)]));
  return [...keys(before), ...strokes, ...keys(after)];
}

function strokesOfCharacter(character: string): readonly Stroke[] {
  if (character === '') return [];
  if (character === '\u007F') return [stroke('backspace')];
  const code = character.charCodeAt(0);
  if (code > 31) return [text(character)];
  if (code === 0) return [stroke('ctrl+space')];
  return [controlStroke(String.fromCharCode(code + (code <= 26 ? 96 : 64)), {})];
}

function controlStroke(input: string, key: KeyEvent): Stroke {
  const letter = letterOf(input);
  const same = key.meta ? undefined : sameKey[letter];
  return same === undefined ? stroke(letter, { ...key, ctrl: true }) : stroke(same);
}

const letterOf = (input: string): string => (input === ' ' ? 'space' : input.toLowerCase());
const isUpper = (input: string): boolean => input !== input.toLowerCase();
const text = (typed: string): Stroke => ({ type: 'text', text: typed });
const stroke = (name: string, { ctrl, meta, shift }: KeyEvent = {}): Stroke => ({
  type: 'key',
  key: `${ctrl ? 'ctrl+' : ''}${meta ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`,
});
