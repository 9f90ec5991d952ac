import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { confined, hasSandbox } from './confined.ts';

const plant = `git init -q --bare made && mv made/* . && printf '[core]\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = touch ran\\n' > config`;

describe.skipIf(!hasSandbox)('a bare repository at the top of a project without git', () => {
  test('is set aside if a command created it and its settings start programs', async () => {
    const { root, run } = await confined();
    expect((await run(plant)).text).toContain('HEAD (renamed to HEAD-set-aside');
    spawnSync('git', ['status'], { cwd: root });
    expect(existsSync(join(root, 'ran'))).toBe(false);
    expect(existsSync(join(root, 'HEAD'))).toBe(false);
  });

  test('is kept if it existed before', async () => {
    const { root, run } = await confined();
    execFileSync('git', ['init', '-q', '--bare', root]);
    appendFileSync(join(root, 'config'), '[core]\n\tfsmonitor = ./mine\n');
    expect((await run('echo a > b')).text).not.toContain('set-aside');
    expect(existsSync(join(root, 'HEAD'))).toBe(true);
  });
});
