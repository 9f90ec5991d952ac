import type { JSONLEntry } from '../protocol/entries.ts';
import type { Command, CommandHost, CommandResult } from './types.ts';

/**
 * Resumes an earlier session by id, the beginning of an id, or title. An unknown one is an error, never a new session.
 */
export const resume: Command = {
  name: 'resume',
  aliases: ['continue', 'sessions'],
  description: 'resume an earlier session',
  argumentHint: '[session]',
  run: async (args, host) => {
    if (args === '') return { type: 'dialog', dialog: 'resume' };
    if ((await host.findSession(args)) === 'found') return { type: 'open_session', target: { id: args } };
    const text = `There is no session "${args}" in this project: give an id, an id prefix, or a title. /resume alone lists them.`;
    return { type: 'notice', level: 'error', text };
  },
};

/** Maximum characters of a title. */
const MAX_CHARACTERS = 200;

/** Gives the session a title, which overrides the model's and the one from the first prompt. */
export const rename: Command = {
  name: 'rename',
  aliases: ['name'],
  description: 'rename this session',
  argumentHint: '[title]',
  run: (args, { agent }) => {
    const title = [...args.replace(/\s+/g, ' ').trim()].slice(0, MAX_CHARACTERS).join('');
    if (title !== '') return { type: 'op', op: { type: 'set_title', title } };
    const current = agent.state().title;
    const now =
      current === undefined ? 'This session has no title yet' : `This session is called “${current}”`;
    return { type: 'notice', text: `${now}. /rename TITLE changes it.` };
  },
};

/** Continues in a copy of the open session; the original stays unchanged. */
export const fork: Command = {
  name: 'fork',
  aliases: ['branch'],
  description: 'continue in a copy of this session; the original is kept',
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
  if (!agent.entries().some(isConversationEntry)) return error('Nothing to fork yet.');
  return { type: 'fork_session' };
}

function upTo(seq: number, { agent }: CommandHost): CommandResult {
  const last = agent.entries().at(-1)?.seq ?? -1;
  if (seq > last) return error(`This session ends at #${last}: there is no #${seq} to fork at.`);
  return { type: 'fork_session', uptoSeq: seq };
}

function isConversationEntry({ type }: JSONLEntry): boolean {
  return type !== 'system';
}

function error(text: string): CommandResult {
  return { type: 'notice', level: 'error', text };
}

/** Starts a new session; the old one stays on disk. */
export const clear: Command = {
  name: 'clear',
  aliases: ['new', 'reset'],
  description: 'start a new session; you can resume this one later',
  run: () => ({ type: 'open_session', target: 'new' }),
};

/** Exits; the session stays resumable. */
export const exit: Command = {
  name: 'exit',
  aliases: ['quit'],
  description: 'quit; you can resume the session later',
  run: () => ({ type: 'exit' }),
};
