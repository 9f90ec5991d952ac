/**
 * Cleans a stream of server-sent events: events whose data is no JSON object are dropped and counted, since
 * one of them would end the SDK's iterator. Comments go too; everything else passes unchanged.
 */
export interface FilterNews {
  /** Bytes of any kind arrived: the server is alive. */
  readonly onActivity: () => void;
  /** An event was dropped; the start of its data. */
  readonly onDropped: (sample: string) => void;
  /** The server said that the stream is complete. */
  readonly onDone?: () => void;
}

/** For `text/event-stream`, with any of the three line ends and a last event that may lack its blank line. */
export function filterEvents(news: FilterNews): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let pending: string[] = []; // pieces of an unfinished line, joined only when it ends
  let event = '';
  let data: string[] = [];

  function endEvent(): string {
    const [only = ''] = data;
    if (only === '[DONE]') news.onDone?.();
    if (data.length === 1 && event === '' && usable(only)) {
      data = [];
      return `data: ${only}\n\n`; // nearly every event
    }
    const whole = usable(data.join('\n')) ? [data] : data.filter(usable).map((line) => [line]);
    const lost = data.length > 0 && whole.length === 0 && data.some((line) => line !== '');
    if (lost) news.onDropped(data.join('\n').slice(0, 120));
    const name = event === 'error' ? 'event: error\n' : '';
    data = [];
    event = '';
    return whole.map((lines) => `${name}${lines.map((line) => `data: ${line}\n`).join('')}\n`).join('');
  }

  function takeLine(line: string): string {
    if (line === '') return data.length > 0 || event !== '' ? endEvent() : '';
    const [, field, value = ''] = /^(data|event)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
    return '';
  }

  function takeText(text: string): string {
    // A final \r may be half of \r\n.
    if (!/[\r\n]/.test(text) || (text.endsWith('\r') && !/[\r\n]./s.test(text))) {
      pending.push(text);
      return '';
    }
    const lines = `${pending.join('')}${text}`.split(/\r\n|\n|\r(?=[\s\S])/);
    pending = [lines.pop() ?? ''];
    return lines.map(takeLine).join('');
  }

  return new TransformStream({
    transform(chunk, controller) {
      news.onActivity();
      const out = takeText(decoder.decode(chunk, { stream: true }));
      if (out !== '') controller.enqueue(encoder.encode(out));
    },
    flush(controller) {
      const rest = `${pending.join('')}${decoder.decode()}`.split(/\r\n|\r|\n/);
      const out = rest.map(takeLine).join('') + endEvent();
      if (out !== '') controller.enqueue(encoder.encode(out));
    },
  });
}

/** A whole JSON answer, from a server that does not stream, as the one event of a stream. */
export function jsonAsEvent(news: FilterNews): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  return new TransformStream({
    transform(chunk) {
      news.onActivity();
      pieces.push(decoder.decode(chunk, { stream: true }));
    },
    flush(controller) {
      const json = (pieces.join('') + decoder.decode()).trim();
      if (!usable(json)) return news.onDropped(json.slice(0, 120));
      const lines = json.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
      controller.enqueue(new TextEncoder().encode(`${lines.join('')}\n`));
    },
  });
}

function usable(data: string): boolean {
  if (data === '[DONE]') return true;
  if (!data.trimStart().startsWith('{')) return false;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}
