/** Plays the model: hands each request to a program, and bills it. */
import type { Message } from '../../../src/protocol/messages.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../../../src/protocol/models/model.ts';
import type { Meter } from '../meter.ts';
import type { RequestBlocks } from '../real/requestBlocks.ts';
import type { Move, Program, View } from './types.ts';

/** A program that has not ended by then goes in circles. */
const MOST_STEPS = 400;

export interface Played {
  readonly client: ModelClient;
  /** The next turn's program. */
  start(play: (first: View) => Program): void;
  steps(): number;
  recalls(): number;
}

export function createPlayer(meter: Meter, blocks: RequestBlocks, minute: () => number): Played {
  let begin: ((first: View) => Program) | undefined;
  let program: Program | undefined;
  let steps = 0;
  let recalls = 0;

  const next = (view: View): Move => {
    if (begin !== undefined) {
      program = begin(view);
      begin = undefined;
      const first = program.next(view);
      return first.done === true ? { say: 'Done.' } : first.value;
    }
    const move = program?.next(view);
    return move === undefined || move.done === true || steps > MOST_STEPS ? { say: 'Done.' } : move.value;
  };

  const client: ModelClient = {
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      const move = next(viewOf(request));
      steps++;
      if ('call' in move && move.call === 'Recall') recalls++;
      const content = 'say' in move ? move.say : '';
      const toolCalls =
        'call' in move
          ? [{ id: `call_${steps}`, name: move.call, arguments: JSON.stringify(move.input) }]
          : [];
      const outputTokens = blocks.counter.countText(`${content}${toolCalls[0]?.arguments ?? ''}`) + 10;
      const sent = blocks.of(request.messages);
      meter.ask(sent, outputTokens, minute());
      const inputTokens =
        sent.reduce((sum, { tokens }) => sum + tokens, 0) + blocks.counter.countTools(request.tools);
      yield {
        type: 'done',
        reply: {
          message: { role: 'assistant', content, toolCalls },
          finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
          usage: { inputTokens, outputTokens },
        },
      };
    },
  };
  return {
    client,
    start: (play) => {
      begin = play;
    },
    steps: () => steps,
    recalls: () => recalls,
  };
}

function viewOf({ messages, tools }: ModelRequest): View {
  const lastReply = messages.findLastIndex(({ role }) => role === 'assistant');
  const results = messages.slice(lastReply + 1).filter(({ role }) => role === 'tool');
  return {
    text: messages.map(textOf).join('\n'),
    last: results.map(textOf).join('\n'),
    hasRecall: tools.some(({ name }) => name === 'Recall'),
  };
}

function textOf(message: Message): string {
  const content = typeof message.content === 'string' ? message.content : JSON.stringify(message.content);
  if (message.role !== 'assistant') return content;
  return [content, ...message.toolCalls.map((call) => `${call.name} ${call.arguments}`)].join('\n');
}
