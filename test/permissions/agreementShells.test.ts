import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { canConfine, MARK, makeArena, runBatch, shellsHere } from '../fuzz/reader/agreement.ts';
import { randomCommand, randomFrom } from '../fuzz/reader/randomCommand.ts';
import { policyFor } from './harness.ts';

/** Long runs: npx node test/fuzz/reader/worker.ts --minutes 60 */
const count = Number(process.env.FUZZ_RUNS ?? 120);
const seed = Number(process.env.FUZZ_SEED ?? 3);

test.skipIf(!canConfine())(
  'a command that nobody is asked about changes nothing and shows no secret, in any shell',
  async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'reader-')));
    try {
      const top = join(base, 'top');
      const { root, home } = makeArena(top);
      const policy = await policyFor([], 'default', { root, home });
      const random = randomFrom(seed);
      const commands: string[] = [];
      while (commands.length < count) {
        const command = randomCommand(random);
        const access = { type: 'command', command, cwd: root } as const;
        if (decide({ tool: 'Bash', access }, policy).behavior === 'allow') commands.push(command);
      }
      expect(await runBatch(commands, shellsHere(), () => makeArena(top), top)).toEqual([]);
      // What would be noticed, if it ran.
      const bad = ['cat .env', 'echo "$TOKEN"', ': > new', 'rm a.txt', `ls ../../outside`];
      const seen = await runBatch(bad, ['bash'], () => makeArena(top), top);
      expect(seen.map(({ command }) => command)).toEqual(bad);
      expect(seen[0]?.what).toContain(MARK);
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  },
  600_000,
);
