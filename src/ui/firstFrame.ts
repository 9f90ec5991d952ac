/** Content of the screen before the UI is loaded, and the keys that were typed until then. */
import { sanitizeLine } from './print/sanitize.ts';
import type { Span } from './print/spans.ts';
import type { Theme } from './theme/theme.ts';

export interface Echo {
  /** The draft so far, as it would appear in the composer. */
  readonly draft: string;
  /** Remaining input, which the composer must handle as keys. */
  readonly rest: string;
}

/**
 * Applies keys that were typed before the composer existed. Handles only unambiguous ones: printable ASCII that opens
 * no list or page, and backspace. Everything from the first other byte on goes to the composer.
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

/** Printable ASCII without `/ @ ! ?`. */
const plain = /[ "-.0-9:->A-~]/;

/**
 * Converts input that was typed while the terminal still edited lines back to the pressed keys: in that mode Enter
 * arrives as a line feed, which would otherwise mean Ctrl+J.
 */
export function rawKeys(edited: string): string {
  return edited.replaceAll('\n', '\r');
}

/** Shared by the first frame and the composer that replaces it. */
export const PROMPT_SIGN = '❯';
const PLACEHOLDER = 'Ask for something, / for commands, @ for files, ! for the shell, ? for keys';
/** Without dim text, brackets distinguish it from a draft. */
export function placeholderOf(theme: Theme): string {
  return theme.plain ? `(${PLACEHOLDER})` : PLACEHOLDER;
}

export const STARTING = 'starting…';

/** The header above a session: the first line of the scrollback, and of a redraw that starts at the beginning. */
export function headerSpans(theme: Theme, version: string, directory: string): readonly Span[] {
  return [
    { text: '✻', paint: theme.accent },
    { text: ' ' },
    { text: 'ClawdCode', paint: theme.strong },
    { text: ' ' },
    { text: `${sanitizeLine(version)} · ${directory}`, paint: theme.dim },
  ];
}

/** Formats a folder for display, with `~` for the home folder; sanitized, because folder names are untrusted. */
export function displayDirectory(path: string, home: string | undefined): string {
  const isAtHome = home !== undefined && (path === home || path.startsWith(`${home}/`));
  return sanitizeLine(isAtHome ? `~${path.slice(home.length)}` : path);
}
