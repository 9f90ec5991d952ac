/**
 * Reads server-sent events as model servers send them: each holds one JSON object, the last is `[DONE]`. Anything else
 * is dropped and counted, because one bad line should not cost the whole reply. The SDK's reader would stop there, and
 * takes three times as long.
 */

import { grouped } from '../../protocol/text/numbers.ts';
import { isJsonBomb } from '../json.ts';
import { type ReplyBounds, replyBounds, tooLarge } from '../replyBounds.ts';

/** One event. */
export interface ServerEvent {
  /** The JSON object in it. */
  readonly value: object;
  /** True if the server sent it as an `error` event. */
  readonly isError: boolean;
}

/** Throws a `tooLarge` error if an event is too long or too many are malformed. */
interface EventReader {
  /** Adds a piece, which may be cut anywhere, and returns the events it completes. */
  push(bytes: Uint8Array): readonly ServerEvent[];
  /** After the last piece: returns an event that lacks its final blank line. */
  end(): readonly ServerEvent[];
  /** True once the server has sent `[DONE]`; events after it are ignored. */
  isDone(): boolean;
}

/** Maximum JSON values in one event; a few dozen are usual. */
const MAX_VALUES = 10_000;

/** Maximum lines of one event that are parsed individually if together they are not JSON. */
const MAX_TRIED_LINES = 100;

/**
 * For `text/event-stream`, with any of the three line endings. `onDropped` receives the start of data that was not a
 * JSON object.
 */
export function createEventReader(
  onDropped: (sample: string) => void,
  bounds: ReplyBounds = replyBounds,
): EventReader {
  const decoder = new TextDecoder();
  const line = createJoiner(bounds);
  const drop = createDropper(onDropped, bounds);
  let endsInReturn = false;
  let event = '';
  let data: string[] = [];
  let dataLength = 0;
  let isDone = false;

  function endEvent(found: ServerEvent[]): void {
    const lines = data;
    const isError = event === 'error';
    event = '';
    if (lines.length === 0) return;
    data = [];
    dataLength = 0;
    if (lines.includes('[DONE]')) isDone = true;
    if (isDone) return;
    const whole = parseObject(lines.length === 1 ? lines[0] : lines.join('\n'));
    if (whole !== undefined) {
      found.push({ value: whole, isError });
      return;
    }
    // Some servers put several objects, one per line, into one event.
    const each = lines.slice(0, MAX_TRIED_LINES).flatMap((one) => parseObject(one) ?? []);
    if (each.length === 0 && lines.some((one) => one !== '')) drop(lines.join('\n'));
    for (const value of each) found.push({ value, isError });
  }

  function takeLine(text: string, found: ServerEvent[]): void {
    if (text === '') {
      endEvent(found);
      return;
    }
    const colon = text.indexOf(':');
    const field = colon === -1 ? text : text.slice(0, colon);
    if (field !== 'data' && field !== 'event') return;
    const from = colon === -1 ? text.length : colon + (text[colon + 1] === ' ' ? 2 : 1);
    const value = text.slice(from);
    if (field === 'event') event = value;
    else {
      dataLength += value.length + 1;
      if (dataLength > bounds.maxEventLength) throw longEvent(bounds);
      data.push(value);
    }
  }

  function takeText(decoded: string): readonly ServerEvent[] {
    let text = endsInReturn ? `\r${decoded}` : decoded;
    // A final \r may be the first half of \r\n.
    endsInReturn = text.endsWith('\r');
    if (endsInReturn) text = text.slice(0, -1);
    if (text.includes('\r')) text = text.replace(/\r\n?/g, '\n');
    const found: ServerEvent[] = [];
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      takeLine(line.take(text.slice(from, end)), found);
      from = end + 1;
    }
    line.add(text.slice(from));
    return found;
  }

  return {
    isDone: () => isDone,
    push: (bytes) => takeText(decoder.decode(bytes, { stream: true })),
    end() {
      const found = [...takeText(decoder.decode()), ...takeText('\n')];
      endEvent(found);
      return found;
    },
  };
}

/** For answers declared as JSON. Some gateways declare an event stream as JSON, too: its first character tells. */
export function createGuessingReader(
  onDropped: (sample: string) => void,
  bounds: ReplyBounds = replyBounds,
): EventReader {
  let reader: EventReader | undefined;
  const chosen = (bytes: Uint8Array): EventReader | undefined => {
    const first = bytes.find((byte) => byte > SPACE);
    if (first === undefined) return undefined;
    return (isFirstOfField(first) ? createEventReader : createJsonReader)(onDropped, bounds);
  };
  return {
    isDone: () => reader?.isDone() ?? false,
    push(bytes) {
      reader ??= chosen(bytes);
      return reader?.push(bytes) ?? [];
    },
    end: () => reader?.end() ?? [],
  };
}

/** Bytes up to it are white space or control characters. */
const SPACE = 0x20;

/** The field names of an event stream begin with a lowercase letter, its comments with a colon. */
const isFirstOfField = (byte: number): boolean => byte === 0x3a || (byte >= 0x61 && byte <= 0x7a);

/** Reads a complete JSON answer, from a server that does not stream, as a single event. */
function createJsonReader(
  onDropped: (sample: string) => void,
  bounds: ReplyBounds = replyBounds,
): EventReader {
  const decoder = new TextDecoder();
  const whole = createJoiner(bounds);
  return {
    isDone: () => false,
    push(bytes) {
      whole.add(decoder.decode(bytes, { stream: true }));
      return [];
    },
    end() {
      const json = whole.take(decoder.decode()).trim();
      const value = parseObject(json);
      if (value !== undefined) return [{ value, isError: false }];
      onDropped(json.slice(0, 120));
      return [];
    },
  };
}

/** Collects pieces and joins them only at the end: appending each piece to a string would copy it every time. */
function createJoiner(bounds: ReplyBounds) {
  let pieces: string[] = [];
  let length = 0;

  function add(piece: string): void {
    if (piece === '') return;
    length += piece.length;
    if (length > bounds.maxEventLength) throw longEvent(bounds);
    pieces.push(piece);
  }

  function take(last: string): string {
    if (length === 0) return last;
    add(last);
    const whole = pieces.join('');
    pieces = [];
    length = 0;
    return whole;
  }

  return { add, take };
}

function createDropper(onDropped: (sample: string) => void, { maxMalformed }: ReplyBounds) {
  let dropped = 0;
  return (text: string): void => {
    dropped += 1;
    if (dropped > maxMalformed) throw tooLarge(`more than ${grouped(maxMalformed)} events that are not JSON`);
    onDropped(text.slice(0, 120));
  };
}

function longEvent({ maxEventLength }: ReplyBounds): Error {
  return tooLarge(`an event of more than ${grouped(maxEventLength)} characters`);
}

function parseObject(json = ''): object | undefined {
  if (!json.trimStart().startsWith('{')) return undefined;
  if (isJsonBomb(json, MAX_VALUES)) throw tooLarge('an event with more values than any reply needs');
  try {
    return JSON.parse(json) as object;
  } catch {
    return undefined;
  }
}
