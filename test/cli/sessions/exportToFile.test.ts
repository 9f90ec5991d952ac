import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { exportToFile } from '../../../src/cli/sessions/exportToFile.ts';
import { entriesOf, meta, prompt, reply } from '../../export/session.ts';
import { syntheticSecrets } from '../../redact/syntheticSecrets.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawdcode-export-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

const entries = entriesOf([prompt('Hi'), reply('Hello')]);
const options = { format: 'md', meta } as const;

test('the default name has date and title, and nothing is overwritten', async () => {
  const files: unknown[] = [];
  for (let count = 0; count < 3; count++) files.push(await exportToFile(entries, options, { folder }));
  expect(files).toEqual(
    ['', '-2', '-3'].map((more) => ({
      type: 'done',
      file: join(folder, `clawdcode-2026-03-02-fix-the-login${more}.md`),
      secrets: 0,
    })),
  );
  expect(await readdir(folder)).toHaveLength(3);
  expect((await stat(join(folder, 'clawdcode-2026-03-02-fix-the-login.md'))).mode & 0o777).toBe(0o600);
});

test('an existing file is not changed', async () => {
  const file = join(folder, 'mine.md');
  await writeFile(file, 'mine');
  expect(await exportToFile(entries, options, { file })).toMatchObject({ type: 'failed' });
  expect(await readFile(file, 'utf8')).toBe('mine');
  expect(await readdir(folder)).toEqual(['mine.md']);
});

test('a write error is reported, and no partial file remains', async () => {
  const done = await exportToFile(entries, options, { file: join(folder, 'no', 'such', 'a.md') });
  expect(done).toEqual({
    type: 'failed',
    message: `There is no folder ${join(folder, 'no', 'such')} to write to.`,
  });
  async function* broken() {
    yield* entries;
    throw new Error('the log is gone');
  }
  expect(await exportToFile(broken(), options, { folder })).toMatchObject({
    type: 'failed',
    message: expect.stringContaining('the log is gone'),
  });
  expect(await readdir(folder)).toEqual([]);
});

test('a secret in the title is not in the file name', async () => {
  const title = 'my password is Tr0ub4dor&3xyz, log in';
  const done = await exportToFile(entries, { ...options, meta: { ...meta, title } }, { folder });
  const [name = ''] = await readdir(folder);
  expect(name).toMatch(/^clawdcode-2026-03-02-my-password-is-redacted-password-[0-9a-f]{4}-log-in\.md$/);
  expect(done).toMatchObject({ type: 'done' });
});

test('each secret is counted once', async () => {
  const [one] = syntheticSecrets(1, 'count');
  const said = entriesOf([prompt(`${one?.text}`), reply(`again ${one?.text}`)]);
  expect(await exportToFile(said, options, { folder })).toMatchObject({ secrets: 1 });
});

test.each([
  ['../../etc/passwd', 'clawdcode-2026-03-02-etc-passwd.md'],
  ['修正 ログイン', 'clawdcode-2026-03-02-修正-ログイン.md'],
  ['\u001b[31m/\\:*?"<>|', 'clawdcode-2026-03-02-31m.md'],
  ['...', 'clawdcode-2026-03-02-s1.md'],
  ['word '.repeat(100), `clawdcode-2026-03-02-${Array(12).fill('word').join('-')}.md`],
])('the file name for the title %j is %s', async (title, name) => {
  const done = await exportToFile(entries, { format: 'md', meta: { ...meta, title } }, { folder });
  expect(done).toMatchObject({ file: join(folder, name) });
});
