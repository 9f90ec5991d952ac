import {
  auditPage,
  createAuditReader,
  createGapCounter,
  incompleteness,
  isNotable,
} from '../pages/auditPage.ts';
import type { Command } from '../types.ts';

const PAGE = 500;

/** Lists the calls of this session: what approved them, their sandbox, and the hosts they contacted. */
export const audit: Command = {
  name: 'audit',
  aliases: [],
  description: 'what ran, what allowed it, its sandbox; all: include read-only calls',
  argumentHint: '[all]',
  run: async (args, { agent }) => {
    const inMemory = agent.entries();
    const earlier = [];
    for (let first = inMemory[0]?.seq ?? 0; first > 0; ) {
      const page = await agent.page(first, PAGE);
      earlier.unshift(...page);
      first = page[0]?.seq ?? 0;
    }
    const gaps = createGapCounter();
    const reader = createAuditReader();
    const ended = [...earlier, ...inMemory].flatMap((entry) => {
      gaps.see(entry.seq);
      return reader.see(entry);
    });
    const rows = [...ended, ...reader.rest()];
    const problem = incompleteness(gaps.missing(), 0);
    const shown = args.trim() === 'all' ? rows : rows.filter(isNotable);
    return { type: 'page', page: auditPage(shown, rows.length - shown.length, problem) };
  },
};
