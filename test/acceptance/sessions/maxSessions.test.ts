/**
 * The list of sessions, and what happens to those beyond the limit.
 *
 * @module-tag long
 */
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Terminal } from '../../e2e/support/terminal.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { openProject, type Project } from '../support/project.ts';

interface Listed {
  readonly id: string;
  readonly title: string;
  readonly isArchived: boolean;
  readonly updatedAt: string;
  readonly promptCount: number;
  readonly messageCount: number;
}

const DAY_MS = 86_400_000;
const idOf = (number: number): string => `old${String(number).padStart(3, '0')}`;

/** This many sessions, oldest first; each was last used a day after the previous one. */
async function fill(project: Project, count: number): Promise<string> {
  await project.run('the first of many', { replies: [{ text: 'It is done.' }] });
  const [session] = await project.work.sessions();
  const folder = dirname(session?.file ?? '');
  for (let number = 0; number < count; number++) {
    const time = new Date(Date.now() - (count - number + 1) * DAY_MS);
    const lines = (session?.entries ?? []).map((entry, index) => {
      const timestamp = new Date(time.getTime() + index).toISOString();
      const message =
        entry.subtype === 'prompt' ? { role: 'user', content: `Task ${number}` } : entry.message;
      return JSON.stringify({ ...entry, sessionId: idOf(number), timestamp, message });
    });
    const file = join(folder, `${idOf(number)}.jsonl`);
    await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    await utimes(file, time, time);
  }
  return folder;
}

async function list(project: Project): Promise<Listed[]> {
  const { code, stdout } = await project.print(['session', 'list', '--json']);
  expect(code).toBe(0);
  return JSON.parse(stdout).map((one: Listed & { archived?: boolean }) => ({
    ...one,
    isArchived: one.isArchived ?? one.archived,
  }));
}

async function leave(terminal: Terminal): Promise<void> {
  await terminal.submit('/exit');
  await terminal.exited;
}

const logsIn = async (folder: string, suffix: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(suffix)).sort();

test('archives 5 of 105 sessions, and they can be resumed', async () => {
  const project = await openProject();
  // 103 old ones, the one that they were copied from, and the one that is open now.
  const folder = await fill(project, 103);
  const oldest = join(folder, `${idOf(0)}.jsonl`);
  const bytes = await readFile(oldest);
  const terminal = await project.ready();
  const archive = join(folder, 'archive');
  await expect
    .poll(() => logsIn(archive, '.jsonl.zst').catch(() => []), { timeout: 20_000 })
    .toEqual([0, 1, 2, 3, 4].map((number) => `${idOf(number)}.jsonl.zst`));
  // A log is deleted once its archive exists.
  await expect.poll(() => logsIn(folder, '.jsonl'), { timeout: 20_000 }).toHaveLength(100);
  await leave(terminal);

  const listed = await list(project);
  // The session that was only opened has nothing to show.
  expect(listed).toHaveLength(104);
  const times = listed.map(({ updatedAt }) => updatedAt);
  expect(times).toEqual([...times].sort().reverse());
  expect(listed.filter(({ isArchived }) => isArchived).map(({ title }) => title)).toEqual(
    [4, 3, 2, 1, 0].map((number) => `Task ${number}`),
  );
  expect(listed[0]).toMatchObject({ title: 'the first of many', promptCount: 1, isArchived: false });

  const next = await project.run('go on', { resume: idOf(0), replies: [{ text: 'As you say.' }] });
  expect(next.code).toBe(0);
  expect(next.requests[0]?.messages.map(textOf)).toEqual(
    expect.arrayContaining(['Task 0', 'It is done.', 'go on']),
  );
  const resumed = await readFile(oldest);
  expect(resumed.subarray(0, bytes.length)).toEqual(bytes);
  expect(resumed.length).toBeGreaterThan(bytes.length);
});

test('an archived session is found by its content', { tags: 'long' }, async () => {
  const project = await openProject({ settings: { sessions: { maxSessions: 1 } } });
  const folder = await fill(project, 3);
  const terminal = await project.ready();
  await expect
    .poll(() => logsIn(join(folder, 'archive'), '.zst').catch(() => []), { timeout: 20_000 })
    .toHaveLength(3);
  await expect.poll(() => logsIn(folder, '.jsonl'), { timeout: 20_000 }).toHaveLength(2);
  await leave(terminal);
  const { stdout } = await project.print(['session', 'search', 'Task', '1', '--json']);
  expect(JSON.stringify(JSON.parse(stdout))).toContain(idOf(1));
  expect(stdout).not.toContain(idOf(2));
});

test('only the requested session is deleted, and only after confirmation', async () => {
  const project = await openProject();
  const folder = await fill(project, 3);
  const refused = await project.print(['session', 'delete', idOf(1)]);
  expect(refused.code).not.toBe(0);
  expect(await logsIn(folder, '.jsonl')).toHaveLength(4);
  const deleted = await project.print(['session', 'delete', idOf(1), '--yes']);
  expect(deleted.code).toBe(0);
  expect((await list(project)).map(({ title }) => title)).toEqual(['the first of many', 'Task 2', 'Task 0']);
});
