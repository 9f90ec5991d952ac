/** How keys are written: `ctrl+g`, `alt+p`, `shift+tab`, `f2`, and chords such as `ctrl+x ctrl+e`. */

/** The canonical name, one space between the keys of a chord; or why there is no such key. */
export type ParsedKeys =
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
