/**
 * Random sessions of turns, rewinds and undos, compared with snapshots that the test takes itself.
 *
 * @module-tag long
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { calls, says } from '../scriptedModel.ts';
import { startRewindTest } from './rewindTest.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd/e', 'd/f/g');
const quoted = (text: string): string => `'${text.replaceAll("'", '')}'`;

/** One line of shell that changes something, or fails to. */
const deed = fc.oneof(
  fc.tuple(name, fc.string({ maxLength: 5 })).map(([file, text]) => `printf %s ${quoted(text)} > ${file}`),
  fc.tuple(name, fc.nat(9)).map(([file, line]) => `echo ${line} >> ${file}`),
  name.map((file) => `printf '\\000\\377' >> ${file}`),
  name.map((file) => `rm -r ${file}`),
  fc.tuple(name, name).map(([from, to]) => `mv ${from} ${to}`),
  fc.tuple(name, fc.constantFrom('600', '755')).map(([file, mode]) => `chmod ${mode} ${file}`),
  name.map((file) => `ln -sfn a ${file}`),
  fc.constantFrom('rm -r d', 'mkdir -p d/f', 'mkdir -p empty', 'rmdir empty', 'mv d elsewhere'),
);

const operation = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('turn' as const),
      deeds: fc.array(deed, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('back' as const),
      pick: fc.nat(10),
      scope: fc.constantFrom('both' as const, 'conversation' as const, 'files' as const),
      andUndo: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('shell' as const), deed }) },
);

test('every rewind restores exactly the earlier state, and undoing it restores everything', {
  tags: 'long',
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 3, maxLength: 9 }), async (operations) => {
      const turns = operations.filter((one) => one.do === 'turn');
      const set = await startRewindTest({
        answers: turns.flatMap(({ deeds }, at) => [
          calls([`c${at}`, 'Bash', { command: deeds.join('; ') }]),
          says(`Turn ${at} is done.`),
        ]),
      });
      await set.put('a', '1\n2\n3\n');
      await set.put('d/e', 'e\n', 0o755);
      /** The tree and the conversation before each turn, by the uuid of its prompt. */
      const before = new Map<string, { tree: object; said: readonly string[] }>();
      let asked = 0;
      for (const one of operations) {
        const now = { tree: await set.tree(), said: set.conversation() };
        if (one.do === 'turn') {
          const text = `turn ${asked++}`;
          await set.ask(text);
          before.set(set.prompt(text), now);
        } else if (one.do === 'shell') await set.run({ type: 'shell', command: one.deed });
        else {
          const live = await set.agent.turns(100);
          const turn = live[one.pick % Math.max(1, live.length)];
          if (turn === undefined) continue;
          const then = before.get(turn.uuid);
          const report = await set.back(turn.text, one.scope);
          const isDone = report.outcome === 'done';
          // Only the session has changed anything, so there is nothing to merge or to keep.
          if (!isDone) expect(report.message).toContain('Everything already matches that point.');
          expect(await set.tree()).toEqual(one.scope === 'conversation' ? now.tree : then?.tree);
          if (one.scope !== 'files') expect(set.conversation()).toEqual(then?.said);
          if (!one.andUndo || !isDone) continue;
          expect((await set.undo()).outcome).toBe('done');
          expect(await set.tree()).toEqual(now.tree);
          expect(set.conversation()).toEqual(now.said);
        }
      }
    }),
    { numRuns: 8 },
  );
});
