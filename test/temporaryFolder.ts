import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

const create = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'clawdcode-test-')));
// A write that the test did not wait for may still add a file.
const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

/** A new folder, links resolved, that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = create();
  onTestFinished(() => remove(folder));
  return folder;
}

/** The same for all tests of a file. */
export function temporaryFolderOfFile(): string {
  const folder = create();
  afterAll(() => remove(folder));
  return folder;
}
