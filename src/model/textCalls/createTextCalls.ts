/**
 * Finds tool calls in the text of a reply while it streams. Text that may become a call is held back, and released if
 * it does not, so that no part of a call is ever shown as prose.
 *
 * Text is a call only if its name was offered, nothing but calls stands between it and the end of the reply, and it is
 * outside of code (fences, `code`, indented lines), quoted lines (`>`) and `<think>`. JSON without a marker must be the
 * entire reply.
 */
import type { ToolSchema } from '../../protocol/messages.ts';
import { createCodeWatch } from './codeWatch.ts';
import { couldBeBareCalls, readBareCalls, readCalls, signs, wrappers } from './readCalls.ts';
import type { Offered, TextCall } from './types.ts';

interface TextCalls {
  /** Adds a piece of the reply; returns the text that can be shown now. */
  push(text: string): string;
  /** The call that appears to be in progress: its name and the characters so far. */
  writing(): { readonly name: string; readonly length: number } | undefined;
  /**
   * Ends the reply: returns the remaining text and the calls. If there are no calls, all held text is returned. Call
   * once.
   */
  end(mayCall?: boolean): { readonly text: string; readonly calls: readonly TextCall[] };
}

/** Maximum positions tried as the start of the calls once the reply has ended. */
const MAX_TRIES = 16;

/**
 * Maximum characters parsed without finding a call; beyond that the reply is shown as it is, without further parsing.
 */
const MAX_PARSED_IN_VAIN = 4_000_000;

const SIGNS = [
  ...signs.map(({ sign, atLineStart = false }) => ({ sign, atLineStart })),
  ...wrappers.map((sign) => ({ sign, atLineStart: false })),
];
const LONGEST = Math.max(...SIGNS.map(({ sign }) => sign.length));

/**
 * `mayFence`: a reply that is nothing but JSON in a code fence is a call. Models without native tool calls write them
 * like that; a model with native calls would make the call, so its JSON is an example.
 */
export function createTextCalls(tools: readonly ToolSchema[], mayFence = true): TextCalls {
  const offered: Offered = new Map(tools.map((tool) => [tool.name, tool]));
  const code = createCodeWatch();
  /** Not yet shown, oldest first. */
  let pending = '';
  /**
   * Text after `pending` that has not been parsed; joined only when needed, because a long call would be copied for
   * every token.
   */
  let unread: string[] = [];
  let unreadLength = 0;
  /** `start`: everything so far may still be bare calls; `held`: `pending` begins with a marker. */
  let mode: 'start' | 'prose' | 'held' | 'given_up' = offered.size === 0 ? 'given_up' : 'start';
  let parsedInVain = 0;
  /** While text is held: the length at which to parse again, so that a long call is not parsed for every token. */
  let parseAt = 0;
  /** The last lookup of a tool name at the beginning of `pending`. */
  let named: { readonly beginning: string; readonly name: string | undefined } = {
    beginning: '',
    name: undefined,
  };

  function release(length: number): string {
    const text = pending.slice(0, length);
    pending = pending.slice(length);
    code.push(text);
    return text;
  }

  /** Returns everything that cannot be the start of a call; stops at the first marker. */
  function scan(isFinal: boolean): string {
    const at = findSign(pending, code, isFinal);
    if (at < pending.length && SIGNS.some(({ sign }) => pending.startsWith(sign, at))) {
      mode = 'held';
      parseAt = 0;
    }
    return release(at);
  }

  function nextParseLength(): number {
    return pending.length < 256 ? pending.length + 1 : Math.floor(pending.length * 1.2);
  }

  function joinUnread(): void {
    if (unread.length === 0) return;
    pending += unread.join('');
    unread = [];
    unreadLength = 0;
  }

  function push(text: string): string {
    if (mode === 'given_up') return text;
    if (text !== '') unread.push(text);
    unreadLength += text.length;
    if (mode !== 'prose' && pending.length + unreadLength < parseAt) return '';
    joinUnread();
    let out = '';
    for (;;) {
      if (mode === 'start') {
        if (couldBeBareCalls(pending, offered, mayFence)) {
          parseAt = nextParseLength();
          return out;
        }
        mode = 'prose';
      }
      if (mode === 'prose') out += scan(false);
      if (mode !== 'held') return out;
      if (readCalls(pending, offered, false) !== 'no') {
        parseAt = nextParseLength();
        return out;
      }
      parsedInVain += pending.length;
      if (parsedInVain > MAX_PARSED_IN_VAIN) {
        mode = 'given_up';
        return out + release(pending.length);
      }
      out += release(1); // not a call; try the next marker
      mode = 'prose';
    }
  }

  function end(mayCall = true): { text: string; calls: readonly TextCall[] } {
    joinUnread();
    if (!mayCall) return { text: release(pending.length), calls: [] };
    const bare = mode === 'start' ? readBareCalls(pending, offered, mayFence) : [];
    if (bare.length > 0) return { text: '', calls: bare };
    let text = '';
    if (mode === 'start') mode = 'prose';
    for (let tries = 0; tries < MAX_TRIES && pending !== ''; tries++) {
      if (mode === 'prose') text += scan(true);
      if (mode !== 'held') break;
      const found = readCalls(pending, offered, true);
      if (typeof found === 'object') return { text, calls: found.calls };
      text += release(1);
      mode = 'prose';
    }
    return { text: text + release(pending.length), calls: [] };
  }

  function writing(): { name: string; length: number } | undefined {
    const length = pending.length + unreadLength;
    if ((mode !== 'held' && mode !== 'start') || length < 24) return undefined;
    if (pending.length < MAX_BEGINNING) joinUnread();
    const beginning = pending.slice(0, MAX_BEGINNING);
    if (beginning !== named.beginning) named = { beginning, name: nameIn(beginning, offered) };
    return named.name === undefined ? undefined : { name: named.name, length };
  }

  return { push, end, writing };
}

/** The position in a text of the first marker, or of a partial one at the very end. */
function findSign(text: string, code: ReturnType<typeof createCodeWatch>, isFinal: boolean): number {
  const watch = code.copy();
  let from = 0;
  for (let at = nextStart(text, 0); at < text.length; at = nextStart(text, at + 1)) {
    const here = SIGNS.filter(
      ({ sign }) =>
        text.startsWith(sign, at) ||
        (!isFinal && text.length - at < LONGEST && sign.startsWith(text.slice(at))),
    );
    if (here.length === 0) continue;
    watch.push(text.slice(from, at));
    from = at;
    if (watch.isCode()) continue;
    if (here.some(({ atLineStart }) => !atLineStart || watch.isLineStart())) return at;
  }
  return text.length;
}

function nextStart(text: string, from: number): number {
  START.lastIndex = from;
  return START.exec(text)?.index ?? text.length;
}

/** Every marker begins with one of these. */
const START = /[<[>]/g;

/** Characters within which the name of a call must appear. */
const MAX_BEGINNING = 400;

/** The earliest offered name, because later text may mention others; of two at the same position, the longer one. */
function nameIn(beginning: string, offered: Offered): string | undefined {
  const [first] = [...offered.keys()]
    .map((name) => ({ name, at: beginning.indexOf(name) }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at || b.name.length - a.name.length);
  return first?.name;
}
