import type { Key } from 'ink';
import type { Edit, Move } from './textBuffer.ts';

/**
 * What a key asks of whoever owns the composer: Ctrl+C (`clear_or_exit`; a running turn is interrupted first),
 * Shift+Tab, Ctrl+D on an empty composer (`eof`), Ctrl+L and Esc.
 */
export type Intent = 'clear_or_exit' | 'cycle_mode' | 'eof' | 'redraw' | 'escape';

/** What a key means in the composer, before popup, history and buffer decide what comes of it. */
export type Command =
  | { readonly type: 'edit'; readonly edit: Edit }
  | { readonly type: 'enter' | 'newline' | 'up' | 'down' | 'tab' | 'escape' }
  /** Ctrl+D deletes the next character, or ends an empty composer. */
  | { readonly type: 'delete_or_eof' }
  | { readonly type: 'intent'; readonly intent: Intent };

/** The parts of Ink's key event that are used here. */
export type KeyEvent = Partial<Key>;

/**
 * Commands for one Ink input event. Ink hands over in one event what arrived in one piece, so fast typing
 * (or a slow line) can bring `text` and Enter together: control characters at its ends are keys, line breaks
 * inside it are a paste by a terminal without bracketed paste.
 */
export function commandsOf(input: string, key: KeyEvent): readonly Command[] {
  // The Super and Hyper keys belong to the desktop, even where a terminal reports them.
  if (key.eventType === 'release' || key.super || key.hyper) return [];
  const named = namedKey(key) ?? (key.ctrl ? controlKey(input) : undefined) ?? metaKey(input, key);
  if (named !== undefined) return named;
  return input.length > 1 ? commandsOfChunk(input) : commandsOfCharacter(input);
}

function namedKey(key: KeyEvent): readonly Command[] | undefined {
  const far = key.ctrl === true || key.meta === true;
  if (key.return) return [{ type: key.shift || key.meta || key.ctrl ? 'newline' : 'enter' }];
  if (key.tab) return key.shift ? intent('cycle_mode') : [{ type: 'tab' }];
  // Two escapes in one piece are two presses.
  if (key.escape) return key.meta ? [{ type: 'escape' }, { type: 'escape' }] : [{ type: 'escape' }];
  if (key.upArrow) return [{ type: 'up' }];
  if (key.downArrow) return [{ type: 'down' }];
  if (key.leftArrow) return move(far ? 'word_left' : 'left');
  if (key.rightArrow) return move(far ? 'word_right' : 'right');
  if (key.home) return move(far ? 'start' : 'line_start');
  if (key.end) return move(far ? 'end' : 'line_end');
  if (key.backspace) return edit(far ? 'kill_word_backward' : 'delete_backward');
  if (key.delete) return edit(far ? 'kill_word_forward' : 'delete_forward');
  if (key.pageUp || key.pageDown) return [];
  return undefined;
}

/** Control with a letter, as the kitty protocol and ordinary terminals deliver it; unknown ones are left to others. */
function controlKey(letter: string): readonly Command[] {
  switch (letter.toLowerCase()) {
    case 'a':
      return move('line_start');
    case 'e':
      return move('line_end');
    case 'f':
      return move('right');
    case 'p':
      return [{ type: 'up' }];
    case 'n':
      return [{ type: 'down' }];
    case 'k':
      return edit('kill_to_line_end');
    case 'u':
      return edit('kill_to_line_start');
    case 'w':
      return edit('kill_blank_word_backward');
    case 'y':
      return edit('yank');
    case 'h':
      return edit('delete_backward');
    case '_':
    case '-':
    case '/':
      return edit('undo');
    case 'j':
      return [{ type: 'newline' }];
    case 'm':
      return [{ type: 'enter' }];
    case 'i':
      return [{ type: 'tab' }];
    case '[':
      return [{ type: 'escape' }];
    case 'c':
      return intent('clear_or_exit');
    case 'd':
      return [{ type: 'delete_or_eof' }];
    case 'l':
      return intent('redraw');
    default:
      return [];
  }
}

function metaKey(input: string, key: KeyEvent): readonly Command[] | undefined {
  if (!key.meta) return undefined;
  switch (input.toLowerCase()) {
    case 'b':
      return move('word_left');
    case 'f':
      return move('word_right');
    case 'd':
      return edit('kill_word_forward');
    case 'y':
      return edit('yank_pop');
    case '<':
      return move('start');
    case '>':
      return move('end');
    default:
      return [];
  }
}

function commandsOfChunk(chunk: string): readonly Command[] {
  const [, before = '', body = '', after = ''] = /^([\x00-\x1F]*)([\s\S]*?)([\x00-\x1F]*)$/.exec(chunk) ?? [];
  const keys = (controls: string): Command[] => [...controls].flatMap(commandsOfCharacter);
  const commands = body
    .split(/([\x00-\x08\x0B\x0C\x0E-\x1F])/)
    .flatMap((part, index) => (index % 2 === 1 ? keys(part) : part === '' ? [] : [insert(part)]));
  return [...keys(before), ...commands, ...keys(after)];
}

function commandsOfCharacter(character: string): readonly Command[] {
  if (character === '') return [];
  if (character === '\u007F') return edit('delete_backward');
  const code = character.charCodeAt(0);
  if (code > 31) return [insert(character)];
  return controlKey(String.fromCharCode(code + (code <= 26 && code > 0 ? 96 : 64)));
}

const insert = (text: string): Command => ({ type: 'edit', edit: { type: 'insert', text } });
const move = (to: Move): readonly Command[] => [{ type: 'edit', edit: { type: 'move', to } }];
const intent = (name: Intent): readonly Command[] => [{ type: 'intent', intent: name }];
const edit = (
  type: Exclude<Edit, { text: string } | { units: unknown } | { to: unknown }>['type'],
): readonly Command[] => [{ type: 'edit', edit: { type } }];
