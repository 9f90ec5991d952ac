/**
 * The list of sessions as a user works with it: sessions are found by title and content, renamed, forked and kept; the
 * holder of an open one is named.
 *
 * @module-tag long
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generateMany } from '../../bench/sessions/generate.ts';
import { messageEntry } from '../../src/context/storage/newEntries.ts';
import { PersistentStore } from '../../src/context/storage/PersistentStore.ts';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { long } from './support/long.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';

const REPLY = `Here is what I found. ${'Some words in between. '.repeat(30)}The zebrafish hides in the last line.`;

/** A finished session with this prompt; returns its id. */
async function said(setup: TestProgram, prompt: string, reply = REPLY): Promise<string> {
  setup.server.script({ text: reply });
  const { stdout } = await setup.print(['-p', prompt, '--output-format', 'json']);
  return String(JSON.parse(stdout).session_id);
}

/** The prompts in the sessions of a setup, by title. */
async function titles(setup: TestProgram): Promise<(string | undefined)[]> {
  const all = await setup.work.sessions();
  return all.map(({ entries }) => {
    const title =
      entries.findLast((entry) => entry.subtype === 'title') ??
      entries.find((entry) => entry.subtype === 'prompt');
    return String(title?.message.content);
  });
}

test('one of 10,000 sessions is found by a few letters while the index is being built', long, async () => {
  const setup = await setUpProgram();
  const { work, open } = setup;
  const roots = [work.repository, '/elsewhere/api', '/elsewhere/web'];
  await generateMany(work.data, { count: 10_000, seed: 7, medianBytes: 1500, roots });
  await said(setup, 'Look at the ünïcode 漢字 parser 👩‍🚀');
  const terminal = open(['--resume'], { columns: 100, rows: 30 });
  await terminal.waitFor('Sessions of this project');
  await terminal.waitFor('漢字 parser');
  // The newest is at the top at once; the index is built after that.
  await terminal.waitFor(/1 \/ [56],\d{3}/, 60_000);
  await terminal.type('字 pars');
  await terminal.waitFor('1 / 1 of');
  await terminal.waitFor('Look at the ünïcode 漢字 parser 👩‍🚀');
  await terminal.waitFor('│ > Look at the');
  // One after the other: in one chunk they would be Alt and Tab.
  await terminal.press(keys.escape);
  await terminal.waitForGone('Filter: 字');
  await terminal.press(keys.tab);
  await terminal.waitFor(/Sessions of all projects .* 1 \/ (9,\d{3}|10,00\d)/, 60_000);
  await terminal.type('elsewhere/web');
  await terminal.waitFor(/ web +\d{4}-/);
  for (const key of [keys.down, keys.down, keys.up, keys.pageDown, keys.end, keys.home]) {
    const before = terminal.screen();
    await terminal.press(key);
    await terminal.until(() => terminal.screen() !== before, 'the cursor moves');
  }
  await terminal.press(keys.ctrl('c'));
  await terminal.waitFor(/context ~?\d+%/);
  expectTried(
    terminal,
    'select:next',
    'select:previous',
    'select:pageDown',
    'select:last',
    'select:first',
    'sessions:scope',
  );
});

test('a search hit opens the session at the hit', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const id = await said(setup, 'What lives in this repository?');
  const store = new PersistentStore({
    dataRoot: setup.work.data,
    projectRoot: setup.work.repository,
    programVersion: '1.0.0',
  });
  const log = await store.openSession(id);
  for (let turn = 0; turn < 40; turn++)
    await log.append([
      messageEntry('user', `Question ${turn}`),
      messageEntry('assistant', `Reply ${turn} of many.`),
    ]);
  await log.close();
  await said(setup, 'Another thing', 'Nothing of the kind.');
  const terminal = setup.open(['--resume'], { columns: 80, rows: 30 });
  await terminal.waitFor('Another thing');
  await terminal.type('/zebrafish hi');
  await terminal.waitFor(/What lives in this repository\? · model/, 30_000);
  await terminal.waitFor(/zebrafish hides/);
  await terminal.waitFor('┃');
  await terminal.press(keys.ctrl('o'));
  await terminal.waitFor('PgUp PgDn scroll');
  await terminal.press(keys.escape);
  await terminal.waitForGone('PgUp PgDn scroll');
  await terminal.press(keys.enter);
  await terminal.waitForPrinted(/Entry #\d+, from your search:/);
  await terminal.waitForPrinted('zebrafish hides in the');
  await terminal.waitForPrinted(/… \d+ later entries follow; the conversation continues at its end\./);
  const printed = terminal.everything();
  expect(printed.indexOf('from your search')).toBeLessThan(printed.lastIndexOf('zebrafish hides'));
  expect(terminal.screen()).toContain('from your search');
  expect(printed).not.toContain('Reply 39 of many.');
  setup.server.script({ text: 'At the end.' });
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.submit('Where are we?');
  await terminal.waitFor('At the end.');
  expect(JSON.stringify(setup.server.requests().at(-1))).toContain('Reply 39 of many.');
  expectTried(terminal, 'sessions:preview', 'select:cancel', 'select:accept');
});

test('a session is renamed, archived and unarchived, and Enter at the question does not delete it', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  await said(setup, 'First of all');
  await said(setup, 'Second thing \u001B]0;owned\u0007\u001B[2J');
  const expectSessions = (many: number): Promise<void> =>
    expect.poll(() => setup.work.sessions()).toHaveLength(many);
  const terminal = setup.open(['--resume'], { columns: 80, rows: 24 });
  await terminal.waitFor('First of all');
  await terminal.press(keys.down, keys.ctrl('r'), keys.ctrl('u'));
  await terminal.type('Named 家 by me');
  await terminal.press(keys.enter);
  await terminal.waitFor('Renamed to “Named 家 by me”');
  expect((await titles(setup)).sort()).toContain('Named 家 by me');
  await terminal.press(keys.ctrl('z'));
  await terminal.waitFor('Renamed to “First of all”');
  await terminal.press(keys.ctrl('t'));
  await terminal.waitFor('(archived)');
  await terminal.waitFor(/Archived: .* →/);
  await expectSessions(1);
  await terminal.press(keys.ctrl('z'));
  await terminal.waitFor('Unarchived, unchanged');
  await expectSessions(2);
  await terminal.press(keys.ctrl('x'));
  await terminal.waitFor('Delete this session?');
  expect(terminal.screen()).toContain('“First of all”');
  await terminal.press(keys.enter);
  await terminal.waitFor('Filter:');
  await expectSessions(2);
  await terminal.press(keys.ctrl('x'));
  await terminal.waitFor('Delete this session?');
  await terminal.press('y');
  await terminal.waitFor('Deleted “First of all”');
  await terminal.waitFor('1 / 1');
  await expectSessions(1);
  expect(terminal.bytes()).not.toContain(']0;owned');
  await terminal.press(keys.down);
  for (const columns of [20, 200, 80]) {
    await terminal.resize(columns, 24);
    await terminal.waitFor(columns === 20 ? 'Enter Tab / ? Esc' : 'Esc new session');
    await terminal.waitFor('❯ Second');
  }
  expectTried(
    terminal,
    'sessions:rename',
    'sessions:undo',
    'sessions:archive',
    'sessions:delete',
    'confirm:accept',
  );
});

test('an archived session is opened like any other', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const id = await said(setup, 'Keep this');
  const first = setup.open(['--resume']);
  await first.waitFor('Keep this');
  await first.press(keys.ctrl('t'));
  await first.waitFor('(archived)');
  await first.press(keys.enter);
  await first.waitForPrinted('The zebrafish hides');
  await first.waitFor(/context ~?\d+%/);
  await expect.poll(async () => (await setup.work.sessions())[0]?.file).toContain(id);
});

test('/fork continues in a fork, /rename names it, and the original is unchanged', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const terminal = await setup.ready();
  setup.server.script({ text: 'One.' }, { text: 'Two.' });
  await terminal.submit('Count');
  await terminal.waitFor('One.');
  await terminal.waitForIdle();
  await terminal.submit('/rename Counting up');
  await terminal.waitFor('Title: Counting up');
  await terminal.submit('/fork');
  await terminal.waitFor(/Forked; you are now in the copy\. Original: \/resume \w+/);
  await terminal.submit('Go on');
  await terminal.waitFor('Two.');
  await terminal.waitForIdle();
  const sessions = await setup.work.sessions();
  const prompts = sessions.map(({ entries }) => entries.filter(({ subtype }) => subtype === 'prompt').length);
  expect(prompts.sort()).toEqual([1, 2]);
  await terminal.submit('/resume');
  await terminal.waitFor('↳ Counting up · open');
});

test('a session that is open elsewhere can be viewed or forked, and -p names the holder', long, async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: 'Held answer.' }, { text: 'In the copy.' });
  const holder = await setup.ready();
  await holder.submit('Hold this');
  await holder.waitFor('Held answer.');
  await holder.waitForIdle();
  const [held] = await setup.work.sessions();
  const terminal = setup.open(['--continue']);
  await terminal.waitFor(`process ${holder.pid}`);
  await terminal.waitFor('1. Read it');
  await terminal.answer('r');
  await terminal.waitForPrinted('Held answer.');
  await terminal.waitFor('read only');
  await terminal.submit('Change something');
  await terminal.waitFor('open read-only');
  await terminal.waitFor('❯ Change something');
  expect(JSON.stringify(await setup.work.sessions())).not.toContain('Change something');
  await terminal.press(keys.ctrl('u'));
  await terminal.submit('/fork');
  await terminal.waitFor('Forked; you are now in the copy.');
  await terminal.submit('Go on here');
  await terminal.waitFor('In the copy.');
  expect(await setup.work.sessions()).toHaveLength(2);
  const id = held?.entries[0]?.sessionId ?? '';
  const printed = await setup.print(['-p', 'more', '--resume', id]);
  expect(printed.code).toBe(42);
  expect(printed.stderr).toContain(`process ${holder.pid}`);
  expect(printed.stderr).toContain('--fork-session');
});

test('a session of another project says where it belongs, and is forked with its blobs', long, async () => {
  const setup = await setUpProgram();
  const { work } = setup;
  const id = await said(setup, 'Belongs to the first');
  const other = join(work.home, 'other');
  await work.git('clone', '--quiet', work.repository, other);
  const terminal = setup.open(['--resume'], { cwd: other, columns: 90, rows: 30 });
  await terminal.waitFor('No sessions in this project');
  await terminal.press(keys.tab);
  await terminal.waitFor('Belongs to the first');
  await terminal.press(keys.enter);
  await terminal.waitFor('It belongs to another project');
  await terminal.answer('f');
  await terminal.waitForPrinted('The zebrafish hides');
  await terminal.waitFor(`Original: /resume ${id}`);
  expect(await work.sessions()).toHaveLength(2);
});
