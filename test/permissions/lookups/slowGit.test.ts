/** A git that takes too long is not started again for the same command. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shownFiles } from '../../../src/permissions/lookups/gitContent.ts';
import { top } from '../harness.ts';

test('once git has taken too long, the whole history is not searched as well', () => {
  const [bin, project] = [join(top, 'bin'), join(top, 'slow')];
  const calls = join(top, 'calls');
  for (const folder of [bin, project]) mkdirSync(folder, { recursive: true });
  spawnSync('git', ['init', '-q', project]);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> '${calls}'\nexec /bin/sleep 60\n`, {
    mode: 0o755,
  });
  const place = { worktree: project, workspace: [project], changed: () => [] };
  const shown = { listings: [['log', '--name-status', '-z']], objects: [] };
  expect(shownFiles({ PATH: bin }, project, place, shown)).toBeUndefined();
  expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(1);
});
