/** From entries to what one reads: a call together with its result, turns counted, bookkeeping left out. */
import type { JSONLEntry } from '../protocol/entries.ts';
import type { ContentPart } from '../protocol/messages.ts';
import { noteOf } from './notes.ts';
import type { ExportItem, ExportOptions } from './types.ts';

type Choice = Pick<ExportOptions, 'toolOutputs' | 'reasoning'>;

/** A call waits for its result; at most the calls of one reply are held. */
export async function* itemsOf(
  entries: AsyncIterable<JSONLEntry>,
  { toolOutputs = true, reasoning = true }: Choice = {},
): AsyncGenerator<ExportItem> {
  let turns = 0;
  let waiting: JSONLEntry[] = [];
  for await (const entry of entries) {
    if (entry.type === 'tool_use') {
      waiting.push(entry);
      continue;
    }
    if (entry.type === 'tool_result') {
      const at = waiting.findIndex(({ tool }) => tool?.id === entry.toolResult?.id);
      yield callOf(at === -1 ? undefined : waiting[at], entry, toolOutputs);
      if (at !== -1) waiting.splice(at, 1);
      continue;
    }
    if (waiting.length > 0 && endsStep(entry)) {
      for (const call of waiting) yield callOf(call, undefined, toolOutputs);
      waiting = [];
    }
    const item = itemOf(entry, turns + 1, { toolOutputs, reasoning });
    if (item === undefined) continue;
    if (item.type === 'turn') turns++;
    yield item;
  }
  for (const call of waiting) yield callOf(call, undefined, toolOutputs);
}

/** After this no result comes any more. */
function endsStep({ type, subtype }: JSONLEntry): boolean {
  return type === 'assistant' || subtype === 'prompt' || subtype === 'turn_end';
}

function itemOf(entry: JSONLEntry, number: number, choice: Required<Choice>): ExportItem | undefined {
  const { type, subtype, seq, timestamp, message, data } = entry;
  if (type === 'assistant') return replyOf(entry, choice.reasoning);
  if (entry.isCompactSummary === true)
    return {
      type: 'note',
      kind: 'summary',
      text: 'What came before was summarised.',
      body: textOf(message.content),
      seq,
    };
  if (subtype === 'prompt') {
    const text = typeof data?.display === 'string' ? data.display : textOf(message.content);
    return { type: 'turn', number, text, images: imagesOf(message.content), timestamp, seq };
  }
  if (subtype === 'shell') {
    const { command, outputAt } = data ?? {};
    const content = textOf(message.content);
    const known = typeof command === 'string' ? command : content;
    const output = typeof outputAt === 'number' ? content.slice(outputAt) : '';
    const shown = choice.toolOutputs && output !== '' ? { output } : {};
    return { type: 'shell', command: known, ...shown, timestamp, seq };
  }
  if (subtype === 'turn_end') {
    const { outcome, steps } = data ?? {};
    return {
      type: 'end',
      outcome: typeof outcome === 'string' ? outcome : 'done',
      steps: typeof steps === 'number' ? steps : 0,
      seq,
    };
  }
  const note = noteOf(entry);
  return note === undefined ? undefined : { type: 'note', ...note, seq };
}

function replyOf({ message, seq, timestamp }: JSONLEntry, withReasoning: boolean): ExportItem | undefined {
  const text = textOf(message.content);
  const reasoning = withReasoning ? (message.reasoning?.text ?? '') : '';
  const cut = message.interrupted === true ? 'interrupted' : message.failed === true ? 'failed' : undefined;
  if (text.trim() === '' && reasoning.trim() === '' && cut === undefined) return undefined;
  return {
    type: 'reply',
    text,
    ...(reasoning.trim() === '' ? {} : { reasoning }),
    ...(message.model === undefined ? {} : { model: message.model }),
    ...(cut === undefined ? {} : { cut }),
    timestamp,
    seq,
  };
}

function callOf(
  use: JSONLEntry | undefined,
  result: JSONLEntry | undefined,
  withOutput: boolean,
): Extract<ExportItem, { type: 'call' }> {
  const { toolResult } = result ?? {};
  const tool = use?.tool?.name ?? toolResult?.name ?? 'tool';
  const output = toolResult === undefined ? undefined : textOf(toolResult.output);
  const { display } = toolResult ?? {};
  return {
    type: 'call',
    tool,
    title: display?.title ?? tool,
    ...(display?.summary === undefined ? {} : { summary: display.summary }),
    input: use?.tool?.input ?? {},
    ...(output === undefined || !withOutput ? {} : { output }),
    ...(display?.diff === undefined ? {} : { diff: display.diff }),
    status: toolResult?.status ?? (toolResult === undefined ? 'unanswered' : 'ok'),
    seq: (use ?? result)?.seq ?? 0,
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content))
    return content === undefined || content === null ? '' : JSON.stringify(content);
  return (content as readonly Partial<ContentPart>[])
    .map((part) => (part?.type === 'text' && typeof part.text === 'string' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n');
}

function imagesOf(content: unknown): Extract<ContentPart, { type: 'image' }>[] {
  if (!Array.isArray(content)) return [];
  return content.filter(
    (part): part is Extract<ContentPart, { type: 'image' }> =>
      part?.type === 'image' && typeof part.data === 'string' && typeof part.mediaType === 'string',
  );
}
