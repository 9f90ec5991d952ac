/**
 * Finds calls in the text of a reply while it streams. What could be the beginning of a call is held back, and
 * let go when it is none, so that nothing of a call is ever shown as prose.
 *
 * A text is a call only if: its name was offered; nothing but calls stands between it and the end of the reply; and
 * it stands outside of code (fences, `code`, indented lines), of quoted lines (`>`) and of `<think>`. JSON without a
 * sign must be the whole reply.
 */
import type { ToolSchema } from '../../protocol/messages.ts';
import { createCodeWatch } from './codeWatch.ts';
import { couldBeBareCalls, readBareCalls, readCalls, signs, wrappers } from './readCalls.ts';
import type { Offered, TextCall } from './types.ts';

export interface TextCalls {
  /** Takes a piece of the reply; returns what can be shown by now. */
  push(text: string): string;
  /** The call that is being written, as far as it looks like one: its name and the characters so far. */
  writing(): { readonly name: string; readonly length: number } | undefined;
  /** The end of the reply: the rest to be shown, and the calls. Where there are none, nothing was lost. Once only. */
  end(mayCall?: boolean): { readonly text: string; readonly calls: readonly TextCall[] };
}

/** Places that are tried as the beginning of the calls once the reply has ended. */
const MAX_TRIES = 16;

/** Characters that are read for calls in vain; a reply that costs more is no longer looked at, and is shown as it is. */
const MAX_READ_IN_VAIN = 4_000_000;

const SIGNS = [
  ...signs.map(({ sign, atLineStart = false }) => ({ sign, atLineStart })),
  ...wrappers.map((sign) => ({ sign, atLineStart: false })),
];
const LONGEST = Math.max(...SIGNS.map(({ sign }) => sign.length));

/**
 * `mayFence`: a reply that is nothing but JSON in a fence is a call. Models that know no better form write them so; one
 * that does would make the call, and shows somebody what it looks like.
 */
export function createTextCalls(tools: readonly ToolSchema[], mayFence = true): TextCalls {
  const offered: Offered = new Map(tools.map((tool) => [tool.name, tool]));
  const code = createCodeWatch();
  /** Not yet shown, oldest first. */
  let pending = '';
  /** What came behind `pending` and has not been looked at: joined only then, or a long call is copied for each token. */
  let unread: string[] = [];
  let unreadLength = 0;
  /** `start`: all of it may still be bare calls; `held`: what is pending begins with a sign. */
  let mode: 'start' | 'prose' | 'held' | 'given_up' = offered.size === 0 ? 'given_up' : 'start';
  let readInVain = 0;
  /** While something is held: length at which to look again, so that a long call is not read anew for every token. */
  let lookAt = 0;
  /** What was last found in the beginning of what is pending. */
  let named: { readonly beginning: string; readonly name: string | undefined } = {
    beginning: '',
    name: undefined,
  };

  function release(length: number): string {
    const text = pending.slice(0, length);
    pending = pending.slice(length);
    code.pass(text);
    return text;
  }

  /** Shows all that cannot be the beginning of a call, and stops before the first sign. */
  function scan(isFinal: boolean): string {
    const at = findSign(isFinal);
    if (at < pending.length && SIGNS.some(({ sign }) => pending.startsWith(sign, at))) {
      mode = 'held';
      lookAt = 0;
    }
    return release(at);
  }

  /** Where the first sign, or the beginning of one at the very end, stands in `pending`. */
  function findSign(isFinal: boolean): number {
    const watch = code.ahead();
    let from = 0;
    for (let at = nextStart(0); at < pending.length; at = nextStart(at + 1)) {
      const here = SIGNS.filter(
        ({ sign }) =>
          pending.startsWith(sign, at) ||
          (!isFinal && pending.length - at < LONGEST && sign.startsWith(pending.slice(at))),
      );
      if (here.length === 0) continue;
      watch.pass(pending.slice(from, at));
      from = at;
      if (watch.isCode()) continue;
      if (here.some(({ atLineStart }) => !atLineStart || watch.isLineStart())) return at;
    }
    return pending.length;
  }

  function later(): number {
    return pending.length < 256 ? pending.length + 1 : Math.floor(pending.length * 1.2);
  }

  function nextStart(from: number): number {
    START.lastIndex = from;
    return START.exec(pending)?.index ?? pending.length;
  }

  function readOn(): void {
    if (unread.length === 0) return;
    pending += unread.join('');
    unread = [];
    unreadLength = 0;
  }

  function push(text: string): string {
    if (mode === 'given_up') return text;
    if (text !== '') unread.push(text);
    unreadLength += text.length;
    if (mode !== 'prose' && pending.length + unreadLength < lookAt) return '';
    readOn();
    let out = '';
    for (;;) {
      if (mode === 'start') {
        if (couldBeBareCalls(pending, offered, mayFence)) {
          lookAt = later();
          return out;
        }
        mode = 'prose';
      }
      if (mode === 'prose') out += scan(false);
      if (mode !== 'held') return out;
      if (readCalls(pending, 0, offered, false) !== 'no') {
        lookAt = later();
        return out;
      }
      readInVain += pending.length;
      if (readInVain > MAX_READ_IN_VAIN) {
        mode = 'given_up';
        return out + release(pending.length);
      }
      out += release(1); // not here; perhaps at the next sign
      mode = 'prose';
    }
  }

  function end(mayCall = true): { text: string; calls: readonly TextCall[] } {
    readOn();
    if (!mayCall) return { text: release(pending.length), calls: [] };
    const bare = mode === 'start' ? readBareCalls(pending, offered, mayFence) : [];
    if (bare.length > 0) return { text: '', calls: bare };
    let text = '';
    if (mode === 'start') mode = 'prose';
    for (let tries = 0; tries < MAX_TRIES && pending !== ''; tries++) {
      if (mode === 'prose') text += scan(true);
      if (mode !== 'held') break;
      const found = readCalls(pending, 0, offered, true);
      if (typeof found === 'object') return { text, calls: found.calls };
      text += release(1);
      mode = 'prose';
    }
    return { text: text + release(pending.length), calls: [] };
  }

  function writing(): { name: string; length: number } | undefined {
    const length = pending.length + unreadLength;
    if ((mode !== 'held' && mode !== 'start') || length < 24) return undefined;
    if (pending.length < MAX_BEGINNING) readOn();
    const beginning = pending.slice(0, MAX_BEGINNING);
    if (beginning !== named.beginning) named = { beginning, name: nameIn(beginning) };
    return named.name === undefined ? undefined : { name: named.name, length };
  }

  /** The name comes before what may mention another; of two at one place, the longer one is written there. */
  function nameIn(beginning: string): string | undefined {
    const [first] = [...offered.keys()]
      .map((name) => ({ name, at: beginning.indexOf(name) }))
      .filter(({ at }) => at !== -1)
      .toSorted((a, b) => a.at - b.at || b.name.length - a.name.length);
    return first?.name;
  }

  return { push, end, writing };
}

/** Characters in which the name of a call stands. */
const MAX_BEGINNING = 400;

/** All signs begin with one of these. */
const START = /[<[>]/g;
