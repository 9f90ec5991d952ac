/** A tool's output is limited by lines and bytes, and stored in full next to the log. */
import { readFile, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { truncateObservation } from '../../../src/context/results/ObservationTruncator.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { openProject, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const bytes = (text: string): number => Buffer.byteLength(text);

test('a line of a megabyte is cut to its first 51,200 bytes by default', { tags: 'long' }, async () => {
  const project = await openProject({ window: 1_000_000 });
  await project.work.write('wide.txt', `start${'x'.repeat(1_000_000)}end`);
  const lines = Array.from({ length: 5000 }, (_, n) => `line ${n + 1}`).join('\n');
  const run = await project.run('read it', {
    replies: [{ calls: [use('Bash', { command: 'cat wide.txt' })] }, { text: 'Read.' }],
  });
  const sent = textOf(run.requests[1]?.messages.at(-1));
  expect(bytes(sent)).toBeLessThanOrEqual(51_200);
  expect(sent).toMatch(/truncated/i);
  const original = run.entries.find(({ toolResult }) => toolResult !== undefined)?.toolResult?.original;
  expect(String(await project.blob(original?.hash ?? 'none'))).toContain(`start${'x'.repeat(1_000_000)}end`);

  const { truncated, preview, stats } = truncateObservation(lines);
  expect({ truncated, ...stats }).toMatchObject({ truncated: true, direction: 'head', originalLines: 5000 });
  expect(preview.split('\n')).toHaveLength(2000);
  expect(preview.startsWith('line 1\n')).toBe(true);
  expect(truncateObservation(lines, undefined, 'tail').preview.endsWith('line 5000')).toBe(true);
});

test('a command keeps its beginning, its error lines and its end, and no line twice', async () => {
  const app = await createTestApp({
    window: 1_000_000,
    files: {
      'wide.txt': Array.from({ length: 6 }, (_, n) => `<${n}>${'y'.repeat(20_000)}`).join('\n'),
      'build.log': Array.from({ length: 9000 }, (_, n) =>
        n === 4321 ? 'src/a.ts:7:1 error TS2322: no' : `step ${n} ok`,
      ).join('\n'),
    },
  });
  const open = await app.open();
  const [, second, third] = await open.ask(
    'run',
    { calls: [use('Bash', { command: 'cat wide.txt' })] },
    { calls: [use('Bash', { command: 'cat build.log; exit 2' })] },
    { text: 'Done.' },
  );
  const wide = textOf(second?.messages.at(-1));
  expect(bytes(wide)).toBeLessThanOrEqual(51_200);
  for (let n = 0; n < 6; n++) expect(wide.split(`<${n}>`).length - 1).toBeLessThanOrEqual(1);
  const build = textOf(third?.messages.at(-1));
  expect(build.split('\n').length).toBeLessThanOrEqual(2000);
  for (const wanted of ['step 0 ok', 'error TS2322', 'step 8999 ok']) expect(build).toContain(wanted);
  expect(build).toMatch(/exit(ed)?( code| status| with)*:? 2/i);
  const steps = [...build.matchAll(/^step (\d+) ok$/gm)].map(([, n]) => Number(n));
  expect(new Set(steps).size).toBe(steps.length);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
});

test('context.truncate.* apply, and the pointer leads to the full output', async () => {
  const text = Array.from({ length: 300 }, (_, n) => `row ${n}`).join('\n');
  const app = await createTestApp({
    settings: { context: { truncate: { maxLines: 60, maxBytes: 4000 } } },
    files: { 'rows.txt': text },
  });
  const open = await app.open();
  const [, second] = await open.ask(
    'read',
    { calls: [use('Bash', { command: 'cat rows.txt' })] },
    { text: 'Read.' },
  );
  const sent = textOf(second?.messages.at(-1));
  expect(sent.split('\n').length).toBeLessThanOrEqual(60);
  expect(bytes(sent)).toBeLessThanOrEqual(4000);
  const pointer = /Recall\W+(?:id\W+)?([0-9a-f]{8,64}|#\d+)/.exec(sent)?.[1] ?? '';
  let read = '';
  for (let step = 0; step < 30 && read.length < text.length; step++) {
    const calls = [use('Recall', { id: pointer, offset: read.length })];
    const [, next] = await open.ask('go on', { calls }, { text: 'I see.' });
    // The first line says what it is a part of, and how to see more.
    read += textOf(next?.messages.at(-1)).split('\n').slice(1).join('\n');
  }
  expect(read).toBe(text);
});

test('the result has truncated, full_output_path and stats, and the path is readable', async () => {
  const text = Array.from({ length: 300 }, (_, n) => `row ${n}`).join('\n');
  for (const outputDir of [null, 'long outputs']) {
    const app = await createTestApp({
      settings: { context: { truncate: { maxLines: 60, outputDir } } },
      files: { 'rows.txt': text },
    });
    const open = await app.open();
    const [, second, third] = await open.ask(
      'read',
      { calls: [use('Bash', { command: 'cat rows.txt' })] },
      { calls: [use('Bash', { command: 'echo short' })] },
      { text: 'Read.' },
    );
    const [cut, whole] = open.entries().flatMap(({ toolResult }) => toolResult ?? []);
    expect(cut?.status).toBe('partial');
    expect(cut?.truncation).toEqual({
      direction: 'head_tail',
      originalLines: 300,
      originalBytes: Buffer.byteLength(text),
      keptLines: expect.any(Number),
      keptBytes: expect.any(Number),
      timeMs: expect.any(Number),
    });
    const [, ...shown] = String(cut?.output).split('\n');
    expect(cut?.truncation?.keptLines).toBe(shown.length);
    expect(cut?.truncation?.keptBytes).toBe(bytes(shown.join('\n')));
    const path = cut?.fullOutputPath ?? '';
    expect(await readFile(path, 'utf8')).toBe(text);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const sent = textOf(second?.messages.at(-1));
    expect(sent).toMatch(/All: Recall\("[0-9a-f]{12}"\)/);
    expect(sent.includes(path)).toBe(outputDir !== null);
    if (outputDir !== null) expect(path).toMatch(/\/long outputs\/[^/]+\/Bash-[0-9a-f]{12}\.txt$/);
    expect(textOf(third?.messages.at(-1))).toMatch(/^short/);
    expect([whole?.truncation, whole?.fullOutputPath]).toEqual([undefined, undefined]);
  }
});

test.each([
  ['head', ['row 0'], ['row 299', 'row 150']],
  ['tail', ['row 299'], ['row 0', 'row 150']],
  ['head_tail', ['row 0', 'row 299'], ['row 150']],
] as const)('context.truncate.direction %s', async (direction, kept, left) => {
  const text = Array.from({ length: 300 }, (_, n) => `row ${n}`).join('\n');
  const app = await createTestApp({
    settings: { context: { truncate: { maxLines: 60, direction } } },
    files: { 'rows.txt': text },
  });
  const open = await app.open();
  const [, second, third] = await open.ask(
    'read',
    { calls: [use('Bash', { command: 'cat rows.txt' })] },
    { calls: [use('Read', { file_path: 'rows.txt' })] },
    { text: 'Read.' },
  );
  for (const request of [second, third]) {
    const lines = textOf(request?.messages.at(-1))
      .split('\n')
      .map((line) => line.replace(/^ *\d+\t/, ''));
    for (const line of kept) expect(lines).toContain(line);
    for (const line of left) expect(lines).not.toContain(line);
  }
});
