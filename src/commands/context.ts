import type { ContextMeasure } from '../protocol/events.ts';
import { bar, grouped, percent } from './figures.ts';
import { alignColumns } from './textTable.ts';
import type { Command } from './types.ts';

const barWidth = 40;
const partBarWidth = 12;

const windowSources: Readonly<Record<ContextMeasure['windowSource'], string>> = {
  catalogue: 'known for this model',
  setting: 'from your settings',
  server: 'as the server says',
  assumed: 'assumed, since nobody knows this model; set "contextWindow" or --context-window',
};

/** Shows what fills the context window, in the tokens that the trigger counts. */
export const context: Command = {
  name: 'context',
  aliases: [],
  description: 'show what fills the context window',
  run: async (_args, { agent }) => ({ type: 'notice', text: contextText(await agent.measure()) }),
};

/** The table of `/context`: parts that sum to the total, the trigger, the window and where it comes from. */
export function contextText(measure: ContextMeasure): string {
  const { usedTokens, windowTokens, triggerTokens, replyReserveTokens, parts } = measure;
  const about = measure.exact ? '' : '~';
  const rows = parts.map(({ name, tokens }) => row(name, tokens, usedTokens, windowTokens));
  rows.push(row('free until compaction', Math.max(0, triggerTokens - usedTokens), 0, windowTokens));
  return [
    `Context: ${about}${grouped(usedTokens)} of ${grouped(windowTokens)} tokens (${percent(usedTokens, windowTokens)})`,
    `  ${bar(usedTokens / windowTokens, barWidth, triggerTokens / windowTokens)}`,
    ...alignColumns(rows, new Set([1, 2])),
    `Compaction: at ${grouped(triggerTokens)} tokens (${percent(triggerTokens, windowTokens)}, the mark in the bar); ${grouped(replyReserveTokens)} are kept for the reply`,
    `Window: ${grouped(windowTokens)} tokens for ${measure.model}, ${windowSources[measure.windowSource]}`,
    ...(measure.exact ? [] : ['~ estimated, and corrected by what the endpoint reports']),
  ].join('\n');
}

function row(name: string, tokens: number, used: number, window: number): string[] {
  const share = used === 0 ? '' : bar(tokens / used, partBarWidth).replaceAll('░', '');
  return [name, grouped(tokens), percent(tokens, window), share];
}
