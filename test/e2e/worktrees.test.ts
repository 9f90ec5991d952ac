/** Subagents in separate git worktrees, from the model's call to the files that remain. */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hasSandbox } from '../sandbox/hasSandbox.ts';
import { keys } from '../ui/screen.ts';
import { startDriver } from './support/driver.ts';
import { isAlive } from './support/processes.ts';
import type { ScriptedReply, WireRequest } from './support/server.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const isOf = (request: WireRequest, task: string): boolean =>
  request.messages.some((message) => message.role === 'user' && textOf(message).includes(task));

const isolated = (description: string, prompt: string, more: object = {}) => ({
  name: 'Agent',
  input: { description, prompt, isolation: 'worktree', ...more },
});

/** Replies by the requesting agent: each list is used up in order. */
function answering(server: TestProgram['server'], scripts: Readonly<Record<string, ScriptedReply[]>>): void {
  server.otherwise((request) => {
    const task = Object.keys(scripts).find((name) => name !== 'main' && isOf(request, name)) ?? 'main';
    return scripts[task]?.shift() ?? { error: { status: 400, message: `nothing left to say for ${task}` } };
  });
}

/** The folders and branches of the repository's worktrees, without the repository itself. */
async function worktreesOf({ work }: TestProgram): Promise<readonly { path: string; branch: string }[]> {
  const listed = await work.git('worktree', 'list', '--porcelain');
  return [...listed.matchAll(/^worktree (.*)\nHEAD .*\nbranch refs\/heads\/(clawdcode\/.*)$/gm)].map(
    ([, path = '', branch = '']) => ({ path, branch }),
  );
}

async function shared(text = 'line of all\n'): Promise<TestProgram> {
  const setup = await setUpProgram();
  await setup.work.write('shared.txt', text);
  await setup.work.git('add', '.');
  await setup.work.git('commit', '-qm', 'shared');
  return setup;
}

test('three subagents edit the same file at once without a conflict, each on a named branch', {
  tags: 'long',
}, async () => {
  const setup = await shared();
  const { server, ready, work } = setup;
  const edits = (who: string): ScriptedReply[] => [
    { calls: [{ name: 'Read', input: { file_path: 'shared.txt' } }] },
    {
      calls: [
        {
          name: 'Edit',
          input: { file_path: 'shared.txt', old_string: 'line of all', new_string: `line of ${who}` },
        },
      ],
    },
    { text: `${who} is done.` },
  ];
  answering(server, {
    'TASK-ONE': edits('one'),
    'TASK-TWO': edits('two'),
    'TASK-THREE': edits('three'),
    main: [
      {
        calls: [
          isolated('edit one', 'Do TASK-ONE.'),
          isolated('edit two', 'Do TASK-TWO.'),
          isolated('edit three', 'Do TASK-THREE.'),
        ],
      },
      { text: 'All three are back.' },
    ],
  });
  const terminal = await ready();
  await terminal.submit('do all three');
  for (const answered of [0, 1, 2]) {
    await terminal.until(
      () => server.requests().filter((one) => isOf(one, 'TASK-')).length >= 6 + answered,
      'the subagents want to edit',
    );
    await terminal.waitFor(/general-purpose: edit \w+ asks: Edit shared\.txt\?/);
    await terminal.waitForWrapped(/In its worktree ?\S+\/worktrees\/repository-\w{8}\/edit-\w+-\w{6}/);
    await terminal.answer('y');
  }
  await terminal.waitFor('All three are back.');
  await terminal.waitForIdle();
  expect(await work.read('shared.txt')).toBe('line of all\n');
  const made = await worktreesOf(setup);
  expect(made.map(({ path }) => readFileSync(join(path, 'shared.txt'), 'utf8')).sort()).toEqual([
    'line of one\n',
    'line of three\n',
    'line of two\n',
  ]);
  const results =
    server
      .requests()
      .at(-1)
      ?.messages.filter(({ role }) => role === 'tool') ?? [];
  for (const { path, branch } of made) {
    expect(path.startsWith(join(work.data, 'worktrees'))).toBe(true);
    const result = results.map(textOf).find((text) => text.includes(branch));
    expect(result).toContain(
      `on branch ${branch} (1 uncommitted file), in the worktree ${path}:\n shared.txt | 2`,
    );
    expect(terminal.everything()).toContain(`branch ${branch}`);
  }
  // It is not part of the turn's files.
  expect(terminal.everything()).not.toMatch(/Edited|3 files/);
  await terminal.submit('/agents');
  await terminal.waitFor('Worktrees');
  await terminal.waitFor(made[0]?.branch ?? '');
  expect(terminal.everything()).toContain('1 uncommitted file (general-purpose: edit');
});

test('nothing of a hostile repository runs, and the model is told what is missing', {
  tags: 'long',
}, async () => {
  const setup = await shared();
  const { server, print, work } = setup;
  const trap = join(work.temporary, 'trap');
  mkdirSync(trap);
  const evil = (name: string): string => {
    const file = join(work.temporary, name);
    writeFileSync(file, `#!/bin/sh\ntouch '${join(trap, name)}'\ncat\n`);
    chmodSync(file, 0o755);
    return file;
  };
  await work.write('.gitattributes', '*.txt filter=evil\n');
  await work.write('.gitmodules', '[submodule "s"]\n\tpath = s\n\turl = ext::sh\n');
  await work.git('add', '.');
  await work.git('commit', '-qm', 'traps');
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
    writeFileSync(join(work.repository, '.git', 'hooks', hook), `#!/bin/sh\ntouch '${join(trap, hook)}'\n`);
    chmodSync(join(work.repository, '.git', 'hooks', hook), 0o755);
  }
  await work.write('shared.txt', 'not committed\n');
  await work.git('config', 'filter.evil.smudge', evil('smudge'));
  await work.git('config', 'filter.evil.clean', evil('clean'));
  await work.git('config', 'core.fsmonitor', evil('fsmonitor'));
  await work.git('config', 'protocol.ext.allow', 'always');
  // Git itself has triggered some.
  for (const name of readdirSync(trap)) rmSync(join(trap, name));
  server.script(
    { calls: [isolated('look', 'Look around.')] },
    { calls: [{ name: 'Read', input: { file_path: 'shared.txt' } }] },
    { calls: [{ name: 'Bash', input: { command: 'git status' } }] },
    { text: 'Looked.' },
    { text: 'Done.' },
  );
  expect((await print(['-p', 'look'])).code).toBe(0);
  const [, child, second, , last] = server.requests();
  expect(textOf(child?.messages[0])).toContain("The user's uncommitted changes (one file) are not in it");
  expect(textOf(child?.messages[0])).toContain('Submodules are empty folders in it.');
  expect(textOf(second?.messages.at(-1))).toContain('line of all');
  expect(textOf(last?.messages.at(-1))).toContain(
    'It changed nothing, so its worktree and the branch clawdcode/look-',
  );
  expect(readdirSync(trap)).toEqual([]);
  expect(await worktreesOf(setup)).toEqual([]);
});

test('without a commit the call fails with the reason, and the turn continues', {
  tags: 'long',
}, async () => {
  const { server, print, work } = await setUpProgram();
  rmSync(join(work.repository, '.git'), { recursive: true });
  await work.git('init', '-q');
  server.script({ calls: [isolated('look', 'Look around.')] }, { text: 'No worktree then.' });
  expect((await print(['-p', 'look'])).stdout).toContain('No worktree then.');
  expect(textOf(server.requests().at(-1)?.messages.at(-1))).toContain(
    'isolation "worktree" needs a git repository with a commit; this one has none yet.',
  );
});

/**
 * The program with a git that hangs, once `hang` was called, where its arguments match a shell pattern; with a child that
 * keeps its output open. `afterwards`: it hangs when it has done its work.
 */
async function withHangingGit(setup: TestProgram, pattern: string, afterwards: boolean) {
  const { work, ready, access } = setup;
  const [programs, hangs, pid] = ['programs', 'hangs', 'pid'].map((name) => join(work.temporary, name));
  if (programs === undefined || hangs === undefined || pid === undefined) throw new Error('no folder');
  mkdirSync(programs);
  const real = (await promisify(execFile)('sh', ['-c', 'command -v git'])).stdout.trim();
  const script = `#!/bin/sh
if [ -e '${hangs}' ]; then case " $* " in ${pattern})
  ${afterwards ? `'${real}' "$@"` : ''}
  sleep 1000 & echo $! > '${pid}.new'; mv '${pid}.new' '${pid}'; wait
esac; fi
exec '${real}' "$@"
`;
  writeFileSync(join(programs, 'git'), script, { mode: 0o755 });
  const terminal = await ready([], {
    env: work.env({ ...access, PATH: `${programs}:${process.env.PATH}` }),
  });
  return {
    terminal,
    hang: () => writeFileSync(hangs, ''),
    /** Presses Esc once it hangs, and lets it work again when it has ended. */
    async stop(): Promise<void> {
      await terminal.until(() => existsSync(pid), 'git hangs');
      const child = Number(readFileSync(pid, 'utf8'));
      expect(isAlive(child)).toBe(true);
      await terminal.press(keys.escape);
      await terminal.waitFor('Interrupted.');
      await terminal.waitForIdle();
      await terminal.until(() => !isAlive(child), 'git has ended');
      rmSync(hangs);
    },
  };
}

test.each([
  ['before there is anything', '*', false],
  ['with half a worktree', "*' worktree add '*", true],
])(
  'Esc ends a subagent while git hangs %s, and leaves nothing behind',
  { tags: 'long' },
  async (_, pattern, afterwards) => {
    const setup = await shared();
    const { server, work } = setup;
    server.script({ calls: [isolated('look', 'Look around.')] }, { text: 'You stopped it.' });
    const { terminal, hang, stop } = await withHangingGit(setup, pattern, afterwards);
    hang();
    await terminal.submit('look');
    await stop();
    await terminal.submit('what was that?');
    await terminal.waitFor('You stopped it.');
    await terminal.waitForIdle();
    const place = join(work.data, 'worktrees');
    const left = (): readonly string[] =>
      existsSync(place)
        ? readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'))
        : [];
    await terminal.until(() => left().length === 0, 'the worktree and its record are gone');
    expect(await worktreesOf(setup)).toEqual([]);
    expect(await work.git('branch', '--list', 'clawdcode/*')).toBe('');
    const inGit = readdirSync(join(work.repository, '.git'), { recursive: true, encoding: 'utf8' });
    expect(inGit.filter((name) => /\.lock$|^worktrees\b/.test(name))).toEqual([]);
  },
);

test('Esc ends a subagent while git hangs at its end; its worktree is kept', { tags: 'long' }, async () => {
  const setup = await shared();
  const { server } = setup;
  server.script(
    { calls: [isolated('look', 'Look around.')] },
    { text: 'Looked.' },
    { text: 'You stopped it.' },
  );
  const { terminal, hang, stop } = await withHangingGit(setup, "*' --ignored=traditional '*", false);
  hang();
  await terminal.submit('look');
  await stop();
  const [kept] = await worktreesOf(setup);
  await terminal.submit('what was that?');
  await terminal.waitFor('You stopped it.');
  const result = server
    .requests()
    .at(-1)
    ?.messages.find(({ role }) => role === 'tool');
  expect(textOf(result)).toContain(
    `on branch ${kept?.branch} (git cannot read it), in the worktree ${kept?.path}:\nGit was stopped.`,
  );
  await terminal.waitForIdle();
  await terminal.submit('/agents clean');
  await terminal.waitFor(`Removed: ${kept?.branch}.`);
  expect(await worktreesOf(setup)).toEqual([]);
});

test('a rewind does not change a worktree', { tags: 'long' }, async () => {
  const setup = await shared();
  const { server, ready, work } = setup;
  server.script(
    { calls: [isolated('write', 'Write it.')] },
    { calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'made\n' } }] },
    { text: 'Written.' },
    { calls: [{ name: 'Write', input: { file_path: 'own.txt', content: 'own\n' } }] },
    { text: 'All done.' },
  );
  const terminal = await ready(['--permission-mode', 'acceptEdits']);
  await terminal.submit('write both');
  await terminal.waitFor('All done.');
  await terminal.waitForIdle();
  const [made] = await worktreesOf(setup);
  expect(readFileSync(join(made?.path ?? '', 'made.txt'), 'utf8')).toBe('made\n');
  expect(existsSync(join(work.repository, 'made.txt'))).toBe(false);
  await terminal.submit('/rewind 1');
  await terminal.waitFor('4. Fork from there');
  await terminal.press('1');
  await terminal.waitFor('Enter confirms');
  await terminal.answer(keys.enter);
  await terminal.until(() => !existsSync(join(work.repository, 'own.txt')), 'the file is gone');
  expect(readFileSync(join(made?.path ?? '', 'made.txt'), 'utf8')).toBe('made\n');
});

test('after kill -9 the next start names the worktree, the model is told where it is, and clean removes it', {
  tags: 'long',
}, async () => {
  const setup = await shared();
  const { server, ready, open } = setup;
  server.script(
    { calls: [isolated('look', 'Look around.')] },
    { text: 'First, the text.', calls: [{ name: 'Read', input: { file_path: 'shared.txt' } }] },
    { text: 'never ends '.repeat(500), latency: 200, chunkSize: 4 },
  );
  const terminal = await ready();
  await terminal.submit('look');
  await server.waitForRequests(3);
  process.kill(terminal.pid, 'SIGKILL');
  await terminal.exited;
  const [left] = await worktreesOf(setup);
  server.otherwise(() => ({ text: 'I know where it is.' }));
  const again = open(['--continue'], { columns: 200 });
  await again.waitFor(`The worktree of a subagent was left when the program was killed: ${left?.branch}.`);
  await again.waitFor(/context ~?\d+%/);
  await again.submit('where is it?');
  await again.waitFor('I know where it is.');
  const result = server
    .requests()
    .at(-1)
    ?.messages.find(({ role }) => role === 'tool');
  expect(textOf(result)).toContain(`in its worktree ${left?.path}, on branch ${left?.branch}.`);
  await again.submit('/agents');
  await again.waitFor('left when the program was killed: no changes (general-purpose: look)');
  await again.submit('/agents clean');
  await again.waitFor(`Removed: ${left?.branch}.`);
  expect(await worktreesOf(setup)).toEqual([]);
});

test.skipIf(!hasSandbox).each([
  ['a command', false],
  ['a background command', true],
])(
  'changes outside the sandbox that %s of a subagent in a worktree makes in the project are rewound',
  { tags: 'long' },
  async (_, inBackground) => {
    const setup = await setUpProgram();
    const { server, work } = setup;
    mkdirSync(work.data, { recursive: true });
    writeFileSync(
      join(work.data, 'config.json'),
      JSON.stringify({ sandbox: { excludedCommands: ['cp *', 'sh *'], autoAllow: true } }),
    );
    const file = join(work.repository, 'important.txt');
    writeFileSync(file, 'not committed\n');
    const command = `cp /dev/null ${file}`;
    const late = join(work.temporary, 'late.sh');
    writeFileSync(late, `sleep 2; ${command}; exec sleep 600\n`);
    const copy = `cp ${late} ${late}.copy`;
    const awaitChange = `sleep 1.1; while [ -s ${file} ]; do sleep 0.1; done`;
    server.script(
      { calls: [isolated('empty it', 'Empty it.')] },
      ...(inBackground
        ? [
            { calls: [{ name: 'Bash', input: { command: `sh ${late}`, run_in_background: true } }] },
            { calls: [{ name: 'Bash', input: { command: awaitChange } }] },
            // Scans before it starts.
            { calls: [{ name: 'Bash', input: { command: copy } }] },
          ]
        : [{ calls: [{ name: 'Bash', input: { command } }] }]),
      { text: 'Emptied.' },
      { text: 'Done.' },
    );
    const allowed = [command, `sh ${late}`, copy].map((one) => `Bash(${one})`).join(',');
    const driver = startDriver(setup, ['--allowed-tools', allowed, '--replay-user-messages']);
    driver.prompt('empty it');
    const { uuid } = await driver.next(({ isReplay }) => isReplay === true);
    await driver.nextOf('result');
    expect(readFileSync(file, 'utf8')).toBe('');
    expect(await driver.request({ subtype: 'rewind_files', user_message_id: uuid })).toMatchObject({
      response: { canRewind: true, filesChanged: [file] },
    });
    expect(readFileSync(file, 'utf8')).toBe('not committed\n');
    await driver.end();
  },
);

test.skipIf(!hasSandbox)(
  'in the sandbox, commands change the worktree and its branch, and nothing else',
  async () => {
    const setup = await setUpProgram();
    const { server, print, work } = setup;
    mkdirSync(join(work.repository, 'plans'));
    await work.write('plans/secret.txt', 'IN THE PLAN\n');
    await work.git('add', '.');
    await work.git('commit', '-qm', 'plans');
    mkdirSync(work.data, { recursive: true });
    const settings = { sandbox: { autoAllow: true }, permissions: { deny: ['Read(./plans/**)'] } };
    writeFileSync(join(work.data, 'config.json'), JSON.stringify(settings));
    const config = readFileSync(join(work.repository, '.git', 'config'), 'utf8');
    const commit =
      'echo new > new.txt && git add new.txt && git -c user.name=T -c user.email=t@e.com commit -qm new';
    const attacks = [
      `echo x > ${work.repository}/outside.txt`,
      `echo x > ${work.repository}/.git/hooks/post-commit`,
      `echo x >> ${work.repository}/.git/config`,
      'echo "gitdir: /tmp" > .git',
      `ls ${work.data}/projects`,
    ];
    server.script(
      { calls: [isolated('work', 'Work.')] },
      { calls: [{ name: 'Bash', input: { command: commit } }] },
      ...attacks.map((command) => ({ calls: [{ name: 'Bash', input: { command } }] })),
      { calls: [{ name: 'Read', input: { file_path: 'plans/secret.txt' } }] },
      { calls: [{ name: 'Bash', input: { command: 'cat plans/sec*' } }] },
      { text: 'Worked.' },
      { text: 'Done.' },
    );
    expect((await print(['-p', 'work'])).code).toBe(0);
    const requests = server.requests();
    expect(JSON.stringify(requests)).not.toContain('IN THE PLAN');
    expect(textOf(requests.at(-1)?.messages.at(-1))).toMatch(
      /on branch clawdcode\/work-\w+ \(1 commit\), in the worktree \S+:\n new\.txt \| 1 \+/,
    );
    const [made] = await worktreesOf(setup);
    expect(await work.git('log', '--format=%s', '-1', made?.branch ?? '')).toBe('new\n');
    expect(readFileSync(join(made?.path ?? '', '.git'), 'utf8')).toContain(
      `${work.repository}/.git/worktrees/`,
    );
    expect(readFileSync(join(work.repository, '.git', 'config'), 'utf8')).toBe(config);
    for (const name of ['outside.txt', '.git/hooks/post-commit'])
      expect(existsSync(join(work.repository, name))).toBe(false);
  },
);
