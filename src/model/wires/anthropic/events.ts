/** Reads the events of an Anthropic stream as chunks of a chat completion. Pure; unknown events are ignored. */
import { count, list, record, text } from '../../json.ts';
import { callChunk, type EventTranslator } from '../itemAccumulator.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A thinking block while it arrives. */
interface Thinking {
  readonly block: Fields;
  thinking: string;
  signature: string;
}

export function createAnthropicTranslator(): EventTranslator {
  const items = new Map<number, Fields>();
  const open = new Map<number, Thinking>();
  const textLengths = new Map<number, number>();
  let usage: Fields = {};
  let size = 0;
  let isOver = false;

  function translate(event: object): readonly object[] {
    const fields = record(event);
    const at = count(fields.index) ?? 0;
    switch (fields.type) {
      case 'message_start': {
        const message = record(fields.message);
        learnUsage(message.usage);
        return [{ model: message.model }];
      }
      case 'content_block_start':
        return begin(record(fields.content_block), at);
      case 'content_block_delta':
        return grow(record(fields.delta), at);
      case 'content_block_stop':
        close(at);
        return [];
      case 'message_delta':
        learnUsage(fields.usage);
        return end(text(record(fields.delta).stop_reason));
      case 'message_stop':
        isOver = true;
        return [];
      case 'message':
        return whole(fields);
      default:
        return [];
    }
  }

  /** A server that does not stream sends the message itself. */
  function whole(message: Fields): readonly object[] {
    learnUsage(message.usage);
    const parts = list(message.content).flatMap((block, at) => {
      const begun = begin(record(block), at);
      close(at);
      return begun;
    });
    isOver = true;
    return [{ model: message.model }, ...parts, ...end(text(message.stop_reason))];
  }

  function begin(block: Fields, at: number): readonly object[] {
    switch (block.type) {
      case 'text':
        return textEvents(text(block.text) ?? '', at);
      case 'thinking': {
        const [thinking, signature] = [text(block.thinking) ?? '', text(block.signature) ?? ''];
        open.set(at, { block, thinking, signature });
        // The entire block is kept, including unknown fields.
        size += JSON.stringify({ ...block, thinking: '' }).length;
        return thought(thinking);
      }
      case 'redacted_thinking':
        size += JSON.stringify(block).length;
        items.set(at, block);
        return [];
      case 'tool_use': {
        items.set(at, { type: 'tool_use' });
        // Filled only by servers that do not stream the input.
        const input = record(block.input);
        const json = Object.keys(input).length === 0 ? '' : JSON.stringify(input);
        return [callChunk(at, { name: block.name, arguments: json }, block.id)];
      }
      default:
        return [];
    }
  }

  function grow(delta: Fields, at: number): readonly object[] {
    switch (delta.type) {
      case 'text_delta':
        return textEvents(text(delta.text) ?? '', at);
      case 'input_json_delta':
        return [callChunk(at, { arguments: text(delta.partial_json) ?? '' })];
      case 'thinking_delta': {
        const words = text(delta.thinking) ?? '';
        const block = open.get(at);
        if (block !== undefined) block.thinking += words;
        return thought(words);
      }
      case 'signature_delta': {
        const words = text(delta.signature) ?? '';
        const block = open.get(at);
        size += words.length;
        if (block !== undefined) block.signature += words;
        return [];
      }
      default:
        return [];
    }
  }

  function textEvents(words: string, at: number): readonly object[] {
    const length = (textLengths.get(at) ?? 0) + words.length;
    textLengths.set(at, length);
    items.set(at, { type: 'text', length });
    return words === '' ? [] : [{ choices: [{ delta: { content: words } }] }];
  }

  /** The API rejects thinking that is sent back without its signature. */
  function close(at: number): void {
    const found = open.get(at);
    open.delete(at);
    if (found === undefined || found.signature === '') return;
    const { block, thinking, signature } = found;
    items.set(at, { ...block, thinking, signature });
  }

  function learnUsage(reported: unknown): void {
    const counts = record(reported);
    const known = USAGE.filter((name) => counts[name] != null).map((name) => [name, counts[name]]);
    usage = { ...usage, ...Object.fromEntries(known) };
  }

  function end(reason: string | undefined): readonly object[] {
    if (reason === undefined) return [];
    const finish_reason = reasons[reason] ?? 'stop';
    return [{ choices: [{ delta: {}, finish_reason }], usage: usageOf(usage) }];
  }

  return {
    translate,
    items: () => [...items].toSorted(([a], [b]) => a - b).map(([, item]) => item),
    count: () => items.size + open.size,
    size: () => size,
    isOver: () => isOver,
  };
}

/** Any other reason is a normal end. */
const reasons: Readonly<Record<string, string>> = {
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

function thought(words: string): readonly object[] {
  return words === '' ? [] : [{ choices: [{ delta: { reasoning: words } }] }];
}

/** The counts that are read; servers may send others. */
const USAGE = [
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens',
  'output_tokens_details',
];

/** Anthropic counts the parts of the input that were read from and written to the cache separately. */
function usageOf(usage: Fields): object {
  const read = count(usage.cache_read_input_tokens) ?? 0;
  const written = count(usage.cache_creation_input_tokens) ?? 0;
  return {
    prompt_tokens: (count(usage.input_tokens) ?? 0) + read + written,
    completion_tokens: usage.output_tokens,
    prompt_tokens_details: { cached_tokens: read, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: record(usage.output_tokens_details).thinking_tokens },
  };
}
