import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHardLinkSearch } from '../../src/sandbox/places/hardLinks.ts';
import { confined, hasSandbox } from './confined.ts';

describe.skipIf(!hasSandbox)('a hard link to a protected file', () => {
  test('is read-only anywhere in the project', async () => {
    const { root, run } = await confined();
    execFileSync('git', ['init', '-q', root]);
    mkdirSync(join(root, 'deep/er'), { recursive: true });
    mkdirSync(join(root, '.vscode'));
    const files = { '.envrc': 'x', '.vscode/tasks.json': 'deep/y', '.git/config': 'deep/er/z' };
    for (const [file, other] of Object.entries(files)) {
      writeFileSync(join(root, file), '[core]\n');
      linkSync(join(root, file), join(root, other));
    }
    for (const other of Object.values(files))
      expect((await run(`echo evil >> ${other}`)).text).toMatch(/Read-only/);
    renameSync(join(root, 'x'), join(root, 'deep/er/new'));
    expect((await run('echo evil >> deep/er/new')).text).toMatch(/Read-only/);
    for (const file of Object.keys(files)) expect(readFileSync(join(root, file), 'utf8')).toBe('[core]\n');
  });

  test('is left alone outside writable folders', async () => {
    const { home, root, run } = await confined();
    writeFileSync(join(root, '.envrc'), 'old\n');
    linkSync(join(root, '.envrc'), join(home, 'envrc'));
    writeFileSync(join(root, 'plain'), '');
    linkSync(join(root, 'plain'), join(root, 'other'));
    expect((await run('echo a >> other; cat plain')).text).toBe('a');
    const find = createHardLinkSearch();
    expect(await find([join(root, '.envrc')], [root])).toEqual({ found: [], open: [] });
    expect((await find([join(root, '.envrc')], [home])).found).toEqual([join(home, 'envrc')]);
  });
});
