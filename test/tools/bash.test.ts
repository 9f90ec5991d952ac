import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CommandSandbox } from '../../src/protocol/sandbox.ts';
import { firstAreQuick, firstIsQuick } from '../e2e/support/long.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeEach(async () => {
  bench = await openWorkbench({
    env: { ...process.env, OPENAI_API_KEY: 'sk-1', CLAWDCODE_X_KEY: 'k', MY_TOKEN: 't' },
    secretEnv: ['MY_TOKEN'],
  });
});
afterEach(() => bench.close());

const bash = (command: string, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
  bench.call('Bash', { command, ...more }, signal);

const until = (condition: () => boolean) => vi.waitUntil(condition, { interval: 10 });

describe('the result', () => {
  const results: readonly (readonly [string, string, string, string])[] = [
    ['is the output', 'echo hello', 'hello', 'ok'],
    ['has both outputs in order', 'echo a; echo b >&2; echo c; echo d >&2', 'a\nb\nc\nd', 'ok'],
    ['has the exit code', 'echo no; exit 3', 'no\nexit code 3', 'error'],
    ['names the signal', 'kill -KILL $$', 'exit code 137 (ended by SIGKILL)', 'error'],
    ['has a heredoc as written', "cat <<'EOF'\n$x 'y'\nEOF", "$x 'y'", 'ok'],
    [
      'sees writes to /dev/stderr and /dev/stdout',
      'echo a > /dev/stderr; echo b | tee /dev/stdout',
      'a\nb\nb',
      'ok',
    ],
    [
      'keeps the last version of a progress line',
      "printf '1%%\\r50%%\\r100%%\\ndone\\r\\n'",
      '100%\ndone',
      'ok',
    ],
    ['says when there is none', 'true', '(no output)', 'ok'],
    ['is not disturbed by a comment at the end', 'echo a # b', 'a', 'ok'],
    ['has nothing on its input', 'cat; echo end', 'end', 'ok'],
    ['has no positional parameters of ours', 'echo "$#:$1"', '0:', 'ok'],
    ['is plain text', "printf '\\033[31mred\\033[0m\\n'", 'red', 'ok'],
    ['comes from a very long command too', `: ${'x'.repeat(200_000)}\necho long`, 'long', 'ok'],
    ['and from one with many quotes', `: "${"'".repeat(60_000)}"\necho long`, 'long', 'ok'],
  ];
  for (const {
    row: [name, command, text, status],
    options,
  } of firstAreQuick(7, results))
    test(name, options, async () => {
      expect(await bash(command)).toMatchObject({ text, status, kind: 'command' });
    });

  for (const { row: command, options } of firstIsQuick(['echo "a', 'if true; then', 'cat <(']))
    test(`reports the syntax error in ${JSON.stringify(command)}`, options, async () => {
      const { text, status } = await bash(command);
      expect(status).toBe('error');
      expect(text).toMatch(/unexpected (EOF|end of file)/);
      expect(text).toMatch(/exit code [12]/);
    });

  test('keeps characters intact that arrive in two chunks', { tags: 'long' }, async () => {
    const { text } = await bash("printf '\\xf0\\x9f'; sleep 0.1; printf '\\x98\\x80 ok'");
    expect(text).toBe('😀 ok');
    expect(bench.live()).toBe('😀 ok');
  });

  test('streams while the command runs', async () => {
    const running = bash('echo first; sleep 0.5; echo second');
    await until(() => bench.live().includes('first'));
    expect(bench.live()).not.toContain('second');
    await running;
    expect(bench.live()).toBe('first\nsecond\n');
  });
});

test.each([
  ['npm test', 'npm test'],
  ['cat <<EOF\na\nEOF', 'cat <<EOF … (+2 lines)'],
])('the title of %j is one line', async (command, title) => {
  expect(await bench.prepare('Bash', { command })).toMatchObject({ title });
});

test('reports a NUL in the command as an error instead of failing', async () => {
  expect(await bash('echo a\0b')).toMatchObject({ status: 'error', text: expect.stringContaining('NUL') });
});

describe('the environment', () => {
  test('has none of our keys, and nothing that waits for a keyboard or looks for updates', async () => {
    const { text } = await bash('env');
    expect(text).not.toMatch(/sk-1|CLAWDCODE_X_KEY|MY_TOKEN/);
    for (const line of [
      'PAGER=cat',
      'GIT_PAGER=cat',
      'GIT_TERMINAL_PROMPT=0',
      'NO_UPDATE_NOTIFIER=1',
      'NPM_CONFIG_UPDATE_NOTIFIER=false',
      'CLAWDCODE=1',
      'AGENT=clawdcode',
      'CLAWDCODE_SESSION_ID=session',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
  });

  test('has no terminal', async () => {
    expect((await bash('cat /dev/tty')).status).toBe('error');
  });
});

describe('the working directory', () => {
  const moves = [
    ['cd sub', 0],
    ['set -eu -C; cd sub; false', 1],
    ['cd sub; exit 4', 4],
    ['cd sub && false', 1],
    ['cd sub # go', 0],
  ] as const;
  for (const {
    row: [command, code],
    options,
  } of firstAreQuick(2, moves))
    test(`persists after "${command}"`, options, async () => {
      mkdirSync(join(bench.root, 'sub'));
      const { text } = await bash(command);
      expect(bench.cwd()).toBe(join(bench.root, 'sub'));
      expect(text).toContain(`(Working directory is now ${join(bench.root, 'sub')}.)`);
      if (code !== 0) expect(text).toContain(`exit code ${code}`);
      expect((await bash('pwd')).text).toBe(join(bench.root, 'sub'));
    });

  test('is kept after a subshell or a syntax error', async () => {
    mkdirSync(join(bench.root, 'sub'));
    await bash('(cd sub; true); echo "');
    expect(bench.cwd()).toBe(bench.root);
  });

  test('falls back to the root if its folder was removed', async () => {
    mkdirSync(join(bench.root, 'sub'));
    await bash('cd sub');
    rmSync(join(bench.root, 'sub'), { recursive: true });
    const { text } = await bash('pwd');
    expect(text).toBe(
      `(The working directory ${join(bench.root, 'sub')} no longer exists; this ran in ${bench.root}.)\n${bench.root}`,
    );
  });
});

describe('large output', () => {
  test('of 200 MB is stored in full in the blob and shown by its ends', { tags: 'long' }, async () => {
    const { text, original } = await bash('echo first; yes 0123456789 | head -c 200000000; echo; echo last');
    expect(original?.bytes).toBe(200_000_000 + 'first\n\nlast\n'.length);
    expect(text.startsWith('first\n0123456789\n')).toBe(true);
    expect(text.endsWith('\nlast')).toBe(true);
    expect(text).toMatch(/\[… [\d,]+ characters left out …\]/);
    expect(text.length).toBeLessThan(1.1 * 1024 * 1024);
  });

  test('is shown in full, and stored, if it is slightly too large for one result', async () => {
    const { text, original } = await bash('seq 1 20000');
    const whole = `${Array.from({ length: 20_000 }, (_, index) => index + 1).join('\n')}\n`;
    expect(text).toBe(whole.trimEnd());
    expect(bench.blobs.get(original?.hash ?? '')?.toString()).toBe(whole);
  });

  test('below that needs no blob', async () => {
    expect((await bash('seq 1 1000')).original).toBeUndefined();
  });
});

test('a command works the same in another shell', async () => {
  const other = await openWorkbench({ shell: '/bin/sh' });
  mkdirSync(join(other.root, 'sub'));
  expect((await other.call('Bash', { command: 'cd sub; echo hi; exit 3' })).text).toContain(
    'hi\n(Working directory',
  );
  expect(other.cwd()).toBe(join(other.root, 'sub'));
  await other.close();
});

test('a missing shell is reported as an error', async () => {
  const other = await openWorkbench({ shell: '/nowhere/bash' });
  expect(await other.call('Bash', { command: 'true' })).toMatchObject({ status: 'error' });
  await other.close();
});

test.each(['user', 'read-only'] as const)(
  'nothing from the project runs in addition to a command (%s)',
  async (basis) => {
    const programs = join(bench.root, 'node_modules/.bin');
    mkdirSync(programs, { recursive: true });
    for (const name of ['mkfifo', 'sh', 'bash', 'env'])
      writeFileSync(join(programs, name), `#!/bin/sh\ntouch ${bench.root}/ran\nexit 1\n`, { mode: 0o755 });
    const PATH = `${programs}:${process.env.PATH}`;
    vi.stubEnv('PATH', PATH);
    const other = await openWorkbench({ env: { PATH } }, { root: bench.root, cwd: () => bench.root });
    try {
      const { text } = await other.call('Bash', { command: 'echo a; echo b >&2' }, undefined, { basis });
      expect(text).toBe('a\nb');
      expect(existsSync(join(bench.root, 'ran'))).toBe(false);
    } finally {
      await other.close();
      vi.unstubAllEnvs();
    }
  },
);

test.each([
  ['npm test', { type: 'on', mode: 'workspace-write' }, 'Runs in the sandbox.'],
  ['npm test', { type: 'on', mode: 'read-only' }, 'Runs in the sandbox: writes nothing.'],
  [
    'docker ps',
    { type: 'on', mode: 'workspace-write' },
    'Runs outside the sandbox, with your own rights (sandbox.excludedCommands).',
  ],
  ['docker ps', { type: 'off', reason: 'switched off' }, 'Runs without a sandbox: switched off.'],
] as const)('the approval dialog for %s shows where it runs (%o)', async (command, state, said) => {
  const sandbox: CommandSandbox = {
    state: async () => state,
    prepare: () => undefined,
    isExcluded: async (asked) => asked.startsWith('docker '),
    steps: async (request) => [{ command: request.command, isConditional: false }],
    confine: () => Promise.reject(new Error('nothing runs')),
    adopt: () => undefined,
    outside: () => {
      throw new Error('nothing runs');
    },
    dispose: () => undefined,
  };
  const other = await openWorkbench({ sandbox });
  try {
    const prepared = await other.prepare('Bash', { command });
    if (prepared.type === 'invalid') throw new Error(prepared.message);
    expect(await prepared.preview()).toMatchObject({ confinement: said });
  } finally {
    await other.close();
  }
});
