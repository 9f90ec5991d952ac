/** If git takes too long, it is not started again for the same command, and the reason says so. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { diskLookups } from '../../../src/permissions/lookups/diskLookups.ts';
import { shownFiles } from '../../../src/permissions/lookups/gitContent.ts';
import { lookupsOnce } from '../../../src/permissions/lookups/lookupsOnce.ts';
import { policyFor, top } from '../harness.ts';

test('if git takes too long, the whole history is not searched instead', () => {
  const [bin, project] = [join(top, 'bin'), join(top, 'slow')];
  const calls = join(top, 'calls');
  for (const folder of [bin, project]) mkdirSync(folder, { recursive: true });
  spawnSync('git', ['init', '-q', project]);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> '${calls}'\nexec /bin/sleep 60\n`, {
    mode: 0o755,
  });
  const place = { worktree: project, workspace: [project], changed: () => [], onProblem: () => undefined };
  const shown = { objects: [], compared: [{ how: 'history', words: [], paths: [] }] } as const;
  expect(shownFiles({ PATH: bin }, project, place, shown)).toBeUndefined();
  expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(1);
});

test.each([
  ['is missing', undefined, 'git is not installed. Install it.'],
  [
    'takes too long',
    'exec /bin/sleep 60',
    'Git did not finish within 3 seconds and was stopped. Name fewer commits or files: -n 20, -- src.',
  ],
  [
    'prints too much',
    'exec /usr/bin/head -c 30000000 /dev/zero',
    'Git printed too much. Name fewer commits or files: -n 20, -- src.',
  ],
])(
  'if git %s, it is tried only once, and the reason says why and what to do',
  async (what, script, problem) => {
    const project = join(top, `project that ${what}`);
    const bin = join(top, `bin that ${what}`);
    const calls = join(top, `calls of git that ${what}`);
    for (const folder of [bin, project]) mkdirSync(folder, { recursive: true });
    spawnSync('git', ['init', '-q', project]);
    if (script !== undefined)
      writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> '${calls}'\n${script}\n`, { mode: 0o755 });
    const { lookups } = lookupsOnce(diskLookups({ PATH: bin }), () => performance.now());
    const policy = await policyFor([], 'default', { root: project, ...lookups });
    const access = { type: 'command', command: 'git log -p', cwd: project } as const;
    expect(decide({ tool: 'Bash', access }, policy)).toMatchObject({
      behavior: 'ask',
      reason: `It is unknown which files git log -p shows: ${problem}`,
    });
    // Once for the whole check.
    if (script !== undefined) expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(1);
  },
);
