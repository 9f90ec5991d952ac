/** Sessions that are continued, forked, named or not stored. */
import { randomUUID } from 'node:crypto';
import type { Kit, Script } from '../play.ts';
import type { Line } from '../seen.ts';

const said = ({ calls }: Kit): string => JSON.stringify(calls.at(-1)?.messages);
const idOf = (messages: readonly Line[]): string => String(messages.at(-1)?.session_id);

async function twoTurns(kit: Kit) {
  kit.script({ text: 'ANSWER ONE' }, { text: 'ANSWER TWO' }, { text: 'ANSWER THREE' });
  const first = await kit.run('PROMPT ONE');
  const second = await kit.run('PROMPT TWO', { resume: idOf(first) });
  return { first, second, id: idOf(first) };
}

export const sessionScripts: readonly Script[] = [
  {
    name: 'a session is resumed',
    covers: ['resume'],
    async play(kit) {
      const { first, second } = await twoTurns(kit);
      return { first, second, isSame: idOf(first) === idOf(second), knows: said(kit).includes('ANSWER ONE') };
    },
  },
  {
    name: 'the newest session is continued',
    covers: ['continue'],
    async play(kit) {
      kit.script({ text: 'ANSWER ONE' }, { text: 'ANSWER TWO' });
      const first = await kit.run('PROMPT ONE');
      const second = await kit.run('PROMPT TWO', { continue: true });
      return { isSame: idOf(first) === idOf(second), knows: said(kit).includes('ANSWER ONE') };
    },
  },
  {
    name: 'a session is copied',
    covers: ['forkSession'],
    async play(kit) {
      const { id } = await twoTurns(kit);
      const third = await kit.run('PROMPT THREE', { resume: id, forkSession: true });
      return { isOther: idOf(third) !== id, knows: said(kit).includes('ANSWER TWO') };
    },
  },
  {
    name: 'a program that was started before its prompt',
    covers: [],
    async play(kit) {
      kit.script({ text: 'ANSWER ONE' });
      const warm = await kit.startAhead();
      const messages: Line[] = [];
      for await (const message of warm.query('PROMPT ONE')) messages.push(message);
      (await kit.startAhead()).close();
      return { messages, calls: kit.calls.length };
    },
  },
  {
    name: 'a session with an id of the host',
    covers: ['sessionId'],
    async play(kit) {
      kit.script({ text: 'ANSWER ONE' });
      const sessionId = randomUUID();
      return { isUsed: idOf(await kit.run('PROMPT ONE', { sessionId })) === sessionId };
    },
  },
  {
    name: 'a session is resumed up to a message',
    covers: ['resumeSessionAt'],
    async play(kit) {
      const { first, id } = await twoTurns(kit);
      const resumeSessionAt = first.find(({ type }) => type === 'assistant')?.uuid;
      const third = await kit.run('PROMPT THREE', { resume: id, resumeSessionAt, forkSession: true });
      return { third, one: said(kit).includes('ANSWER ONE'), two: said(kit).includes('PROMPT TWO') };
    },
  },
  {
    name: 'a session is resumed up to a message, without a copy',
    covers: ['resumeSessionAt'],
    async play(kit) {
      const { first, id } = await twoTurns(kit);
      const resumeSessionAt = first.find(({ type }) => type === 'assistant')?.uuid;
      const third = await kit.run('PROMPT THREE', { resume: id, resumeSessionAt });
      return {
        isSame: idOf(third) === id,
        one: said(kit).includes('ANSWER ONE'),
        two: said(kit).includes('PROMPT TWO'),
      };
    },
  },
  {
    name: 'a session that is not kept',
    covers: ['persistSession'],
    async play(kit) {
      kit.script({ text: 'ANSWER ONE' }, { text: 'ANSWER TWO' });
      const first = await kit.run('PROMPT ONE', { persistSession: false });
      const again = await kit.run('PROMPT TWO', { resume: idOf(first) }).then(
        (messages) => messages.at(-1)?.is_error === true,
        () => true,
      );
      return { first, isGone: again };
    },
  },
  {
    name: 'a title',
    covers: ['title'],
    async play(kit) {
      kit.script({ text: 'ANSWER ONE' });
      return kit.run('PROMPT ONE', { title: 'My title' });
    },
  },
  {
    name: 'an unknown session',
    covers: ['resume'],
    async play(kit) {
      return kit.run('PROMPT ONE', { resume: randomUUID() }).then(
        (messages) => ({ isError: messages.at(-1)?.is_error }),
        () => ({ isError: true }),
      );
    },
  },
];
