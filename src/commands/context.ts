import type { Agent } from '../agent/types.ts';
import { contextPage } from './pages/contextPage.ts';
import { itemsPage } from './pages/page.ts';
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
