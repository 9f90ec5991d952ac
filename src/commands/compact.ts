import { compactForecast } from './cost/forecast.ts';
import { diffPage } from './pages/previewPage.ts';
import type { Command, CommandHost } from './types.ts';

/** Summarizes the conversation, previews that, or shows the last compaction; the agent reports the result. */
export const compact: Command = {
  name: 'compact',
  aliases: ['compress', 'summarize'],
  description: 'summarise the conversation; --preview, --diff',
  argumentHint: '[focus]',
  run: (args, { agent }) => {
    const [, flag, rest = ''] = /^(--\S*)(?:\s+([\s\S]*))?$/.exec(args) ?? [];
    switch (flag) {
      case undefined:
        return { ...compactOp(args), remark: async () => forecast(agent) };
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

function forecast(agent: CommandHost['agent']): string | undefined {
  const { measure, model } = agent.state();
  return compactForecast(agent.entries(), measure?.usedTokens ?? 0, model.price, Date.now());
}

/** Undoes the last compaction if the original messages still fit. */
export const uncompact: Command = {
  name: 'uncompact',
  aliases: ['uncompress'],
  description: 'undo the last compaction',
  run: () => ({ type: 'op', op: { type: 'uncompact' } }),
};
