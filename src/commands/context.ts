import { contextPage } from './pages/contextPage.ts';
import { itemsPage } from './pages/itemsPage.ts';
import type { Command } from './types.ts';

/** Shows what fills the context window, in the tokens that the trigger counts; its items can be steered. */
export const context: Command = {
  name: 'context',
  aliases: [],
  description: 'what fills the window; items, settings, --json',
  argumentHint: '[items]',
  run: async (args, { agent, settings }) => {
    switch (args) {
      case '':
        // Measured first, so that the status line says the same.
        await agent.measure();
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
        return { type: 'notice', text: JSON.stringify(agent.report(), null, 2) };
      default: {
        const text = `/context knows items, settings and --json, not "${args}".`;
        return { type: 'notice', level: 'error', text };
      }
    }
  },
};
