import { type Effort, efforts } from '../protocol/wires.ts';
import type { Command } from './types.ts';

/** Sets how much the model reasons, for this session. */
export const effort: Command = {
  name: 'effort',
  aliases: [],
  description: 'set how much the model reasons',
  argumentHint: '[level]',
  run(args, host) {
    const { model } = host.agent.state();
    if (args === '')
      return {
        type: 'notice',
        text: `Effort: ${model.effort ?? `the default of ${model.id}`}. Levels: ${efforts.join(', ')}, or default.`,
      };
    const level = efforts.find((one): one is Effort => one === args.toLowerCase());
    if (level === undefined && args !== 'default')
      return {
        type: 'notice',
        level: 'error',
        text: `"${args}" is no effort: choose ${efforts.join(', ')} or default.`,
      };
    return { type: 'op', op: { type: 'set_effort', ...(level && { effort: level }) } };
  },
};
