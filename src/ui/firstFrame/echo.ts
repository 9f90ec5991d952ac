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
