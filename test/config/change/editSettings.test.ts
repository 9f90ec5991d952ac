import { rmSync, symlinkSync } from 'node:fs';
import {
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { editSettings } from '../../../src/config/change/editSettings.ts';

let home: string;
let root: string;
let target: string;
beforeEach(async () => {
  const made = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-edit-')));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  home = made;
  root = join(home, 'work');
  target = join(home, 'config.json');
  await mkdir(root);
  await writeFile(target, '{}\n');
});

const server = () => [{ path: ['mcpServers', 'x'], value: { command: './evil.sh' } }];

describe.each(['local', 'project'] as const)('a %s file', (layer) => {
  const file = (): string => join(root, '.settings.json');

  test.each([
    ['the user’s own settings', () => target],
    ['the user’s own settings, by a relative path', () => '../config.json'],
    ['nothing', () => join(home, 'missing.json')],
    ['another file of the folder', () => 'other.json'],
    ['itself', () => '.settings.json'],
  ])('that is a link to %s is not changed', async (_, to) => {
    await writeFile(join(root, 'other.json'), '{}\n');
    await symlink(to(), file());
    const saved = await editSettings(file(), layer, server);
    expect(saved).toEqual({
      type: 'refused',
      message: `Nothing was saved: ${file()} is a link. Replace it with a regular file.`,
    });
    expect(await readlink(file())).toBe(to());
    expect(await readFile(target, 'utf8')).toBe('{}\n');
    expect(await readFile(join(root, 'other.json'), 'utf8')).toBe('{}\n');
    await expect(lstat(join(home, 'missing.json'))).rejects.toThrow('ENOENT');
  });

  test('that becomes a link while it is being changed is replaced, not followed', async () => {
    await writeFile(file(), '{"theme":"dark"}\n');
    const saved = await editSettings(file(), layer, () => {
      rmSync(file());
      symlinkSync(target, file());
      return server();
    });
    expect(saved.type).toBe('saved');
    expect(await readFile(target, 'utf8')).toBe('{}\n');
    expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({ theme: 'dark', mcpServers: {} });
  });
});

test('the user’s own file may be a link, and remains one', async () => {
  const file = join(home, 'link.json');
  await symlink(target, file);
  expect((await editSettings(file, 'user', server)).type).toBe('saved');
  expect(await readlink(file)).toBe(target);
  expect(await readFile(target, 'utf8')).toContain('evil.sh');
});

test.each(['user', 'local'] as const)('a %s file never becomes too large to be read', async (layer) => {
  const file = join(root, 'settings.json');
  await writeFile(file, '{ "theme": "dark" }\n');
  const huge = [{ path: ['permissions', 'allow'], value: [`Bash(${'€'.repeat(400_000)})`] }];
  const saved = await editSettings(file, layer, () => huge);
  expect(saved).toEqual({
    type: 'refused',
    message: `Nothing was saved: ${file} would be larger than 1 MB.`,
  });
  expect(await readFile(file, 'utf8')).toBe('{ "theme": "dark" }\n');
});
