/** Converts Ink's input events to keys and text, and parses and formats key names. Pure. */
import type { Key } from 'ink';

/** The parts of Ink's key event that are used here. */
type KeyEvent = Partial<Key>;

/** A key by name, such as `ctrl+g`, `alt+shift+b`, `f2` or `enter`, whatever the terminal's protocol; or typed text. */
export type Stroke =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'text'; readonly text: string };

/**
 * Returns the keys and texts of one input event. Ink reports everything that arrived together as one event, so fast
 * typing or a slow connection can combine text and Enter: control characters at the ends are keys, line breaks inside
 * are a paste from a terminal without bracketed paste. `raw`: the bytes from the terminal, since Ink does not identify
 * function keys.
 */
export function strokesOf(input: string, key: KeyEvent, raw = ''): readonly Stroke[] {
  // Super and Hyper belong to the desktop, even if a terminal reports them.
  if (key.eventType === 'release' || key.super || key.hyper) return [];
  // Two escapes in one event are two key presses.
  if (key.escape) return key.meta ? [stroke('escape'), stroke('escape')] : [stroke('escape')];
  const name = nameOf(key) ?? (input === '' ? functionKey(raw) : undefined);
  if (name !== undefined) return [stroke(name, key)];
  if (key.ctrl) return input === '' ? [] : [controlStroke(input, key)];
  if (key.meta) return input === '' ? [] : [stroke(letterOf(input), { ...key, shift: isUpper(input) })];
  return input.length > 1 ? strokesOfChunk(input) : strokesOfCharacter(input);
}

/** Terminals without the kitty protocol send the same byte for both keys, so both get the same name. */
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

/** Numbers between `ESC [` and `~`, as in xterm. */
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

/** Identifies F1 to F12 and Insert from the raw sequence; undefined for others. */
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

// Notation of keys: `ctrl+g`, `alt+p`, `shift+tab`, `f2`, and chords such as `ctrl+x ctrl+e`.

/** The canonical name, with one space between the keys of a chord; or the reason why there is no such key. */
type ParsedKeys =
  | { readonly type: 'keys'; readonly keys: string }
  | { readonly type: 'impossible'; readonly reason: string };

/** Maximum keys in a chord. */
const MAX_KEYS = 3;

/** Parses a key as users write it: case is ignored, and `Ctrl-G`, `C-g`, `M-p` and `Option+p` are accepted. */
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

/** Formats keys for display: `Ctrl+X Ctrl+E`, `Shift+Tab`, `↑`. */
export function showKeys(keys: string): string {
  return keys.split(' ').map(showKey).join(' ');
}

/** True for a key that types a character when pressed without a modifier. */
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

/** Keys that terminals cannot distinguish from another one, and that one's name. */
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
    if (modifier === undefined) return impossible(`“${word}” is not a modifier (ctrl, alt, shift)`);
    if (modifier === 'super')
      return impossible(`${word} is taken by the desktop and never reaches a program`);
    held.add(modifier);
    rest = after;
  }
  const isOne = [...rest].length === 1;
  const name = isOne ? rest.toLowerCase() : named[rest.toLowerCase()];
  if (name === undefined) return impossible(`“${rest}” is not a key`);
  // With a modifier, users write capitals without meaning Shift: Ctrl+G.
  if (isOne && rest !== name && held.size === 0) held.add('shift');
  return checkKey(name, held);
}

function checkKey(name: string, held: ReadonlySet<'ctrl' | 'alt' | 'shift'>): ParsedKeys {
  // Shift with a letter and no other modifier is the capital letter.
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
