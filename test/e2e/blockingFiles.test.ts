/**
 * A repository whose files block their reader, or never end: nothing waits for them.
 *
 * @module-tag long
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const kinds: Readonly<Record<string, (path: string) => void>> = {
  pipes: (path) => execFileSync('mkfifo', [path]),
  'endless devices': (path) => symlinkSync('/dev/zero', path),
  'sparse files of 10 GB': (path) => {
    writeFileSync(path, '');
    truncateSync(path, 10 * 2 ** 30);
  },
};

/** Files that the program reads itself, from the start of a session on. */
const own = [
  ...['CLAUDE.md', 'AGENTS.md', 'CLAUDE.local.md', '.claude/CLAUDE.md', '.claude/rules/a.md'],
  ...['.clawdcode.json', '.clawdcode.local.json', '.claude/settings.json', '.claude/settings.local.json'],
  ...['.mcp.json', '.claude/skills/x/SKILL.md', '.claude/commands/y.md', '.claude/agents/z.md'],
  ...['.clawdcode/skills/x/SKILL.md', '.clawdcode/agents/z.md', '.clawdcode/commands/y.md'],
  ...['.env', '.env.local', 'package.json', '.editorconfig', '.shellcheckrc', '.gitattributes'],
];
const ofGit = [
  ...['HEAD', 'config', 'index', 'packed-refs', 'commondir', 'info/exclude', 'info/attributes'],
  ...['objects/info/alternates', 'config.worktree', 'shallow'],
];

const put = (path: string, make: (path: string) => void): void => {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true });
  make(path);
};

/** Longer than a start on a busy machine, shorter than any single wait for git used to be. */
const calls = (name: string) => [
  { calls: [{ name: 'Bash', input: { command: 'ls' } }] },
  { calls: [{ name: 'Write', input: { file_path: name, content: 'new\n' } }] },
  { calls: [{ name: 'Bash', input: { command: 'rg -n new made' } }] },
  { text: 'Done.' },
];

for (const [kind, make] of Object.entries(kinds))
  test(`${kind} in place of every file that the program reads does not block it`, async () => {
    // Instructions are cut, but still long.
    const setup = await setUpProgram(undefined, { window: 400_000 });
    const { repository } = setup.work;
    for (const name of own) put(join(repository, name), make);
    put(join(repository, 'mentioned'), make);
    setup.server.script(...calls(join(repository, 'made')));
    const ran = await setup.print(['-p', 'look at @mentioned', '--permission-mode', 'acceptEdits']);
    expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(await setup.work.read('made')).toBe('new\n');
  });

for (const name of ofGit)
  test(`a pipe as .git/${name} does not block it`, async () => {
    const setup = await setUpProgram();
    const { repository } = setup.work;
    put(join(repository, '.git', name), (path) => execFileSync('mkfifo', [path]));
    setup.server.script(...calls(join(repository, 'made')));
    const ran = await setup.print(['-p', 'go', '--permission-mode', 'acceptEdits']);
    expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n' });
    const results = (await setup.work.sessions())[0]?.entries.flatMap((entry) =>
      entry.toolResult === undefined ? [] : [entry.toolResult.durationMs ?? 0],
    );
    expect(results).toHaveLength(3);
    // Git is not even started; each query used to take 30 s.
    expect(Math.max(...(results ?? []))).toBeLessThan(20_000);
  });

test.each([
  ['.gitconfig', (path: string) => execFileSync('mkfifo', [path])],
  [
    'pipe',
    (path: string) => {
      execFileSync('mkfifo', [path]);
      writeFileSync(join(dirname(path), '.gitconfig'), '[include]\n\tpath = ~/pipe\n');
    },
  ],
])(
  "a pipe as ~/%s, which the user's git settings are or include: the model and the doctor name it",
  async (name, make) => {
    const setup = await setUpProgram();
    const pipe = join(setup.work.home, name);
    make(pipe);
    setup.server.script(
      {
        calls: [
          { name: 'Agent', input: { description: 'look', prompt: 'Look.', isolation: 'worktree' } },
          { name: 'Bash', input: { command: 'git diff' } },
        ],
      },
      { text: 'Done.' },
    );
    expect(await setup.print(['-p', 'go'])).toMatchObject({ code: 0, stdout: 'Done.\n' });
    const [first, last] = setup.server.requests();
    expect(textOf(first?.messages[0])).toContain(`git would wait for ${pipe}, which is a pipe`);
    expect(last?.messages.slice(-2).map(textOf)).toEqual([
      expect.stringContaining(`Git would read ${pipe}, which is a pipe`),
      expect.stringContaining(`git diff would read ${pipe}, which is a pipe`),
    ]);
    expect((await setup.print(['doctor', '--offline'])).stdout.replace(/\s+/g, ' ')).toContain(
      `Git would read ${pipe}, which is a pipe`,
    );
  },
);
