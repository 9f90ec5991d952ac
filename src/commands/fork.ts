import type { JSONLEntry } from '../protocol/entries.ts';
import type { Command, CommandHost, CommandResult } from './types.ts';

/** Goes on in a copy of the open session; the session itself stays as it is. */
export const fork: Command = {
  name: 'fork',
  aliases: ['branch'],
  description: 'continue in a copy of this session; the original stays',
  argumentHint: '[at #number]',
  run: (args, host) => {
    const [, number] = /^(?:at\s+)?#?(\d+)$/i.exec(args) ?? [];
    if (args !== '' && number === undefined)
      return error('/fork copies the whole session, /fork at #12 its beginning up to entry 12.');
    if (host.agent.state().busy)
      return error('Something is still running: press Esc to stop it, or wait, then /fork.');
    return number === undefined ? whole(host) : upTo(Number(number), host);
  },
};

function whole({ agent }: CommandHost): CommandResult {
  if (!agent.entries().some(isSaid)) return error('Nothing to fork yet.');
  return { type: 'fork_session' };
}

function upTo(seq: number, { agent }: CommandHost): CommandResult {
  const last = agent.entries().at(-1)?.seq ?? -1;
  if (seq > last) return error(`This session ends at #${last}: there is no #${seq} to fork at.`);
  return { type: 'fork_session', uptoSeq: seq };
}

function isSaid({ type }: JSONLEntry): boolean {
  return type !== 'system';
}

function error(text: string): CommandResult {
  return { type: 'notice', level: 'error', text };
}
