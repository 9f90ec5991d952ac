/**
 * Reads server-sent events as the servers of models send them: each holds one JSON object, the last one `[DONE]`.
 * What is none is dropped and counted, since one bad line need not cost the reply. The SDK's reader would end there,
 * and costs three times as much.
 */

/** One event. */
export interface ServerEvent {
  /** The object in it. */
  readonly value: object;
  /** The server named it an error. */
  readonly isError: boolean;
}

export interface EventReader {
  /** What the next piece completes; pieces may be cut anywhere. */
  push(bytes: Uint8Array): readonly ServerEvent[];
  /** After the last piece: an event that lacked its blank line. */
  end(): readonly ServerEvent[];
  /** The server has said that nothing follows; what follows nevertheless is passed over. */
  isDone(): boolean;
}

/** For `text/event-stream`, with any of the three line ends. `onDropped` hears the start of what was no JSON object. */
export function createEventReader(onDropped: (sample: string) => void): EventReader {
  const decoder = new TextDecoder();
  let pending: string[] = []; // pieces of an unfinished line, joined only when it ends
  let event = '';
  let data: string[] = [];
  let isDone = false;

  function endEvent(): readonly ServerEvent[] {
    const lines = data;
    const isError = event === 'error';
    data = [];
    event = '';
    if (lines.includes('[DONE]')) isDone = true;
    if (isDone || lines.length === 0) return [];
    const whole = parseObject(lines.length === 1 ? lines[0] : lines.join('\n'));
    if (whole !== undefined) return [{ value: whole, isError }];
    // Not every server knows that the lines of one event belong together.
    const each = lines.flatMap((line) => parseObject(line) ?? []);
    if (each.length === 0 && lines.some((line) => line !== '')) onDropped(lines.join('\n').slice(0, 120));
    return each.map((value) => ({ value, isError }));
  }

  function takeLine(line: string): readonly ServerEvent[] {
    if (line === '') return endEvent();
    const [, field, value = ''] = /^(data|event)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
    return [];
  }

  return {
    isDone: () => isDone,
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true });
      // A final \r may be half of \r\n.
      if (!/[\r\n]/.test(text) || (text.endsWith('\r') && !/[\r\n]./s.test(text))) {
        pending.push(text);
        return [];
      }
      const lines = `${pending.join('')}${text}`.split(/\r\n|\n|\r(?=[\s\S])/);
      pending = [lines.pop() ?? ''];
      return lines.flatMap(takeLine);
    },
    end() {
      const rest = `${pending.join('')}${decoder.decode()}`.split(/\r\n|\r|\n/);
      return [...rest.flatMap(takeLine), ...endEvent()];
    },
  };
}

/** A whole JSON answer, from a server that does not stream, as the one event of a stream. */
export function createJsonReader(onDropped: (sample: string) => void): EventReader {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  return {
    isDone: () => false,
    push(bytes) {
      pieces.push(decoder.decode(bytes, { stream: true }));
      return [];
    },
    end() {
      const json = (pieces.join('') + decoder.decode()).trim();
      const value = parseObject(json);
      if (value !== undefined) return [{ value, isError: false }];
      onDropped(json.slice(0, 120));
      return [];
    },
  };
}

function parseObject(json = ''): object | undefined {
  if (!json.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(json) as object;
  } catch {
    return undefined;
  }
}
