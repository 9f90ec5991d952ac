import type { Agent } from '../agent/types.ts';
import { grouped } from '../protocol/text/numbers.ts';
import { dollars, percent } from './figures.ts';
import { contextPage } from './pages/contextPage.ts';
import { type Fact, factsPage, itemsPage } from './pages/page.ts';
import type { Command } from './types.ts';

/** Shows what fills the context window, by the same count that triggers compaction; its items can be edited. */
export const context: Command = {
  name: 'context',
  aliases: [],
  description: 'what fills the context window; items, settings, --json',
  argumentHint: '[items]',
  run: async (args, { agent, settings }) => {
    switch (args) {
      case '':
        // Refine the count first, so that the status line shows the same number.
        await agent.refine();
        return { type: 'page', page: contextPage(agent.report(), agent.state().model.price) };
      case 'items':
        return { type: 'dialog', dialog: 'items', page: itemsPage(agent.items()) };
      case 'settings':
      case 'config': {
        const facts = { settings: settings(), model: agent.state().model, report: agent.report() };
        const { settingsPage } = await import('./pages/settingsPage.ts');
        return { type: 'page', page: settingsPage(facts) };
      }
      case 'json':
      case '--json':
        await agent.refine();
        return { type: 'notice', text: JSON.stringify(everything(agent), null, 2) };
      default: {
        const text = `Unknown argument "${args}": use /context items, settings or --json.`;
        return { type: 'notice', level: 'error', text };
      }
    }
  },
};

/** Returns the report with the session's layers; messages are only counted, since the log has them. */
function everything(agent: Agent): object {
  const report = agent.report();
  const data = agent.contextData();
  if (data === undefined) return report;
  const { messages, ...conversation } = data.layers.conversation;
  const layers = { ...data.layers, conversation: { ...conversation, messages: messages.length } };
  return { ...report, layers, metadata: data.metadata };
}

function estimatedNote({ requests, estimated }: { readonly requests: number; readonly estimated: number }) {
  if (estimated === 0) return '';
  const which = estimated === requests ? '' : ` for ${grouped(estimated)}`;
  return ` (tokens estimated${which}: the server reports none)`;
}

/** Shows the session's tokens and cost, including summaries. */
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
      ['Requests', `${grouped(usage.requests)}${estimatedNote(usage)}`],
      ['Input', `${grouped(usage.inputTokens)} tokens`],
      ['  cached', `${grouped(cached)} tokens${ofInput}`],
      ['Output', `${grouped(usage.outputTokens)} tokens`],
      ['Cost', usage.costUsd === undefined || demo ? price : `${dollars(usage.costUsd)} at list price`],
    ];
    return { type: 'page', page: factsPage(facts, 'This session, summaries included') };
  },
};
