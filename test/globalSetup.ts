import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates one temporary home for the whole run; every test file inherits it, and none touches the real one. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(tmpdir(), 'clawdcode-test-home-'));
  process.env.CLAWDCODE_TEST_HOME = home;
  return () => rm(home, { recursive: true, force: true });
}
