/** What stands on the screen before it is loaded, and what was typed there. */
import type { Theme } from './theme/theme.ts';

export interface Echo {
  /** The draft so far, as the composer would have it. */
  readonly draft: string;
  /** What has to be handed to the composer as keys. */
  readonly rest: string;
}

/**
 * What keys that were typed before the real composer is there have made of the draft. Only what cannot be got wrong:
 * printable ASCII that opens no list and no page, and the backspace; the composer gets everything from the first
 * other byte on.
 */
export function echoOf(typed: string): Echo {
  let draft = '';
  let at = 0;
  for (; at < typed.length; at++) {
    const character = typed[at] ?? '';
    if (character === '\u007F') draft = draft.slice(0, -1);
    else if (plain.test(character)) draft += character;
    else break;
  }
  return { draft, rest: typed.slice(at) };
}

/** Without `/ @ ! ?`. */
const plain = /[ "-.0-9:->A-~]/;

/**
 * What was typed while the terminal still edited lines, as the keys that were pressed: there Enter becomes a line feed,
 * which from a keyboard of ours is Ctrl+J.
 */
export function rawKeys(edited: string): string {
  return edited.replaceAll('\n', '\r');
}

/** What stands on the screen before there is anything else: the same for the first frame and for what follows it. */
export const PROMPT_SIGN = '❯';
const PLACEHOLDER = 'Ask for something, / for commands, @ for files, ! for the shell';
/** Where nothing can be dimmed, brackets tell it from a draft. */
export function placeholderOf(theme: Theme): string {
  return theme.plain ? `(${PLACEHOLDER})` : PLACEHOLDER;
}

export const STARTING = 'starting…';

/** The line above everything, for the scrollback; ends in a blank line. */
export function headerText(theme: Theme, version: string, directory: string): string {
  return `${theme.accent('✻')} ${theme.strong('ClawdCode')} ${theme.dim(`${version} · ${directory}`)}\n\n`;
}
