/** Strokes, from what Ink reports, and how they are written: in `keybindings.json` and for people. Pure. */
import type { Key } from 'ink';

// From Ink's input events to strokes: keys under one name each, whatever protocol the terminal speaks, and text.

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

// How keys are written: `ctrl+g`, `alt+p`, `shift+tab`, `f2`, and chords such as `ctrl+x ctrl+e`.

/** The canonical name, one space between the keys of a chord; or why there is no such key. */
type ParsedKeys =
  | { readonly type: 'keys'; readonly keys: string }
  | { readonly type: 'impossible'; readonly reason: string };

/** Longest chord. */
const MAX_KEYS = 3;

/** Parses what a person wrote; upper and lower case, `Ctrl-G`, `C-g`, `M-p`, `Option+p` are all understood. */
export function parseKeys(notation: string): ParsedKeys {
  const parts = notation.trim().split(/\s+/).filter(Boolean);
  if (parts.length === 0) return impossible('no key is named');
  if (parts.length > MAX_KEYS) return impossible(`a chord has ${MAX_KEYS} keys at most`);
  const keys: string[] = [];
  for (const part of parts) {
    const parsed = parseKey(part);
    if (parsed.type === 'impossible') return parsed;
    keys.push(parsed.keys);
  }
  if (keys.length > 1 && isText(keys[0] ?? ''))
    return impossible('a chord cannot begin with a key that types text');
  return { type: 'keys', keys: keys.join(' ') };
}

/** As people read it: `Ctrl+X Ctrl+E`, `Shift+Tab`, `↑`. */
export function showKeys(keys: string): string {
  return keys.split(' ').map(showKey).join(' ');
}

/** True for a key that types a character where no modifier is held. */
export function isText(key: string): boolean {
  return key === 'space' || [...key].length === 1;
}

const modifiers: Readonly<Record<string, 'ctrl' | 'alt' | 'shift' | 'super'>> = {
  ctrl: 'ctrl',
  control: 'ctrl',
  c: 'ctrl',
  alt: 'alt',
  meta: 'alt',
  option: 'alt',
  opt: 'alt',
  m: 'alt',
  shift: 'shift',
  s: 'shift',
  cmd: 'super',
  command: 'super',
  super: 'super',
  win: 'super',
  hyper: 'super',
};

const named: Readonly<Record<string, string>> = {
  enter: 'enter',
  return: 'enter',
  tab: 'tab',
  escape: 'escape',
  esc: 'escape',
  space: 'space',
  backspace: 'backspace',
  delete: 'delete',
  del: 'delete',
  insert: 'insert',
  ins: 'insert',
  up: 'up',
  down: 'down',
  left: 'left',
  right: 'right',
  home: 'home',
  end: 'end',
  pageup: 'pageup',
  pgup: 'pageup',
  pagedown: 'pagedown',
  pgdn: 'pagedown',
  plus: '+',
  ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${at + 1}`, `f${at + 1}`])),
};

/** What a terminal sends for these is what it sends for the other key. */
const sentAs: Readonly<Record<string, string>> = {
  'ctrl+i': 'Tab',
  'ctrl+m': 'Enter',
  'ctrl+[': 'Esc',
  'ctrl+h': 'Backspace',
};

const shown: Readonly<Record<string, string>> = {
  ctrl: 'Ctrl',
  alt: 'Alt',
  shift: 'Shift',
  enter: 'Enter',
  tab: 'Tab',
  escape: 'Esc',
  space: 'Space',
  backspace: 'Backspace',
  delete: 'Delete',
  insert: 'Insert',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  home: 'Home',
  end: 'End',
  pageup: 'PgUp',
  pagedown: 'PgDn',
};

function parseKey(written: string): ParsedKeys {
  const held = new Set<'ctrl' | 'alt' | 'shift'>();
  let rest = written;
  for (;;) {
    const [whole, word = '', after = ''] = /^([a-z]+)[+-](.+)$/is.exec(rest) ?? [];
    if (whole === undefined) break;
    const modifier = modifiers[word.toLowerCase()];
    if (modifier === undefined) return impossible(`“${word}” is no modifier (ctrl, alt, shift)`);
    if (modifier === 'super')
      return impossible(`${word} is taken by the desktop and never reaches a program`);
    held.add(modifier);
    rest = after;
  }
  const isOne = [...rest].length === 1;
  const name = isOne ? rest.toLowerCase() : named[rest.toLowerCase()];
  if (name === undefined) return impossible(`“${rest}” is no key`);
  // With a modifier people write capitals for what is no capital: Ctrl+G.
  if (isOne && rest !== name && held.size === 0) held.add('shift');
  return checkKey(name, held);
}

function checkKey(name: string, held: ReadonlySet<'ctrl' | 'alt' | 'shift'>): ParsedKeys {
  // With nothing else held, Shift and a letter is that letter.
  if (held.size === 1 && held.has('shift') && isText(name)) {
    if (name === 'space') return impossible('terminals send Shift+Space as a space');
    return { type: 'keys', keys: name.toUpperCase() };
  }
  const key = `${held.has('ctrl') ? 'ctrl+' : ''}${held.has('alt') ? 'alt+' : ''}${held.has('shift') ? 'shift+' : ''}${name}`;
  const same = sentAs[key];
  if (same !== undefined) return impossible(`terminals send ${showKeys(key)} as ${same}`);
  if (held.has('ctrl') && held.has('shift') && /^[a-z]$/.test(name))
    return impossible(`most terminals send ${showKeys(key)} as ${showKeys(key.replace('shift+', ''))}`);
  if (held.has('ctrl') && /^[0-9!"#$%&'()*+,.:;<=>|~]$/.test(name))
    return impossible(`terminals do not send ${showKeys(key)}`);
  return { type: 'keys', keys: key };
}

function showKey(key: string): string {
  const at = key.lastIndexOf('+', key.length - 2);
  const name = key.slice(at + 1);
  const before = at === -1 ? [] : key.slice(0, at).split('+');
  const last = shown[name] ?? (before.length > 0 || /^f\d+$/.test(name) ? name.toUpperCase() : name);
  return [...before.map((modifier) => shown[modifier] ?? modifier), last].join('+');
}

const impossible = (reason: string): ParsedKeys => ({ type: 'impossible', reason });
