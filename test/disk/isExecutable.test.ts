import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isExecutable } from '../../src/disk/fileLookups.ts';
import { temporaryFolder } from '../temporaryFolder.ts';

test('a program is a file that may run, or a link to one; a folder is none', () => {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  mkdirSync(at('folder'));
  writeFileSync(at('text'), '');
  writeFileSync(at('program'), '');
  chmodSync(at('program'), 0o755);
  symlinkSync('program', at('link'));
  symlinkSync('folder', at('linkToFolder'));
  const names = ['folder', 'text', 'program', 'link', 'linkToFolder', 'missing'];
  expect(names.filter((name) => isExecutable(at(name)))).toEqual(['program', 'link']);
});
