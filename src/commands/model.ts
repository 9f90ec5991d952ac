import type { Command } from './types.ts';

/** Switches the model, or opens the list of them. */
export const model: Command = {
  name: 'model',
  aliases: [],
  description: 'switch the model',
  argumentHint: '[id]',
  run: (args) => {
    if (args === '') return { type: 'dialog', dialog: 'model' };
    if (/\s/.test(args)) {
      return { type: 'notice', level: 'error', text: `"${args}" is not a model id: ids hold no blanks.` };
    }
    return { type: 'op', op: { type: 'set_model', model: args } };
  },
};
