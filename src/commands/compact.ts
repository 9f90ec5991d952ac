import { diffPage } from './pages/previewPage.ts';
import type { Command, CommandResult } from './types.ts';

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
        return compactOp(args, false);
      case '--preview':
        return compactOp(rest.trim(), true);
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

function compactOp(focus: string, preview: boolean): CommandResult {
  const op = { ...(focus === '' ? {} : { focus }), ...(preview ? { preview } : {}) };
  return { type: 'op', op: { type: 'compact', ...op } };
}

/** Undoes the last compaction if the original messages still fit. */
export const uncompact: Command = {
  name: 'uncompact',
  aliases: ['uncompress'],
  description: 'undo the last compaction',
  run: () => ({ type: 'op', op: { type: 'uncompact' } }),
};
