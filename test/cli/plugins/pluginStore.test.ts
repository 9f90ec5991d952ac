/** Hostile plugins in real folders: what is copied, shown, approved and no longer used. */
import { execFileSync } from 'node:child_process';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  createApprovalCheck,
  dataFolderOf,
  disablePlugin,
  enablePlugin,
  folderOf,
  installPlugin,
  listPlugins,
  stagePlugin,
} from '../../../src/cli/plugins/pluginStore.ts';

async function workbench() {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-store-')));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const place = {
    dataRoot: join(base, 'data'),
    cwd: base,
    root: base,
    env: { HOME: base, PATH: process.env.PATH ?? '' },
  };
  const write = async (file: string, content: string | object): Promise<string> => {
    const path = join(base, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  await write('one/.claude-plugin/plugin.json', { name: 'one' });
  const install = async (source = 'one'): Promise<void> => {
    const staged = await stagePlugin(place, source);
    if (typeof staged === 'string') throw new Error(staged);
    await installPlugin(place, staged);
  };
  const state = async () => (await listPlugins(place))[0]?.state;
  return { base, place, write, install, state };
}

test('links are not copied, wherever they point', async () => {
  const { base, place, write, install } = await workbench();
  await write('secret/SKILL.md', '---\ndescription: Secret.\n---\nSecret.');
  await mkdir(join(base, 'one/skills'));
  await symlink(join(base, 'secret'), join(base, 'one/skills/leak'));
  await symlink('../../secret/SKILL.md', join(base, 'one/leak.md'));
  await install();
  expect(await readdir(folderOf(place, 'one'))).toEqual(['.claude-plugin']);
  expect((await listPlugins(place))[0]?.contents?.skills).toEqual([]);
});

test.each([
  ['a link', (copy: string) => symlink('/etc', join(copy, 'skills'))],
  ['a file', (copy: string) => writeFile(join(copy, 'new.sh'), 'true')],
  [
    'a folder of git',
    async (copy: string) => {
      await mkdir(join(copy, '.git'));
      await writeFile(join(copy, '.git/x'), 'true');
    },
  ],
  ['other content', (copy: string) => appendFile(join(copy, '.claude-plugin/plugin.json'), ' ')],
])('%s in the copy makes it unusable at once and permanently', async (_, change) => {
  const { place, install, state } = await workbench();
  await install();
  const problem = createApprovalCheck(place);
  expect(await problem('one')).toBeUndefined();
  await change(folderOf(place, 'one'));
  expect(await problem('one')).toContain('have changed since you approved');
  expect(await state()).toMatchObject({ type: 'unusable' });
});

test('a change that keeps a file’s size and time is found', async () => {
  const { place, write, install } = await workbench();
  await write('one/hook.sh', 'echo good');
  await install();
  const problem = createApprovalCheck(place);
  expect(await problem('one')).toBeUndefined();
  const file = join(folderOf(place, 'one'), 'hook.sh');
  await writeFile(file, 'echo evil');
  await utimes(file, 0, 0);
  expect(await problem('one')).toContain('have changed');
});

test('approval covers the content that was shown, not later content', async () => {
  const { place, install, state } = await workbench();
  await install();
  await appendFile(join(folderOf(place, 'one'), '.claude-plugin/plugin.json'), ' ');
  const [shown] = await listPlugins(place);
  if (shown === undefined) throw new Error('no plugin');
  await writeFile(join(folderOf(place, 'one'), 'evil.sh'), 'true');
  await enablePlugin(place, shown);
  expect(await state()).toMatchObject({ type: 'unusable' });
});

test('a plugin disabled in another process is no longer used', async () => {
  const { place, install } = await workbench();
  await install();
  const problem = createApprovalCheck(place);
  expect(await problem('one')).toBeUndefined();
  await disablePlugin(place, 'one');
  expect(await problem('one')).toBe('the plugin one is not enabled');
});

test('a copy whose manifest has another name cannot be enabled', async () => {
  const { place, install } = await workbench();
  await install();
  await writeFile(join(folderOf(place, 'one'), '.claude-plugin/plugin.json'), '{"name":"two"}');
  expect(await listPlugins(place)).toMatchObject([
    { contents: undefined, state: { type: 'unusable', why: expect.stringContaining('damaged') } },
  ]);
});

test.each(['../up', 'a/b', '.', 'A', 'a b', '', 'a\u0000', '__proto__'])(
  'the name %j is rejected',
  async (name) => {
    const { base, place, write } = await workbench();
    await write('one/.claude-plugin/plugin.json', { name });
    expect(await stagePlugin(place, 'one')).toContain('cannot be used: name');
    expect(await readdir(join(base, 'data/plugins'))).toEqual([]);
  },
);

test('names in a damaged registry do not lead out of the folder', async () => {
  const { place, write, install } = await workbench();
  await install();
  const entry = { source: 'x', enabled: true, hash: '' };
  await write('data/plugins.json', { plugins: { '../one': entry, '..': entry } });
  expect(await listPlugins(place)).toEqual([]);
});

test('huge files, and too many files, are rejected before they are read', async () => {
  const { base, place, write } = await workbench();
  await write('one/huge', '');
  await truncate(join(base, 'one/huge'), 5e12);
  expect(await stagePlugin(place, 'one')).toContain('more than 2000 files or 20 MB');
  expect(await readdir(join(base, 'data/plugins'))).toEqual([]);
});

test('control characters are removed from displayed names', async () => {
  const { place, write } = await workbench();
  await write('one/skills/\u001b]0;x\u0007\u202eevil/SKILL.md', '---\ndescription: A.\n---\nA.');
  await write('one/agents/\u001b[2Jx.md', '---\ndescription: A.\n---\nA.');
  await write('one/hooks/hooks.json', { hooks: { 'Stop\u001b[2J': [], '\u001b[31mX': [{ hooks: [] }] } });
  const staged = await stagePlugin(place, 'one');
  if (typeof staged === 'string') throw new Error(staged);
  expect(staged.contents).toMatchObject({ skills: [], agents: [], hooks: [] });
  expect(staged.contents.problems.join('\n')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

test('another plugin of the same name does not inherit what the first one stored', async () => {
  const { place, write, install } = await workbench();
  await install();
  const token = join(dataFolderOf(place, 'one'), 'token');
  await writeFile(token, 'secret');
  await install();
  expect(await readFile(token, 'utf8')).toBe('secret');
  await write('two/.claude-plugin/plugin.json', { name: 'one' });
  await install('two');
  expect(await readdir(dataFolderOf(place, 'one'))).toEqual([]);
});

test('a pipe in a cloned repository does not block git, and the message names it', async () => {
  const { base, place } = await workbench();
  const config = join(base, 'one/.git/config');
  execFileSync('git', ['init', '--quiet', join(base, 'one')]);
  await rm(config);
  execFileSync('mkfifo', [config]);
  expect(await stagePlugin(place, `file://${join(base, 'one')}`)).toContain(
    `git could not clone it: Git would read ${config}, which is a pipe`,
  );
  expect(await readdir(join(base, 'data/plugins'))).toEqual([]);
});

test('copies that were never approved are removed after a day', async () => {
  const { base, place, install } = await workbench();
  await mkdir(join(base, 'data/plugins/.new-old'), { recursive: true });
  await utimes(join(base, 'data/plugins/.new-old'), 0, 0);
  await mkdir(join(base, 'data/plugins/.new-now'));
  await install();
  expect((await readdir(join(base, 'data/plugins'))).sort()).toEqual(['.new-now', 'one']);
  expect(place.dataRoot).toBe(join(base, 'data'));
});

test('a repository’s links become files, and its hooks do not run', { tags: 'long' }, async () => {
  const { base, place } = await workbench();
  await symlink('/etc/passwd', join(base, 'one/leak'));
  const git = (...args: string[]) =>
    execFileSync('git', [
      ...['-C', join(base, 'one'), '-c', 'user.name=T', '-c', 'user.email=t@example.invalid'],
      ...args,
    ]);
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'One');
  const staged = await stagePlugin(place, `file://${join(base, 'one')}`);
  if (typeof staged === 'string') throw new Error(staged);
  expect(await readFile(join(staged.folder, 'leak'), 'utf8')).toBe('/etc/passwd');
});
