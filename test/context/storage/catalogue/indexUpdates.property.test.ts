/** @module-tag long */
import { cp, mkdtemp, rename, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openCatalogue } from '../../../../src/context/storage/catalogue/SessionCatalogue.ts';
import { addTo, type Catalogue, makeSession, reply, say, title } from './makeSessions.ts';

const ids = ['a', 'b', 'c'] as const;
const words = ['alpha', 'beta', '购物车', 'delta'] as const;

const id = fc.constantFrom(...ids);
const word = fc.constantFrom(...words);
/** Changes on disk between two scans, and the scans themselves. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('add' as const), id, word }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('replace' as const), id, word }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('title' as const), id, word }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant('cut' as const), id, bytes: fc.integer({ min: 1, max: 400 }) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('archive' as const), id }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('unarchive' as const), id }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('vanish' as const), id }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('remove' as const), id }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('move' as const) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('refresh' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('part' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The content of a catalogue, without parts that only the disk decides. */
async function said(catalogue: Catalogue): Promise<unknown> {
  const sessions = (await catalogue.list()).map(
    ({ id, project, title, messageCount, promptCount, isArchived, lastLines }) => ({
      id,
      project,
      title,
      messageCount,
      promptCount,
      isArchived,
      lastLines,
    }),
  );
  const hits = [];
  for (const one of words)
    for (const { session, seq, who, snippet } of await catalogue.search(one, { limit: 1000 }))
      hits.push(`${one}: ${session.project}/${session.id} #${seq} ${who} ${snippet}`);
  return { sessions: sessions.sort((a, b) => (a.id < b.id ? -1 : 1)), hits: hits.sort() };
}

test('after any changes, an updated index equals a new one', {
  tags: 'long',
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const folder = await mkdtemp(join(tmpdir(), 'clawdcode-follows-'));
      const dataRoot = join(folder, 'data');
      const catalogue = openCatalogue({ dataRoot });
      let project = 'p0';
      let generation = 0;
      const lengths = new Map<string, number>();
      const run = async (one: Step): Promise<void> => {
        const key = { project, id: 'id' in one ? one.id : 'a' };
        const file = join(dataRoot, 'projects', project, `${key.id}.jsonl`);
        const exists = (await stat(file).catch(() => undefined)) !== undefined;
        const seq = lengths.get(key.id) ?? 0;
        switch (one.type) {
          case 'add':
          case 'title': {
            if (!exists) return;
            const draft = one.type === 'title' ? title(one.word, 'user') : reply(`says ${one.word}`);
            await addTo(file, { ...key, seq, minute: generation + seq }, [draft]);
            lengths.set(key.id, seq + 1);
            return;
          }
          case 'replace':
            // A log has its own ids and times.
            generation += 100;
            await makeSession(dataRoot, { ...key, minute: generation }, [
              say(`asks ${one.word}`),
              reply('yes'),
            ]);
            lengths.set(key.id, 2);
            return;
          case 'cut':
            if (exists) await truncate(file, Math.max(0, (await stat(file)).size - one.bytes));
            return;
          case 'archive':
            return void (await catalogue.archive(key));
          case 'unarchive':
            return void (await catalogue.unarchive(key));
          case 'vanish':
            return rm(file, { force: true });
          case 'remove':
            return void (await catalogue.remove(key));
          case 'move': {
            const from = join(dataRoot, 'projects', project);
            project = `p${Number(project.slice(1)) + 1}`;
            return rename(from, join(dataRoot, 'projects', project)).catch(() => undefined);
          }
          case 'refresh':
            return void (await catalogue.refresh());
          case 'part':
            return void (await catalogue.refresh(undefined, { maxBytes: 300 }));
        }
      };
      try {
        for (const one of [{ type: 'replace', id: 'a', word: 'alpha' } as const, ...steps]) await run(one);
        await catalogue.refresh();
        const copy = join(folder, 'copy');
        await cp(join(dataRoot, 'projects'), join(copy, 'projects'), {
          recursive: true,
          preserveTimestamps: true,
        });
        const fresh = openCatalogue({ dataRoot: copy });
        await fresh.refresh();
        expect(await said(catalogue)).toEqual(await said(fresh));
        await fresh.close();
      } finally {
        await catalogue.close();
        await rm(folder, { recursive: true, force: true });
      }
    }),
    {
      numRuns: 25,
      examples: [
        [[{ type: 'refresh' }, { type: 'archive', id: 'a' }, { type: 'replace', id: 'a', word: 'delta' }]],
      ],
    },
  );
});
