/** Every subcommand on a session whose archive is damaged, with the real catalogue. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { checkSessions } from '../../../src/cli/doctor/checks/files.ts';
import { openSessions, type Sessions } from '../../../src/cli/sessionCommand/sessions.ts';
import { PersistentStore } from '../../../src/context/index.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { doctorPorts } from '../doctor/doctorPorts.ts';
import { type Outcome, runWith } from './ports.ts';

let home = '';
let folder = '';
let sessions: Sessions;

/** An archived session of 40 prompts in several blocks, truncated to half or to `bytes`. */
async function archived(bytes?: number): Promise<string> {
  const store = new PersistentStore({ dataRoot: home, projectRoot: home, programVersion: '1.0.0' });
  const log = await store.createSession('abc');
  for (let n = 0; n < 40; n++)
    await log.saveMessage('user', `prompt ${n} ${randomBytes(5000).toString('hex')}`);
  await log.close();
  folder = store.folder;
  const [session] = await sessions.named('abc');
  if (session === undefined) throw new Error('there is no session');
  await sessions.archive(session);
  const archive = join(folder, 'archive/abc.jsonl.zst');
  await truncate(archive, bytes ?? (await stat(archive)).size >> 1);
  return archive;
}

beforeEach(async () => {
  home = temporaryFolder();
  const place = { cwd: home, root: home, home, dataRoot: home, packageRoot: home, version: '1.0.0', env: {} };
  sessions = await openSessions(place);
  onTestFinished(() => sessions.close());
});

const run = (...argv: string[]): Promise<Outcome> => runWith(argv, { real: sessions, dataRoot: home });

test('the readable part is shown, exported, forked and checked, and what is lost is reported', async () => {
  await archived();
  for (const words of [
    ['show'],
    ['show', '--tail', '2'],
    ['export'],
    ['request', '--list'],
    ['audit', '--all'],
    ['fork'],
  ]) {
    const { code, stdout, stderr } = await run(words[0] ?? '', 'abc', ...words.slice(1));
    expect([words, code]).toEqual([words, 1]);
    expect(stderr).toMatch(/The archive is damaged: only its first \d+ of \d+ bytes can be unpacked/);
    expect(stderr).toMatch(/What follows entry #\d+ cannot be read/);
    if (words[0] === 'show') expect(stdout).toMatch(/prompt \d/);
    if (words[0] === 'export') expect(stdout).toMatch(/prompt 10\b/);
  }
  const { code, stdout } = await run('verify', 'abc');
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(/at byte \d+: The archive is damaged.*what follows cannot be read/),
  ]);
  expect(await run('list')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/abc.*archived, partly read/),
    stderr: expect.stringContaining('clawdcode session verify ID says which'),
  });
  for (const word of ['prompt', 'nowhere'])
    expect(await run('search', word)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Searched only in part: abc; clawdcode session verify ID says why.'),
    });
  expect(await checkSessions(doctorPorts({ dataRoot: home }))).toMatchObject([
    { state: 'warning', value: '2 indexed; 1 of them only in part, such as abc' },
  ]);
  expect(await readdir(join(folder, 'archive'))).toEqual(['abc.jsonl.zst']);
});

test.each(['unarchive', 'repair'])('%s turns it into an intact log, and keeps the archive', async (word) => {
  const damaged = await readFile(await archived());
  const { stderr } = await run(word, 'abc');
  expect(stderr).toMatch(/What follows entry #\d+ cannot be read\. The archive is kept as /);
  const kept = /kept as (.*)\.$/m.exec(stderr)?.[1] ?? '';
  expect((await readFile(kept)).equals(damaged)).toBe(true);
  expect((await run('verify', 'abc')).code).toBe(0);
  expect((await run('show', 'abc')).stdout).toMatch(/prompt 10\b/);
  expect((await run('list')).stdout).not.toContain('partly read');
});

test.each([0, 7, 2000])(
  'if none of its %i bytes can be read, each subcommand says so, and it can be deleted',
  async (bytes) => {
    const archive = await archived(bytes);
    await rm(join(home, 'index'), { recursive: true });
    for (const word of [
      'show',
      'export',
      'request',
      'fork',
      'unarchive',
      'repair',
      'rename',
      'audit',
      'verify',
    ]) {
      const { code, stdout, stderr } = await run(word, 'abc', ...(word === 'rename' ? ['x'] : []));
      expect([word, code]).toEqual([word, 1]);
      expect(`${stdout}${stderr}`).toContain('The archive is damaged');
    }
    expect((await stat(archive)).size).toBe(bytes);
    expect(await run('delete', 'abc', '--yes')).toMatchObject({ code: 0 });
    expect(await readdir(join(folder, 'archive'))).toEqual([]);
  },
);
