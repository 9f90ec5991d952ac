import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readWorkspaceFacts } from '../../src/cli/process/workspaceFacts.ts';
import { readSmallFile } from '../../src/disk/realFile.ts';

const top = mkdtempSync(join(tmpdir(), 'small-file-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const at = (name: string): string => join(top, name);

test('a small regular file is read, even through a link', async () => {
  writeFileSync(at('a'), 'text');
  symlinkSync('a', at('link'));
  expect(await readSmallFile(at('a'), 4)).toBe('text');
  expect(await readSmallFile(at('link'), 4)).toBe('text');
});

test.runIf(process.platform !== 'win32')('anything else is not read, without waiting', async () => {
  mkdirSync(at('folder'));
  execFileSync('mkfifo', [at('pipe')]);
  symlinkSync('/dev/zero', at('endless'));
  writeFileSync(at('large'), 'text!');
  for (const name of ['missing', 'folder', 'pipe', 'endless', 'large'])
    expect(await readSmallFile(at(name), 4)).toBeUndefined();
});

test.runIf(process.platform !== 'win32')('a project whose package.json is a pipe still opens', async () => {
  mkdirSync(at('project'));
  execFileSync('mkfifo', [at('project/package.json')]);
  expect(await readWorkspaceFacts(at('project'))).toEqual({});
});
