/**
 * Programs with which hooks notify the user or a service, and the arguments with which they neither load nor write
 * anything. They are not in the permission tables, since the model's calls of them need approval.
 */
import { delimiter, isAbsolute, join } from 'node:path';
import { lstatOf } from '../../disk/fileLookups.ts';
import { type OptionList, readOptions } from '../../permissions/options/readOptions.ts';

/** A word with its source; the value null is known only at run time. */
interface CallWord {
  readonly value: string | null;
  readonly source: string;
}

/** A call of a system program by name. */
export interface PlainCall {
  readonly name: string;
  readonly args: readonly CallWord[];
}

/** True if the program only notifies, and none of its words makes it do more. */
export function plainCall({ name, args }: PlainCall): boolean {
  const words = args.map(wordText);
  if (words.some((word) => word === undefined)) return false;
  const texts = words.filter((word) => word !== undefined);
  if (name === 'notify-send') return true;
  if (name === 'terminal-notifier') return notifies(texts);
  if (name === 'osascript')
    return texts.length === 2 && texts[0] === '-e' && appleScript.test(texts[1] ?? '');
  if (name === 'curl') return requests(texts);
  return sounds.test(name) && !texts.some(isOpen);
}

/** Sound, speech, clipboard and log programs, except players that follow playlists. */
const sounds =
  /^(?:say|spd-say|espeak|espeak-ng|afplay|aplay|paplay|pw-play|canberra-gtk-play|pbcopy|wl-copy|xclip|logger)$/;

/** Programs that exist only on some systems, which a script for several of them may name. */
const ofSystems = /^(?:notify-send|terminal-notifier|osascript|growlnotify|dunstify|zenity|kdialog)$/;

/** True if a program that would notify the user is in no folder of the PATH, so that its call does nothing. */
export function isMissing({ name }: PlainCall, path: string | undefined): boolean {
  if (path === undefined || !(ofSystems.test(name) || sounds.test(name))) return false;
  return path
    .split(delimiter)
    .every((folder) => isAbsolute(folder) && lstatOf(join(folder, name)) === undefined);
}

/** Stands for text known only at run time, after known text. */
const AFTER_TEXT = '\u0001';
/** A word that the shell inserts: it could be an option. */
const OPEN = '\u0002';
/** The same, from a variable of the user: the command cannot set those in capitals. */
const OF_USER = '\u0003';

const isOpen = (word: string): boolean => word === OPEN || word === OF_USER;
const isUnknown = (word: string): boolean => isOpen(word) || word === AFTER_TEXT;

/** The text of a word; undefined if it may become several. */
function wordText({ value, source }: CallWord): string | undefined {
  if (value !== null) return /[\u0001-\u0003]/.test(value) ? undefined : value;
  if (!/^"(?:[^"\\]|\\.)*"$/s.test(source)) return undefined;
  if (/^"\$(?:\{(?!CLA)[A-Z][A-Z0-9_]*\}|(?!CLA)[A-Z][A-Z0-9_]*)"$/.test(source)) return OF_USER;
  return /^"[^$`\\@-]/.test(source) ? AFTER_TEXT : OPEN;
}

/** Without `-execute` and `-open`. */
function notifies(words: readonly string[]): boolean {
  const option =
    /^-(?:message|title|subtitle|sound|group|appIcon|contentImage|activate|sender|remove|list|timeout)$/;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '-ignoreDnD') continue;
    at += 1;
    const value = words[at];
    // A value known only at run time may turn out to be an option; its own value is then the next literal word, if any.
    if (!option.test(word) || value === undefined || value.startsWith('-')) return false;
  }
  return true;
}

/** One literal statement. Text from a variable could end the string, and `do shell script` could follow. */
const appleScript =
  /^(?:beep(?: \d+)?|say "[^"\\]*"|display notification "[^"\\]*"(?: (?:with title|subtitle|sound name) "[^"\\]*")*)$/;

const curl: OptionList = {
  flags: 'sSfLiIGgkv46',
  values: 'XHdmAuwo',
  long: [
    '--silent',
    '--show-error',
    '--fail',
    '--location',
    '--include',
    '--head',
    '--get',
    '--insecure',
    '--compressed',
  ],
  longValues: [
    ...[
      '--request',
      '--header',
      '--data',
      '--data-raw',
      '--data-binary',
      '--data-urlencode',
      '--json',
      '--url',
    ],
    ...[
      '--form-string',
      '--max-time',
      '--connect-timeout',
      '--retry',
      '--retry-delay',
      '--user-agent',
      '--user',
    ],
    ...['--output', '--write-out'],
  ],
};

/** Without a scheme, curl guesses it from the host name (`ftp.…`), else uses http, and never `file`. */
const webAddress =
  /^(?:https?:\/\/|(?:[a-z\d-]+\.)+[a-z\d-]+(?::\d+)?(?:[/?#]|$)|localhost(?::\d+)?(?:[/?#]|$))/i;

/**
 * True for a request whose response is printed or dropped. It may send a file (`-d @x`, or text that begins with `@`):
 * that is what the user's own command says, and nothing that is sent runs on this machine.
 */
function requests(words: readonly string[]): boolean {
  const read = readOptions(words, curl);
  if (read === undefined) return false;
  const isAddress = (word: string | null): boolean =>
    word === OF_USER || word === AFTER_TEXT || webAddress.test(word ?? '');
  return (
    read.operands.every(isAddress) &&
    read.options.every(({ name, value }) => {
      const text = value ?? '';
      if (name === '-o' || name === '--output') return text === '/dev/null';
      // `%output{file}` writes.
      if (name === '-w' || name === '--write-out') return !isUnknown(text) && !/^@|%output/.test(text);
      return name !== '--url' || isAddress(text);
    })
  );
}
