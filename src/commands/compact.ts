import { writesSummary } from '../context/index.ts';
import { compactForecast } from './cost/forecast.ts';
import { diffPage } from './pages/previewPage.ts';
import type { Command, CommandHost } from './types.ts';

/** Summarizes the conversation, previews that, or shows the last compaction; the agent reports the result. */
export const compact: Command = {
  name: 'compact',
  aliases: ['compress', 'summarize'],
  description: 'summarize the conversation; --preview, --diff',
  argumentHint: '[focus]',
  run: (args, host) => {
    const { agent } = host;
    const [, flag, rest = ''] = /^(--\S*)(?:\s+([\s\S]*))?$/.exec(args) ?? [];
    switch (flag) {
      case undefined:
        return { ...compactOp(args), remark: async () => forecast(host) };
      case '--preview':
        return compactOp(rest.trim(), { preview: true });
      case '--diff': {
        const diff = agent.lastDiff();
        if (diff !== undefined) return { type: 'page', page: diffPage(diff) };
        return { type: 'notice', text: 'There is no compaction in this session to show.' };
      }
      default: {
        const text = `/compact has no flag ${flag}, only --preview and --diff. Other text is the focus of the summary.`;
        return { type: 'notice', level: 'error', text };
      }
    }
  },
};

function compactOp(focus: string, options: { readonly preview?: true } = {}) {
  const op = { type: 'compact' as const, ...(focus === '' ? {} : { focus }), ...options };
  return { type: 'op' as const, op };
}

function forecast({ agent, summaryModel }: CommandHost): string | undefined {
  const { measure, model } = agent.state();
  const tokens = measure?.usedTokens ?? 0;
  const other = summaryModel();
  const now = Date.now();
  if (!writesSummary(other, model, tokens)) return compactForecast(agent.entries(), tokens, model.price, now);
  // Another model has nothing in its cache.
  return compactForecast([], tokens, other.price, now);
}

/** Undoes the last compaction if the original messages still fit. */
export const uncompact: Command = {
  name: 'uncompact',
  aliases: ['uncompress'],
  description: 'undo the last compaction',
  run: () => ({ type: 'op', op: { type: 'uncompact' } }),
};
