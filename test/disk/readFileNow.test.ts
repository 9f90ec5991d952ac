import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFileNow } from '../../src/disk/fileLookups.ts';
import { diskLookups } from '../../src/permissions/lookups/diskLookups.ts';
import { gitRunsPrograms, trackedFiles } from '../../src/permissions/lookups/gitPrograms.ts';
import { temporaryFolderOfFile } from '../temporaryFolder.ts';

const top = temporaryFolderOfFile();
const at = (name: string): string => join(top, name);
const makePipe = (path: string): string => {
  execFileSync('mkfifo', [path]);
  return path;
};

test('a file is read; a folder, a file that is too large and a missing one are distinguished', () => {
  writeFileSync(at('file'), 'x\n');
  mkdirSync(at('folder'));
  expect(readFileNow(at('file'), 2)?.toString()).toBe('x\n');
  expect(readFileNow(at('file'), 1)).toBeUndefined();
  expect(readFileNow(at('folder'), 9)).toBeUndefined();
  expect(readFileNow(at('missing'), 9)).toBeNull();
  expect(readFileNow(at('file/below'), 9)).toBeNull();
});

test('a pipe without a writer does not delay a decision', () => {
  expect(readFileNow(makePipe(at('pipe')), 9)).toBeUndefined();
  mkdirSync(at('versions'));
  makePipe(at('versions/.tool-versions'));
  expect(diskLookups(process.env).toolsFolderNamed(at('versions'), 'no-such-program')).toBe(
    at('versions/.tool-versions'),
  );
  execFileSync('git', ['init', '-q', at('repository')]);
  makePipe(at('repository/.git/index'));
  expect(trackedFiles(at('repository'))).toBeUndefined();
});

test('a file larger than anything git writes counts as unknown', () => {
  execFileSync('git', ['init', '-q', at('large')]);
  writeFileSync(at('large/.git/index'), '');
  truncateSync(at('large/.git/index'), 1024 ** 4);
  expect(trackedFiles(at('large'))).toBeUndefined();
  truncateSync(at('large/.git/config'), 1024 ** 4);
  expect(gitRunsPrograms(at('large'))).toBe(true);
});
