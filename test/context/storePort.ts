/** The contract between a store and a ContextManager: one suite, run on each implementation of `SessionStore`. */
import { describe, expect, test } from 'vitest';
import { ContextManager } from '../../src/context/index.ts';
import {
  AmbiguousSessionIdError,
  InvalidSessionIdError,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
  type SessionStore,
} from '../../src/context/storage/sessionStore.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { contextSettingsSchema } from '../../src/protocol/settings/contextSettings.ts';
import { configuration, modelOf, say, step, summary } from './harness.ts';

const prompt = (content: string) =>
  ({ type: 'user', subtype: 'prompt', message: { role: 'user', content } }) as const;

async function all(entries: AsyncIterable<JSONLEntry>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of entries) seqs.push(seq);
  return seqs;
}

/** `open` returns a store without sessions. */
export function storeSuite(name: string, open: () => Promise<SessionStore>): void {
  describe(name, () => {
    test('entries are chained in the order of the calls and cannot be changed', async () => {
      const log = await (await open()).createSession();
      expect(log.entries()).toEqual([]);
      const batches = await Promise.all(
        Array.from({ length: 50 }, (_, n) => log.append([prompt(`a${n}`), prompt(`b${n}`)])),
      );
      const written = batches.flat();
      expect(log.entries()).toEqual(written);
      expect(written.map(({ seq }) => seq)).toEqual(Array.from({ length: 100 }, (_, n) => n));
      for (const [n, entry] of written.entries()) {
        expect(entry.parentUuid).toBe(written[n - 1]?.uuid ?? null);
        expect(entry.sessionId).toBe(log.sessionId);
        expect(Object.isFrozen(entry) && Object.isFrozen(entry.message)).toBe(true);
      }
      expect(written[1]?.message.content).toBe('b0');
      await log.close();
    });

    test('a malformed draft is rejected and leaves nothing behind', async () => {
      const log = await (await open()).createSession();
      const malformed = { type: 'nonsense' } as never;
      await expect(log.append([prompt('one'), malformed])).rejects.toThrow();
      expect(log.entries()).toEqual([]);
      expect((await log.append([prompt('two')])).map(({ seq }) => seq)).toEqual([0]);
      await log.close();
    });

    test('a session is the same after it was closed and reopened', async () => {
      const store = await open();
      const log = await store.createSession('mine');
      log.setCwd('/elsewhere');
      await log.append([prompt('one'), prompt('two')]);
      const before = [...log.entries()];
      await log.sync();
      await log.close();
      await expect(log.append([prompt('three')])).rejects.toThrow('closed');
      const again = await store.openSession('mine');
      expect(again.entries()).toEqual(before);
      expect(before[0]?.cwd).toBe('/elsewhere');
      expect(again.damaged).toEqual([]);
      const [next] = await again.append([prompt('three')]);
      expect([next?.seq, next?.parentUuid]).toEqual([2, before[1]?.uuid]);
      await again.close();
    });

    test('ids are unique, safe, and found by a prefix; an open session is locked', async () => {
      const store = await open();
      const log = await store.createSession('abc1');
      await log.append([prompt('one')]);
      await expect(store.openSession('abc1')).rejects.toThrow(SessionLockedError);
      await log.close();
      await expect(store.createSession('abc1')).rejects.toThrow(SessionExistsError);
      await expect(store.createSession('../abc')).rejects.toThrow(InvalidSessionIdError);
      await expect(store.openSession('unknown')).rejects.toThrow(SessionNotFoundError);
      const other = await store.createSession('abc2');
      await other.append([prompt('two')]);
      await other.close();
      expect(await store.resolveSessionId('abc2')).toBe('abc2');
      await expect(store.resolveSessionId('abc')).rejects.toThrow(AmbiguousSessionIdError);
      await expect(store.resolveSessionId('x')).rejects.toThrow(SessionNotFoundError);
      await expect(store.resolveSessionId('')).rejects.toThrow(SessionNotFoundError);
    });

    test('the list has the sessions that contain a prompt', async () => {
      const store = await open();
      await (await store.createSession('empty')).close();
      const log = await store.createSession('asked');
      await log.append([prompt('What is this?')]);
      await log.close();
      expect((await store.listSessions()).map(({ id, title }) => [id, title])).toEqual([
        ['asked', 'What is this?'],
      ]);
    });

    test('the whole log can be read in both directions', async () => {
      const log = await (await open()).createSession();
      await log.append(Array.from({ length: 10 }, (_, n) => prompt(`p${n}`)));
      const seen = log.seen();
      expect([seen.first, seen.last]).toEqual([0, 9]);
      expect(await all(seen.range(3, 5))).toEqual([3, 4, 5]);
      expect(await all(seen.before(3))).toEqual([2, 1, 0]);
      await log.reach(0);
      expect(log.entries()).toHaveLength(10);
      await log.close();
    });

    test('stores large contents by their hash, whether whole or in pieces', async () => {
      const log = await (await open()).createSession();
      const ref = await log.blobs.put('alpha beta');
      expect(ref).toMatchObject({ bytes: 10, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect((await log.blobs.read(ref))?.toString()).toBe('alpha beta');
      expect((await log.blobs.read(ref, { start: 6, end: 10 }))?.toString()).toBe('beta');
      const sink = log.blobs.openSink();
      sink.write('alpha ');
      sink.write(Buffer.from('beta'));
      expect(await sink.finish()).toEqual(ref);
      expect(await log.blobs.read({ hash: '0'.repeat(64) })).toBeUndefined();
      await log.close();
    });

    test('a fork starts with the same entries and continues on its own', async () => {
      const store = await open();
      const log = await store.createSession('first');
      const start = {
        type: 'system',
        subtype: 'session_start',
        message: { role: 'system', content: '' },
      } as const;
      await log.append([start, prompt('one'), prompt('two')]);
      const id = await store.forkSession(log.entries().slice(0, 2));
      const fork = await store.openSession(id);
      expect(fork.entries().map(({ uuid }) => uuid)).toEqual(
        log
          .entries()
          .slice(0, 2)
          .map(({ uuid }) => uuid),
      );
      expect(fork.entries()[0]).toMatchObject({ sessionId: id, data: { forkedFrom: 'first' } });
      await fork.append([prompt('other')]);
      expect(log.entries()).toHaveLength(3);
      await Promise.all([log.close(), fork.close()]);
    });

    test('changes of files stay the user’s own in the session and in its fork, and in no other', async () => {
      const store = await open();
      const log = await store.createSession('first');
      await log.append([prompt('one')]);
      const after = { type: 'folder', mode: 0o755 } as const;
      const [entry] = await log.append([
        {
          type: 'system',
          subtype: 'checkpoint',
          message: { role: 'system', content: '' },
          data: { cause: 'call', changes: [{ path: '/made', after }] },
        },
      ]);
      if (entry === undefined) throw new Error('nothing was appended');
      expect([log.isOwn(entry), log.isOwn({ ...entry, uuid: 'other' })]).toEqual([true, false]);
      const entries = [...log.entries()];
      await log.close();
      const again = await store.openSession('first');
      expect(again.entries().map((one) => again.isOwn(one))).toEqual([false, true]);
      await again.close();
      for (const from of ['first', 'second', undefined]) {
        const fork = await store.openSession(await store.forkSession(entries, from));
        expect(fork.entries().map((one) => fork.isOwn(one))).toEqual([false, from === 'first']);
        await fork.close();
      }
    });

    test('a manager compacts, resumes, rewinds and undoes on it', async () => {
      const store = await open();
      const manager = () =>
        new ContextManager({
          store,
          root: '/project',
          settings: contextSettingsSchema.parse({}),
          model: () => modelOf(32_000),
          summarize: async () => summary('## Primary Request and Intent\nCount.'),
          isSensitive: () => false,
        });
      const options = { tools: [], signal: new AbortController().signal, emit: () => {} };
      const context = manager();
      const id = await context.createSession(undefined, {}, configuration);
      const first = await context.addMessage('user', 'count the lines');
      for (let n = 0; n < 6; n++) await step(context, `c${n}`, 'a line\n'.repeat(900));
      await context.appendReply(say('done'));
      expect((await context.compressCurrentContext(options)).outcome).toBe('done');
      const second = await context.addMessage('user', 'and now?');
      expect((await context.buildRequest(options)).type).toBe('ready');
      const messages = context.getMessages();
      await context.close();
      const again = manager();
      await again.loadSession(id);
      expect(again.getMessages()).toEqual(messages);
      const correction = { content: 'Rewound.', data: {} };
      for (const { uuid = '' } of [first ?? {}, second ?? {}]) {
        const back = await again.rewindBefore(uuid, correction);
        expect(again.getMessages().length).toBeLessThan(messages.length);
        await again.undo([back?.entry.uuid ?? ''], correction);
        expect(again.getMessages()).toEqual(messages);
      }
      await again.close();
    });
  });
}
