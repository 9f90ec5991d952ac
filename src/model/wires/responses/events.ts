/** Reads the events of a Responses stream as chunks of a chat completion. Pure; unknown events are ignored. */
import { count, list, record, text } from '../../json.ts';
import { callChunk, type EventTranslator } from '../itemAccumulator.ts';

type Fields = Readonly<Record<string, unknown>>;

export function createResponsesTranslator(): EventTranslator {
  /** By position in the output. */
  const items = new Map<number, Fields>();
  /** Characters of text so far, by position. */
  const textLengths = new Map<number, number>();
  const withArguments = new Set<number>();
  const begun = new Set<number>();
  let size = 0;
  let isOver = false;

  function translate(event: object): readonly object[] {
    const fields = record(event);
    const at = count(fields.output_index) ?? 0;
    const word = text(fields.delta) ?? '';
    switch (fields.type) {
      case 'response.created':
        return [{ model: record(fields.response).model }];
      case 'response.output_item.added':
        return begin(record(fields.item), at);
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return textEvents(word, at);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return [{ choices: [{ delta: { reasoning: word } }] }];
      case 'response.reasoning_summary_part.added':
        return (count(fields.summary_index) ?? 0) > 0
          ? [{ choices: [{ delta: { reasoning: '\n\n' } }] }]
          : [];
      case 'response.function_call_arguments.delta':
        withArguments.add(at);
        return [callChunk(at, { arguments: word })];
      case 'response.output_item.done':
        return complete(record(fields.item), at);
      case 'response.completed':
      case 'response.incomplete':
        return end(record(fields.response), fields.type === 'response.completed');
      case 'response.failed':
        throw failure(record(record(fields.response).error));
      default:
        // A server that does not stream sends the response itself.
        return fields.object === 'response' ? end(fields, fields.status !== 'incomplete') : [];
    }
  }

  function begin(item: Fields, at: number): readonly object[] {
    if (item.type !== 'function_call') return [];
    begun.add(at);
    return [callChunk(at, { name: item.name, arguments: '' }, item.call_id)];
  }

  function textEvents(words: string, at: number): readonly object[] {
    textLengths.set(at, (textLengths.get(at) ?? 0) + words.length);
    return [{ choices: [{ delta: { content: words } }] }];
  }

  /** Takes text and arguments from the complete item if no deltas came before it. */
  function complete(item: Fields, at: number): readonly object[] {
    if (items.has(at)) return [];
    switch (item.type) {
      case 'reasoning':
        size += JSON.stringify(item).length;
        items.set(at, item);
        return [];
      case 'function_call': {
        items.set(at, { type: 'function_call' });
        const first = begun.has(at) ? [] : begin(item, at);
        return withArguments.has(at) ? first : [...first, callChunk(at, { arguments: item.arguments })];
      }
      case 'message': {
        const words = list(item.content).map(
          (part) => text(record(part).text) ?? text(record(part).refusal) ?? '',
        );
        const chunks = textLengths.has(at) ? [] : textEvents(words.join(''), at);
        const phase = text(item.phase);
        items.set(at, {
          type: 'message',
          length: textLengths.get(at) ?? 0,
          ...(phase === undefined ? {} : { phase: phase.slice(0, 32) }),
        });
        return chunks;
      }
      default:
        return [];
    }
  }

  function end(response: Fields, isComplete: boolean): readonly object[] {
    isOver = true;
    const left = list(response.output).flatMap((item, at) => complete(record(item), at));
    const why = text(record(response.incomplete_details).reason);
    const cut = why === 'content_filter' ? 'content_filter' : 'length';
    const finish_reason = isComplete ? 'stop' : cut;
    const usage = usageOf(record(response.usage));
    return [...left, { model: response.model, choices: [{ delta: {}, finish_reason }], ...usage }];
  }

  return {
    translate,
    items: () => [...items].toSorted(([a], [b]) => a - b).map(([, item]) => item),
    count: () => Math.max(items.size, textLengths.size, begun.size, withArguments.size),
    size: () => size,
    isOver: () => isOver,
  };
}

function usageOf({
  input_tokens,
  output_tokens,
  input_tokens_details,
  output_tokens_details,
}: Fields): object {
  return {
    usage: {
      prompt_tokens: input_tokens,
      completion_tokens: output_tokens,
      prompt_tokens_details: input_tokens_details,
      completion_tokens_details: output_tokens_details,
    },
  };
}

/** An error in the SDK's form. An invalid request gets status 400, so that it is not retried. */
function failure(error: Fields): object {
  const isOurs = /invalid|unsupported|context_length|bio_policy|too_large/.test(text(error.code) ?? '');
  return { error, ...(isOurs ? { status: 400 } : {}) };
}
