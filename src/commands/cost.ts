import { grouped } from '../protocol/grouped.ts';
import { dollars, percent } from './figures.ts';
import { type Fact, factsPage } from './pages/factsPage.ts';
import type { Command } from './types.ts';

/** Shows what this session has used so far, summaries included. */
export const cost: Command = {
  name: 'cost',
  aliases: ['usage', 'stats'],
  description: 'show tokens and cost of this session',
  run: (_args, { agent }) => {
    const { usage, model, demo } = agent.state();
    const cached = usage.cachedTokens ?? 0;
    const ofInput = cached === 0 ? '' : ` (${percent(cached, usage.inputTokens)} of input)`;
    const price = demo ? 'nothing: the demo model is built in' : `unknown for ${model.id}`;
    const facts: readonly Fact[] = [
      ['Requests', grouped(usage.requests)],
      ['Input', `${grouped(usage.inputTokens)} tokens`],
      ['  cached', `${grouped(cached)} tokens${ofInput}`],
      ['Output', `${grouped(usage.outputTokens)} tokens`],
      ['Cost', usage.costUsd === undefined || demo ? price : `${dollars(usage.costUsd)} at list price`],
    ];
    return { type: 'page', page: factsPage(facts, 'This session, summaries included') };
  },
};
