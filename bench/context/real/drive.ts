/** Drives the product's context engine through a trace and bills every request that it builds, byte for byte. */
import { join } from 'node:path';
import type { ContextManager, SummaryModel } from '../../../src/context/index.ts';
import type { NewEntry } from '../../../src/protocol/entries.ts';
import type { Message, ToolCall } from '../../../src/protocol/messages.ts';
import type { ToolOutcome } from '../../../src/protocol/tools.ts';
import type { PriceSheet, Sized } from '../cache.ts';
import { type Figures, Meter } from '../meter.ts';
import { writeSummary } from '../retention/extract.ts';
import { STEP_MINUTES } from '../simulate.ts';
import type { TraceTexts } from '../trace/texts.ts';
import type { Trace, TraceCall, TraceEvent } from '../trace/types.ts';
import { openHouse } from './house.ts';
import { RequestBlocks } from './requestBlocks.ts';
import { SwapCounter, type Swaps } from './swaps.ts';

export interface RealOptions {
  /** The settings' `context` section. */
  readonly settings?: unknown;
  readonly summaryTokens?: number;
  readonly onRequest?: (
    messages: readonly Message[],
    event: number,
    manager: ContextManager,
  ) => Promise<void>;
}

export interface RealRun {
  /** One for each price sheet, in their order. */
  readonly figures: readonly Figures[];
  readonly seconds: number;
  readonly swaps: Swaps & { readonly summaryRequests: number };
  /** Requests that do not begin with the one before, though nothing in the log says why. */
  readonly unexplainedBreaks: number;
}

const turnEnd: NewEntry = {
  type: 'system',
  subtype: 'turn_end',
  message: { role: 'system', content: '' },
  data: { outcome: 'done' },
};

export async function driveReal(
  trace: Trace,
  texts: TraceTexts,
  sheets: readonly PriceSheet[],
  options: RealOptions = {},
): Promise<RealRun> {
  const started = performance.now();
  const meters = sheets.map((sheet) => new Meter(sheet, trace.windowTokens));
  const blocks = new RequestBlocks();
  const count = (text: string): number => blocks.counter.countText(text);
  let summaryRequests = 0;
  const summarize: SummaryModel = async (request) => {
    summaryRequests++;
    const content = summaryOf(request.messages, options.summaryTokens ?? 4000);
    for (const meter of meters) meter.askBeside(blocks.of(request.messages), count(content), house.minute);
    const message = { role: 'assistant', content, toolCalls: [] } as const;
    return { type: 'done', reply: { message, finishReason: 'stop' } };
  };
  const house = await openHouse(trace.windowTokens, options.settings ?? {}, summarize);
  const { manager } = house;
  const request = { tools: [], signal: new AbortController().signal, emit: () => {} };
  let work = 0;
  let breaks = 0;
  const counter = new SwapCounter(manager);
  let before: readonly Sized[] = [];
  try {
    await manager.createSession(undefined, {}, { systemPrompt: systemPrompt(trace.fixedTokens, count) });
    for (const [index, event] of trace.events.entries()) {
      if (event.type === 'idle') house.minute += event.minutes;
      else if (event.type === 'prompt') {
        const content = texts.prompt(index);
        work += count(content);
        if (index > 0) await manager.append(turnEnd);
        const draft = { type: 'user', subtype: 'prompt', message: { role: 'user', content } } as const;
        await manager.appendPrompts([draft], request);
      } else {
        const built = await manager.buildRequest(request);
        if (built.type === 'too_large') throw new Error(built.message);
        await options.onRequest?.(built.request.messages, index, manager);
        const sent = blocks.of(built.request.messages);
        const isExplained = counter.takeNew();
        if (!beginsWith(sent, before) && !isExplained) breaks++;
        before = sent;
        const reply = replyOf(event, index, texts);
        const output = count(reply.text);
        work += output;
        for (const meter of meters) meter.ask(sent, output, house.minute);
        const usage = {
          inputTokens: sent.reduce((sum, { tokens }) => sum + tokens, 3),
          outputTokens: output,
        };
        const message = { role: 'assistant', content: reply.prose, toolCalls: reply.calls } as const;
        await manager.appendReply({ message, finishReason: 'tool_calls', usage, model: house.model.id });
        for (const [at, call] of reply.calls.entries()) {
          const made = event.calls[at];
          if (made === undefined) continue;
          const text = texts.result(index, at);
          work += count(text);
          await manager.appendToolResult({
            call,
            outcome: outcomeOf(made, text, house.root),
            durationMs: 100,
          });
        }
        house.minute += STEP_MINUTES;
        await manager.maintain(request);
      }
    }
    const swaps = { ...counter.swaps(), summaryRequests };
    const counted = { lossy: swaps.summaries + swaps.removals, masks: swaps.masks };
    return {
      figures: meters.map((meter) => meter.figures(work, counted)),
      swaps,
      unexplainedBreaks: breaks,
      seconds: (performance.now() - started) / 1000,
    };
  } finally {
    await house.close();
  }
}

function beginsWith(request: readonly Sized[], earlier: readonly Sized[]): boolean {
  return earlier.every(({ id }, index) => request[index]?.id === id);
}

function summaryOf(messages: readonly Message[], tokens: number): string {
  const texts = messages.slice(1, -1).map(({ content }) => (typeof content === 'string' ? content : ''));
  return writeSummary(texts, tokens);
}

const names = { read: 'Read', edit: 'Edit', bash: 'Bash', grep: 'Grep' } as const;

function replyOf(
  step: Extract<TraceEvent, { type: 'step' }>,
  event: number,
  texts: TraceTexts,
): { readonly prose: string; readonly calls: readonly ToolCall[]; readonly text: string } {
  const prose = texts.prose(event);
  const calls = step.calls.map(({ tool, title }, at) => {
    const args = texts.args(event, at);
    const input = {
      read: { file_path: title },
      bash: { command: title },
      grep: { pattern: title },
      edit: { file_path: title },
    }[tool];
    const extra = tool === 'edit' ? { new_string: args } : args === '' ? {} : { note: args };
    return {
      id: `call_${event}_${at}`,
      name: names[tool],
      arguments: JSON.stringify({ ...input, ...extra }),
    };
  });
  return { prose, calls, text: [prose, ...calls.map((call) => `${call.name}${call.arguments}`)].join('\n') };
}

function outcomeOf({ tool, title, failed }: TraceCall, text: string, root: string): ToolOutcome {
  const status = failed ? 'error' : 'ok';
  const kind = ({ read: 'file', edit: 'edit', bash: 'command', grep: 'search' } as const)[tool];
  const summary = tool === 'bash' ? { summary: failed ? 'exit 1' : 'exit 0' } : {};
  const changed = {
    path: join(root, title),
    kind: 'modified',
    hash: 'a'.repeat(64),
    added: 3,
    removed: 1,
  } as const;
  return {
    status,
    text,
    kind,
    display: { title, ...summary },
    ...(tool === 'edit' ? { filesChanged: [changed] } : {}),
  };
}

function systemPrompt(tokens: number, count: (text: string) => number): string {
  const line = 'You work in the repository of the user and answer in short sentences.\n';
  return line.repeat(Math.floor(tokens / count(line)));
}
