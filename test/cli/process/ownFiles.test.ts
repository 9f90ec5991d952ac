import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ownFiles } from '../../../src/cli/process/ownFiles.ts';

test('the own files include the folder from which Node takes compiled code for this process', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'own-files-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(join(base, 'bin'));
  const module = pathToFileURL(join(import.meta.dirname, '../../../src/cli/process/ownFiles.ts'));
  const found = (env: Readonly<Record<string, string>>): readonly string[] =>
    execFileSync(
      process.execPath,
      ['-e', `import('${module}').then(({ ownFiles }) => console.log(ownFiles('${base}', '/').join('\\n')))`],
      { cwd: base, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8' },
    )
      .trim()
      .split('\n');
  expect(found({ NODE_COMPILE_CACHE: '.cache/node' })).toEqual([
    join(base, 'bin'),
    '/',
    expect.stringMatching(`^${base}/.cache/node/`),
  ]);
  expect(found({})).toEqual([join(base, 'bin'), '/']);
  expect(ownFiles(base, '/', join(base, 'missing'))).toEqual([join(base, 'bin'), '/']);
});
