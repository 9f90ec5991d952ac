/** @module-tag long */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import type { Policy } from '../../../src/permissions/policy.ts';
import { runBatch } from '../../fuzz/reader/agreement.ts';
import { canConfine, type Job, shellsHere } from '../../fuzz/reader/confine.ts';
import { Ground } from '../../fuzz/reader/Ground.ts';
import { randomFrom } from '../../fuzz/reader/random.ts';
import { randomJob } from '../../fuzz/reader/randomCommand.ts';
import { compareWords } from '../../fuzz/reader/recorded.ts';
import { policyFor } from '../harness.ts';

/** Long runs: npx node test/fuzz/reader/worker.ts --minutes 60 */
const count = Number(process.env.FUZZ_RUNS ?? 120);
const seed = Number(process.env.FUZZ_SEED ?? 3);

test.skipIf(!canConfine())(
  'a command that needs no approval changes nothing and shows no secret in any shell',
  { tags: 'long', timeout: 600_000 },
  async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'reader-')));
    try {
      const ground = new Ground(join(base, 'top'), 'links');
      const { root, home, top } = ground.arena;
      const policy = await policyFor([], 'default', { root, home });
      const random = randomFrom(seed);
      const jobs: Job[] = [];
      while (jobs.length < count) {
        const job = randomJob(random, top);
        const access = { type: 'command', command: job.command, cwd: join(root, job.folder) } as const;
        if (decide({ tool: 'Bash', access }, policy).behavior === 'allow') jobs.push(job);
      }
      expect((await runBatch(jobs, ground, shellsHere())).surprises).toEqual([]);
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  },
);

test.skipIf(!canConfine())(
  'the shells run each program with the words and in the folder that the reader expects',
  { tags: 'long', timeout: 600_000 },
  async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'reader-')));
    try {
      const { arena } = new Ground(join(base, 'top'), 'names');
      const policy = await policyFor([], 'default', { root: arena.root, home: arena.home });
      const random = randomFrom(seed);
      const jobs: Job[] = [];
      while (jobs.length < count) {
        const job = randomJob(random, arena.top);
        if (policy.parseCommand(job.command).ok) jobs.push(job);
      }
      const { runs, surprises } = await compareWords(jobs, policy, arena, shellsHere());
      expect(surprises).toEqual([]);
      expect(runs).toBeGreaterThan(count / 2);
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  },
);

/** What runs, and what the reader returns instead. */
const misread: readonly (readonly [runs: string, read: string])[] = [
  ['ls a.txt', 'ls b.txt'],
  ['ls', 'ls a.txt'],
  ['ls; touch p', 'ls'],
  ['cd src; ls', 'ls'],
  ['echo "$(touch p)"', 'echo x'],
  ['cat *.txt', 'cat src/*'],
  ['cat ~/n.txt', "cat '~/n.txt'"],
];

test.skipIf(!canConfine())(
  'a mistake of the reader is detected and reported once for each shell',
  { tags: 'long', timeout: 600_000 },
  async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'reader-')));
    try {
      const { arena } = new Ground(join(base, 'top'), 'clean');
      const policy = await policyFor([], 'default', { root: arena.root, home: arena.home });
      const wrong: Policy = {
        ...policy,
        parseCommand: (command) =>
          policy.parseCommand(misread.find(([runs]) => runs === command)?.[1] ?? command),
      };
      const jobs = [...misread.map(([command]) => command), 'ls src', 'cd src && wc -l *.ts'].map(
        (command) => ({
          command,
          folder: '.',
        }),
      );
      const { surprises } = await compareWords(jobs, wrong, arena, ['bash']);
      expect(surprises.map(({ command }) => command)).toEqual(misread.map(([runs]) => runs));
      expect((await compareWords(jobs, policy, arena, shellsHere())).surprises).toEqual([]);
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  },
);

/** Violations, and how each is reported. */
const bad: readonly (readonly [command: string, what: string])[] = [
  ['cat .env', 'read'],
  ['cat .env >/dev/null', 'read'],
  ['echo "$TOKEN"', 'showed'],
  ['[ "${TOKEN#a}" = "$TOKEN" ] || echo yes', 'depends on a secret'],
  ['case $TOKEN in a*) true;; *) false;; esac', 'depends on a secret'],
  [': > new', 'changed'],
  [': > new; rm new', 'changed'],
  ['rm a.txt', 'changed'],
  ['touch -d 2001-01-01 a.txt', 'changed'],
  ['chmod +x a.txt', 'changed'],
  [': > /tmp/x', 'changed'],
  [': > /dev/shm/x', 'changed'],
  [': > ~/.profile', 'changed'],
  [': > /etc/x', 'tried'],
  ['tar tf 127.0.0.1:x.tar', 'tried'],
  ['gpg --version', 'changed'],
  ['ls ../../outside', 'showed'],
  ['cat ../../outside/o.txt | tr A-Za-z B-ZAb-za', 'read'],
  ['exec 3<>/dev/tcp/127.0.0.1/9', 'used the network'],
  ['exec 3<>/dev/udp/192.0.2.1/53', 'used the network'],
];

test.skipIf(!canConfine())(
  'every violation is detected, even next to harmless commands and one that hangs',
  { tags: 'long', timeout: 600_000 },
  async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'reader-')));
    try {
      const ground = new Ground(join(base, 'top'), 'clean');
      const job = (command: string): Job => ({ command, folder: '.' });
      for (const [command, what] of bad) {
        const [seen] = (await runBatch([job(command)], ground, ['bash'])).surprises;
        expect(seen?.what, command).toContain(what);
      }
      const mixed = ['ls', 'cat .env', '[ -n "$TOKEN" ]', 'echo )', ': > new', 'cat a.txt'].map(job);
      const { surprises } = await runBatch(mixed, ground, ['bash']);
      expect(surprises.map(({ command }) => command)).toEqual(['cat .env', ': > new']);
      const waiting = ['ls', 'tail -f a.txt', 'cat a.txt'].map(job);
      expect(await runBatch(waiting, ground, ['bash'])).toEqual({
        surprises: [],
        hung: [job('tail -f a.txt')],
      });
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  },
);
