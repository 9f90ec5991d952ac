import { initPrompt } from './initPrompt.ts';
import type { Command } from './types.ts';

/** Has the model write an AGENTS.md, or improve the one that is there; what it writes is asked for as ever. */
export const init: Command = {
  name: 'init',
  aliases: [],
  description: 'write an AGENTS.md for this project',
  argumentHint: '[what matters]',
  run: async (args, host) => {
    const text = initPrompt(await host.projectFacts(), args);
    return { type: 'op', op: { type: 'prompt', text, display: args === '' ? '/init' : `/init ${args}` } };
  },
};
