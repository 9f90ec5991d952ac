/**
 * Folders that a repository's settings open: what the user approves, and how links change it later.
 *
 * @module-tag long
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { hasSandbox } from '../sandbox/hasSandbox.ts';
import { long } from './support/long.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] });

/** Commands run without approval; the repository opens these paths. */
async function settings({ work }: TestProgram, allowWrite: readonly string[]): Promise<void> {
  await mkdir(work.data, { recursive: true });
  await writeFile(join(work.data, 'config.json'), JSON.stringify({ sandbox: { autoAllow: true } }));
  const permissions = { additionalDirectories: allowWrite };
  await work.write('.clawdcode.json', JSON.stringify({ sandbox: { allowWrite }, permissions }));
}

async function approve({ open }: TestProgram, shown: readonly string[]): Promise<void> {
  const terminal = open();
  await terminal.waitFor('Do you trust this folder?');
  const screen = terminal.screen().replace(/\s+/g, '');
  for (const text of shown) expect(screen).toContain(text.replace(/\s+/g, ''));
  await terminal.answer('1');
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.submit('/exit');
  await terminal.exited;
}

// In `npm test`, test/cli/settingsPaths.test.ts does the same without a process.
test.skipIf(!hasSandbox)(
  'a folder that a command turned into a link is not opened by settings',
  long,
  async () => {
    const program = await setUpProgram();
    const { server, work, print } = program;
    const outside = join(dirname(work.repository), 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'secret'), 'IN outside');
    await settings(program, ['build']);
    await approve(program, ['build']);
    server.script(
      bash('ln -s ../outside build && echo linked'),
      bash('echo x > build/new; echo done'),
      { calls: [{ name: 'Read', input: { file_path: join(work.repository, 'build/secret') } }] },
      bash('rm build && mkdir build && echo x > build/new && cat build/new'),
      { text: 'Done.' },
    );
    const { stderr, code } = await print(['-p', 'go']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^clawdcode: Not allowed: Read build\/secret \(.*outside the workspace/);
    const told = server.requests().map(({ messages }) => JSON.stringify(messages.at(-1)));
    expect(told[1]).toContain('linked');
    expect(told[2]).toContain('Read-only file system');
    expect(told[3]).not.toContain('IN outside');
    expect(existsSync(join(outside, 'new'))).toBe(false);
    expect(await readFile(join(work.repository, 'build/new'), 'utf8')).toBe('x\n');
  },
);

test.skipIf(!hasSandbox)(
  'a link is approved with its target, and asks again once it has moved',
  { tags: 'long' },
  async () => {
    const program = await setUpProgram();
    const { server, work, print } = program;
    const home = await realpath(work.home);
    for (const name of ['docs', 'other']) await mkdir(join(home, name));
    await symlink('docs', join(home, 'notes'));
    await symlink(home, join(work.repository, 'ext'));
    await settings(program, ['~/notes', 'ext']);
    await approve(program, [`~/notes → ${join(home, 'docs')}`]);
    server.script(
      bash(`echo x > ~/docs/new; echo x > ${home}/new; echo done`),
      { text: 'Done.' },
      bash('echo x > ~/other/new; echo done'),
      { text: 'Done.' },
    );
    const first = await print(['-p', 'go']);
    expect(first.stderr).toContain('"sandbox.allowWrite" ignores "ext": a link leads it out of the project');
    expect(await readFile(join(home, 'docs/new'), 'utf8')).toBe('x\n');
    expect(existsSync(join(home, 'new'))).toBe(false);
    await rm(join(home, 'notes'));
    await symlink('other', join(home, 'notes'));
    const second = await print(['-p', 'go']);
    expect(second.stderr).toContain('have changed since you trusted it');
    expect(existsSync(join(home, 'other/new'))).toBe(false);
  },
);
