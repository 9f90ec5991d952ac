/** The log of a session only grows, and survives any end of the program. */
import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { JSONLStore } from '../../../src/context/storage/JSONLStore.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { openProject, runPrint, SILENT } from '../support/project.ts';

test('`JSONLStore` appends, reads, finds and deletes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-jsonl-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'deep', 'a.jsonl');
  const store = new JSONLStore(file);
  expect(store.getFilePath()).toBe(file);
  expect(await store.exists()).toBe(false);
  expect(await store.readAll()).toEqual({ entries: [], damaged: [] });
  const { entries } = await runPrint('hello', { replies: [{ text: 'Hi.' }] });
  const [one, two, ...rest] = entries as [JSONLEntry, JSONLEntry, ...JSONLEntry[]];
  await store.append([one]);
  await appendFile(file, '{"half a li');
  await store.close();
  const again = new JSONLStore(file);
  await again.append([two, ...rest]);
  const read = await again.readAll();
  expect(read.entries).toEqual(entries);
  expect(read.damaged).toHaveLength(1);
  // The incomplete line is separate: a reader that works line by line loses nothing else.
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines).toHaveLength(entries.length + 1);
  expect(lines.filter((line) => !isJson(line))).toEqual(['{"half a li']);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await again.delete();
  expect(await again.exists()).toBe(false);
});

test('after a kill during a write, earlier and later entries can be read', {
  tags: 'long',
}, async () => {
  const project = await openProject();
  const { server, work } = project;
  const first = await project.run('first', { replies: [{ text: 'First answer.' }] });
  server.script({ ...SILENT, text: 'word '.repeat(500), latency: 40, chunkSize: 5 });
  const running = project.startPrint(['-p', '--yolo', '--resume', first.sessionId, 'second']);
  await server.waitForRequests(2);
  running.kill('SIGKILL');
  await running.ended;
  const file = (await work.sessions())[0]?.file ?? '';
  const before = await readFile(file, 'utf8');
  expect(before).toContain('"second"');
  // The incomplete line that a kill during a write leaves behind.
  const last = before.trimEnd().split('\n').at(-1) ?? '';
  await appendFile(file, last.slice(0, last.length / 2));

  const next = await project.run('third', { resume: first.sessionId, replies: [{ text: 'Third answer.' }] });
  expect(next).toMatchObject({ code: 0 });
  expect(next.stderr).toMatch(/could not be read/);
  const said = next.requests[0]?.messages.map(textOf) ?? [];
  for (const text of ['first', 'First answer.', 'second', 'third']) expect(said).toContain(text);
  const after = await readFile(file, 'utf8');
  expect(after.startsWith(before)).toBe(true);
  const readable = after.split('\n').filter((line) => isJson(line));
  expect(readable.join('\n')).toContain('Third answer.');
  const unreadable = after
    .trimEnd()
    .split('\n')
    .filter((line) => !isJson(line));
  expect(unreadable).toEqual([last.slice(0, last.length / 2)]);
});

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}
