/** Bytes of a keyboard to keys, for a view that reads the terminal itself. */

export type TranscriptKey =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'key'; readonly name: KeyName };

export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'page_up'
  | 'page_down'
  | 'delete'
  | 'backspace'
  | 'enter'
  | 'tab'
  | 'escape'
  | `ctrl_${string}`;

/** Milliseconds after which an escape byte on its own is the key, and not the start of a sequence. */
export const ESCAPE_WAIT_MS = 30;

/** What the pieces make, and the rest that may still become a sequence. */
export function readKeys(input: string): { readonly keys: readonly TranscriptKey[]; readonly rest: string } {
  const keys: TranscriptKey[] = [];
  let at = 0;
  while (at < input.length) {
    const text = /^[^\u0000-\u001f\u007f]+/.exec(input.slice(at))?.[0];
    if (text !== undefined) {
      keys.push({ type: 'text', text });
      at += text.length;
      continue;
    }
    if (input[at] !== '\u001B') {
      const name = controlName(input.charCodeAt(at));
      if (name !== undefined) keys.push({ type: 'key', name });
      at += 1;
      continue;
    }
    const sequence = /^\u001B(?:\[[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|O[\x20-\x7e])/.exec(
      input.slice(at),
    )?.[0];
    if (sequence !== undefined) {
      const name = sequenceName(sequence);
      if (name !== undefined) keys.push({ type: 'key', name });
      at += sequence.length;
      continue;
    }
    if (/^\u001B(?:$|[[O][\x20-\x3f]*$)/.test(input.slice(at))) return { keys, rest: input.slice(at) };
    keys.push({ type: 'key', name: 'escape' });
    at += 1;
  }
  return { keys, rest: '' };
}

function controlName(code: number): KeyName | undefined {
  if (code === 0x7f || code === 8) return 'backspace';
  if (code === 13 || code === 10) return 'enter';
  if (code === 9) return 'tab';
  return code > 0 && code < 27 ? `ctrl_${String.fromCharCode(code + 96)}` : undefined;
}

/** Modifiers are not told apart: Shift+PgUp is PgUp. */
function sequenceName(sequence: string): KeyName | undefined {
  const [, number = '', final = ''] = /^\u001B[[O](\d*)[;\d]*([~A-Za-z])$/.exec(sequence) ?? [];
  return final === '~' ? byNumber[number] : byFinal[final];
}

const byFinal: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  M: 'enter',
};

const byNumber: Readonly<Record<string, KeyName>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'page_up',
  6: 'page_down',
  7: 'home',
  8: 'end',
};
