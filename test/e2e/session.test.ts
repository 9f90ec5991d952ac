/** `clawdcode session`: the installed program on sessions that it wrote itself. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { generateSession } from '../../bench/sessions/generate.ts';
import { linesOf } from './support/jsonLines.ts';
import { long } from './support/long.ts';
import { program } from './support/program.ts';
import type { ScriptedReply } from './support/server.ts';
import { type Printed, setUpProgram, type TestProgram } from './support/testProgram.ts';

const run = promisify(execFile);

interface Listed {
  readonly id: string;
  readonly title: string;
  readonly file: string;
  readonly messageCount: number;
  readonly forkedFrom?: string;
}

const list = async ({ print }: TestProgram, ...flags: string[]): Promise<Listed[]> => {
  const { code, stdout, stderr } = await print(['session', 'list', '--json', ...flags]);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Listed[];
};

const looks: readonly ScriptedReply[] = [
  { text: 'I look.', calls: [{ name: 'Read', input: { file_path: 'lib/constants.js', limit: 2 } }] },
  { text: 'It has constants.' },
];

/** A project with two sessions, newest first. */
async function lived(): Promise<TestProgram & { readonly newest: Listed; readonly oldest: Listed }> {
  const setup = await setUpProgram();
  setup.server.script(...looks, { text: 'A second answer.' });
  const first = await setup.print(['-p', 'what is in constants.js?']);
  const second = await setup.print(['-p', 'another question', '--name', 'Named by hand']);
  expect([first.code, second.code]).toEqual([0, 0]);
  const [newest, oldest] = await list(setup);
  if (newest === undefined || oldest === undefined) throw new Error('two sessions were expected');
  expect([newest.title, oldest.title]).toEqual(['Named by hand', 'what is in constants.js?']);
  return { ...setup, newest, oldest };
}

test('a session is listed, shown and renamed by a prefix of its id or by its title', async () => {
  const setup = await setUpProgram();
  const { server, print } = setup;
  server.script(...looks);
  expect((await print(['-p', 'what is in constants.js?', '--name', 'Named by hand'])).code).toBe(0);
  const [listed] = await list(setup);
  expect(listed?.title).toBe('Named by hand');

  const shown = await print(['session', 'show', listed?.id.slice(0, 8) ?? '']);
  expect(shown.stdout).toMatch(
    /#\d+ > what is in constants\.js\?[\s\S]*● Read\(lib\/constants\.js[\s\S]*It has constants\.\n/,
  );

  const renamed = await print(['session', 'rename', 'named BY hand', 'Something', 'else']);
  expect([renamed.code, renamed.stdout]).toEqual([
    0,
    `Session ${listed?.id} is now called "Something else".\n`,
  ]);
});

test('a session is resumed from the readable part of its damaged archive', { tags: 'long' }, async () => {
  const { print, server, oldest } = await lived();
  const lines = (await readFile(oldest.file, 'utf8')).split(/(?<=\n)/);
  const packed = [lines.slice(0, -2), lines.slice(-2)].map((some) => zstdCompressSync(some.join('')));
  const archive = join(dirname(oldest.file), 'archive', `${oldest.id}.jsonl.zst`);
  expect((await print(['session', 'archive', oldest.id])).code).toBe(0);
  await writeFile(archive, Buffer.concat(packed).subarray(0, -10));
  server.script({ text: 'On we go.' });
  const resumed = await print(['-p', '--resume', oldest.id, 'go on']);
  expect([resumed.code, resumed.stdout]).toEqual([0, 'On we go.\n']);
  expect(resumed.stderr).toContain(`What follows entry #${lines.length - 3} cannot be read.`);
  expect((await print(['session', 'archive', oldest.id])).code).toBe(0);
  await writeFile(archive, 'no archive');
  const refused = await print(['-p', '--resume', oldest.id, 'go on']);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/The archive is damaged/)]);
  expect(refused.stderr).not.toMatch(/\n +at /);
});

test('a session is shown as JSON, forked and deleted', { tags: 'long' }, async () => {
  const setup = await lived();
  const { print, newest, oldest, work } = setup;
  const entries = linesOf((await print(['session', 'show', oldest.id, '--json'])).stdout);
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
  expect(entries).toHaveLength(oldest.messageCount);
  const tail = linesOf((await print(['session', 'show', oldest.id, '--json', '--tail', '2'])).stdout);
  expect(tail).toEqual(entries.slice(-2));

  const forked = await print(['session', 'fork', newest.title, '--at', '2']);
  const copy = (await list(setup)).find(({ id }) => id === forked.stdout.trim());
  expect(copy).toMatchObject({ messageCount: 3 });

  const refused = await print(['session', 'delete', oldest.id]);
  expect([refused.code, refused.stdout]).toEqual([42, '']);
  expect(refused.stderr).toContain('Nothing was deleted');
  expect(existsSync(oldest.file)).toBe(true);
  expect((await print(['session', 'delete', oldest.id, '--yes'])).code).toBe(0);
  expect(existsSync(oldest.file)).toBe(false);
  expect((await list(setup)).map(({ id }) => id).sort()).toEqual([newest.id, copy?.id].sort());
  expect(await work.git('status', '--porcelain')).toBe('');
});

test('a session is read while another program writes it, and renamed once that has exited', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { server, startPrint, print } = setup;
  server.script({ text: 'Slowly.', latency: 80_000 });
  const running = startPrint(['-p', 'take your time']);
  await expect.poll(async () => (await list(setup)).length, { timeout: 20_000 }).toBe(1);
  const [open] = await list(setup);
  const shown = await print(['session', 'show', open?.id ?? '']);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('> take your time')]);
  const locked = await print(['session', 'rename', open?.id ?? '', 'Mine']);
  expect([locked.code, locked.stderr]).toEqual([42, expect.stringContaining(`process ${running.pid}`)]);
  const held = await print(['-p', '--resume', open?.id ?? '', 'go on']);
  expect([held.code, held.stderr]).toEqual([
    42,
    expect.stringMatching(/is open in another clawdcode.*--fork-session/),
  ]);
  const forked = await print(['session', 'fork', open?.id ?? '']);
  expect([forked.code, forked.stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}\n$/)]);
  running.kill('SIGKILL');
  await running.ended;
  expect((await print(['session', 'rename', open?.id ?? '', 'Mine'])).code).toBe(0);
});

test('an archived session is listed, found, shown, checked and resumed', long, async () => {
  const setup = await lived();
  const { print, server, oldest } = setup;
  const archived = await print(['session', 'archive', oldest.id]);
  expect([archived.code, archived.stdout]).toEqual([0, expect.stringContaining('is archived: ')]);
  expect(existsSync(oldest.file)).toBe(false);
  expect((await list(setup)).find(({ id }) => id === oldest.id)).toMatchObject({
    isArchived: true,
    title: oldest.title,
  });
  expect((await list(setup, '--active')).map(({ id }) => id)).not.toContain(oldest.id);
  const found = await print(['session', 'search', 'has', 'const*', '--json']);
  expect(JSON.parse(found.stdout)).toEqual([
    expect.objectContaining({
      session: expect.objectContaining({ id: oldest.id, isArchived: true }),
      who: 'model',
      snippet: 'It has constants.',
    }),
  ]);
  expect((await print(['session', 'show', oldest.id, '--tail', '3'])).stdout).toContain('It has constants.');
  expect((await print(['session', 'verify', oldest.id])).stdout).toContain('is intact');
  expect((await print(['session', 'rename', oldest.id, 'An old one'])).code).toBe(0);
  expect((await list(setup)).find(({ id }) => id === oldest.id)).toMatchObject({
    isArchived: true,
    title: 'An old one',
  });
  server.script({ text: 'Here I am again.' });
  const again = await print(['-p', '--resume', 'An old one', 'go on']);
  expect([again.code, again.stdout]).toEqual([0, 'Here I am again.\n']);
  expect(existsSync(oldest.file)).toBe(true);
});

test('a session is exported without secrets, verified, damaged and repaired', {
  tags: 'long',
}, async () => {
  const { print, newest, work } = await lived();
  const page = await print(['session', 'export', newest.id, '--output', 'talk.html']);
  expect([page.code, page.stderr]).toEqual([0, '']);
  expect(await work.read('talk.html')).toMatch(/^<!doctype html>[\s\S]*A second answer\./i);
  const again = await print(['session', 'export', newest.id, '--output', 'talk.html']);
  expect([again.code, again.stderr]).toEqual([42, expect.stringContaining('already exists')]);
  expect((await print(['session', 'export', newest.id])).stdout).toContain('A second answer.');

  const whole = await readFile(newest.file, 'utf8');
  await writeFile(newest.file, whole.replace('another question', 'another_question'));
  const damaged = await print(['session', 'verify', newest.id]);
  expect([damaged.code, damaged.stdout]).toEqual([1, expect.stringContaining('is damaged')]);
  const repaired = await print(['session', 'repair', newest.id, '--json']);
  const report = JSON.parse(repaired.stdout) as { type: string; original: string };
  expect([repaired.code, report.type]).toEqual([0, 'repaired']);
  expect(await readFile(report.original, 'utf8')).toContain('another_question');
  expect((await print(['session', 'verify', newest.id, '--deep'])).code).toBe(0);
});

test('other projects are listed and searched only on request', long, async () => {
  const setup = await lived();
  const { print, work, server } = setup;
  const elsewhere = join(work.temporary, 'other');
  await mkdir(elsewhere);
  server.script({ text: 'A word about marmalade.' });
  await print(['-p', 'far away'], { cwd: elsewhere });
  expect((await list(setup)).map(({ title }) => title)).not.toContain('far away');
  const all = await list(setup, '--all');
  const far = all.find(({ title }) => title === 'far away');
  expect(all).toHaveLength(3);
  expect((await print(['session', 'search', 'marmalade'])).stdout).toBe('');
  const found = await print(['session', 'search', 'marmalade', '--all']);
  expect(found.stdout).toMatch(
    new RegExp(`^${far?.id} {2}far away[\\s\\S]*model: A word about marmalade\\.`),
  );
  expect((await print(['session', 'show', far?.id ?? ''])).stdout).toContain('A word about marmalade.');
});

test('at a terminal the output is colored, fits, and asks before it deletes', long, async () => {
  const { open, newest } = await lived();
  const listed = open(['session', 'list'], { columns: 60 });
  expect(await listed.exited).toBe(0);
  expect(listed.everything()).toMatch(/^ID +LAST USED +TITLE$/m);
  expect(listed.everything()).toMatch(/just now +Named by hand$/m);
  expect(listed.bytes()).toContain('\u001b[');

  const refused = open(['session', 'delete', newest.id]);
  await refused.waitFor(/\[\s*y\s*\/\s*N\s*\]/);
  await refused.type('\r');
  expect(await refused.exited).toBe(1);
  expect(existsSync(newest.file)).toBe(true);
  const closed = open(['session', 'delete', newest.id]);
  await closed.waitFor(/\[\s*y\s*\/\s*N\s*\]/);
  await closed.type('\u0004');
  expect(await closed.exited).toBe(1);
  expect(existsSync(newest.file)).toBe(true);
  const agreed = open(['session', 'delete', newest.id]);
  await agreed.waitFor(/\[\s*y\s*\/\s*N\s*\]/);
  await agreed.type('y\r');
  expect(await agreed.exited).toBe(0);
  expect(existsSync(newest.file)).toBe(false);
});

test('NO_COLOR and pipes get no escapes, and a reader that leaves early causes no error', {
  tags: 'long',
}, async () => {
  const { open, work, newest, access } = await lived();
  const plain = open(['session', 'list'], { env: work.env({ ...access, NO_COLOR: '1' }) });
  await plain.exited;
  expect(plain.bytes()).not.toContain('\u001b[3');
  const large = join(dirname(newest.file), 'large.jsonl');
  await generateSession(large, { bytes: 4_000_000, seed: 1 });
  const { stdout, stderr } = await run(
    'bash',
    [
      '-c',
      `"$0" "$1" session show large --json | head -n 1; echo "code \${PIPESTATUS[0]}" >&2`,
      ...program(),
    ],
    { cwd: work.repository, env: work.env(access) },
  );
  expect(JSON.parse(stdout)).toMatchObject({ seq: 0, subtype: 'session_start' });
  expect(stderr).toBe('code 0\n');
  // A device that only Linux has.
  if (!existsSync('/dev/full')) return;
  const full = ['-c', '"$0" "$1" session show large --json > /dev/full; echo "code $?"', ...program()];
  const refused = await run('bash', full, { cwd: work.repository, env: work.env(access) });
  expect(refused.stdout).toBe('code 1\n');
  expect(refused.stderr).toMatch(
    /^clawdcode: ENOSPC: no space left on device.*The output is incomplete\.\n$/,
  );
});

// In `npm test`, test/cli/sessionCommand/program.test.ts does the same without a process.
test('without a session the message says so, and bad input is exit code 42', long, async () => {
  const { print } = await setUpProgram();
  const none: Partial<Printed> = { code: 0, stdout: '' };
  const bad: Partial<Printed> = { code: 42, stdout: '' };
  expect(await print(['session'])).toMatchObject(none);
  expect(await print(['session', 'show', 'nothing'])).toMatchObject(bad);
  expect(await print(['session', 'lits'])).toMatchObject(bad);
  expect(await print(['session', '--help'])).toMatchObject({ code: 0, stderr: '' });
});

test('a prompt may begin with the word "session"', long, async () => {
  const { server, print } = await setUpProgram();
  server.script({ text: 'Sessions are fine.' });
  const { code, stdout } = await print(['-p', 'session', 'list', 'is', 'slow']);
  expect([code, stdout]).toEqual([0, 'Sessions are fine.\n']);
});

test('a title in the list marks invisible characters', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  setup.server.otherwise(() => ({ text: 'Hello.' }));
  await setup.print(['-p', 'ask pay\u200Bpal']);
  expect((await setup.print(['session', 'list'])).stdout).toContain('pay‹U+200B›pal');
});
