import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { launchPipesOf } from '../../src/protocol/sandbox.ts';
import { earlyStart } from '../../src/sandbox/linux/earlyStart.ts';
import { temporaryFolder } from '../temporaryFolder.ts';
import { confined } from './confined.ts';
import { hasSandbox } from './hasSandbox.ts';

const patience = { timeout: 30_000, interval: 50 };
const parts = {
  ...{ enter: [], bwrap: 'bwrap', inherit: [], shell: '/bin/sh', args: ['-c', 'echo'], env: {} },
  words: ['--bind', '/', '/', '--'],
};
const NUL = '\0';

test.each([
  ['its script', { args: ['-c', `echo ${NUL}--bind${NUL}/${NUL}/`] }],
  ['a path', { words: ['--bind', `/a${NUL}/b`, '/', '--'] }],
  ['a variable', { env: { A: `1${NUL}--share-net` } }],
])(
  'a command with a NUL in %s, which would split arguments, is not sent to a waiting process',
  (_, given) => {
    expect(earlyStart(parts)).toBeDefined();
    expect(earlyStart({ ...parts, ...given })).toBeUndefined();
  },
);

test('a command with more arguments than bubblewrap accepts is not sent to a waiting process', () => {
  const words = Array.from({ length: 9000 }, () => '--unshare-user');
  expect(earlyStart({ ...parts, words })).toBeUndefined();
});

describe.skipIf(!hasSandbox)('a waiting process', () => {
  test('runs nothing if the command arrives incomplete', async () => {
    const [done, cut] = [join(temporaryFolder(), 'ran'), join(temporaryFolder(), 'ran')];
    for (const file of [done, cut]) {
      const start = earlyStart({ ...parts, args: ['-c', `: > ${file}`] });
      if (start === undefined) throw new Error('It can be sent.');
      const stdio = ['ignore', 'ignore', 'ignore', ...start.inherit] as const;
      const child = spawn(start.program, start.args, { stdio: [...stdio] });
      const [input] = launchPipesOf(child);
      const received: string[] = [];
      start.send([{ on: () => undefined, end: (text) => received.push(String(text)) }]);
      const sent = received.join('');
      // The last variable marks the end.
      input?.end(file === done ? sent : sent.slice(0, sent.lastIndexOf('--setenv')));
      await once(child, 'exit');
    }
    expect([done, cut].map(existsSync)).toEqual([true, false]);
  });

  test('runs a command with many quotes', async () => {
    const { run, close } = await confined();
    const command = `: "${"'".repeat(32_720)}"; echo done; tr '\\0' ' ' < /proc/1/cmdline`;
    await vi.waitFor(async () => {
      const { text } = await run(command);
      expect(text).toContain('done');
      expect(text).toContain('--args');
    }, patience);
    await close();
  });

  test('runs a command as a newly started process would', async () => {
    const { run, close } = await confined({ env: { OWN: "it's\n$(mine)", GITHUB_TOKEN: 'SECRET' } });
    const command = [
      'env | sort; echo "[$CLAWDCODE_SCRIPT$CLAWDCODE_COMPLETE]"; pwd; umask; ulimit -a',
      'echo "$OWN"; echo "$0 $- $# $LINENO"; nosuchcommand; cat /proc/self/oom_score_adj',
      "ls /proc/self/fd; grep -E '^(Cap|Seccomp|NoNewPrivs|Groups)' /proc/self/status",
      "(exit 3); echo $? 'a  b'",
    ].join('\n');
    const [init, mark] = ["tr '\\0' ' ' < /proc/1/cmdline", '-- INIT'];
    const both = async (basis: 'user' | 'read-only') => {
      const { text } = await run(`${command}; echo '${mark}'; ${init}`, { basis });
      const [shown = '', started = ''] = text.split(mark);
      return {
        shown: shown.replace(/http:\/\/[\w-]+:x@/g, 'PROXY').replace(/clawdcode-\d+-\w+/g, 'SCRATCH'),
        isEarly: started.includes('--args'),
      };
    };
    for (const basis of ['user', 'read-only'] as const) {
      const first = basis === 'user' ? await both(basis) : undefined;
      const early = await vi.waitFor(async () => {
        const later = await both(basis);
        expect(later.isEarly).toBe(true);
        return later;
      }, patience);
      if (first === undefined) continue;
      expect(first.isEarly).toBe(false);
      expect(early.shown).toBe(first.shown);
      expect(early.shown).toContain("it's\n$(mine)");
      expect(early.shown).not.toContain('SECRET');
    }
    await close();
  });

  test('reports the output and exit code of a command, and can be stopped', async () => {
    const { run } = await confined();
    for (let left = 3; left > 0; left--) await run('true');
    expect((await run('echo out; echo err >&2; exit 4')).text).toMatch(/out\nerr[\s\S]*\b4\b/);
    expect((await run('sleep 30', { timeout: 1000 })).text).toContain('background');
  });
});
