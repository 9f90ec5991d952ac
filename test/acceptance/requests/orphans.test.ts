/**
 * No orphans in either direction, wherever the log is cut.
 *
 * @module-tag long
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { projectMessages, validateRequest } from '../../../src/context/index.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { expectPairedCalls } from '../../e2e/support/wire.ts';
import { runPrint, use } from '../support/project.ts';

test('a real log cut anywhere gives a valid message list', async () => {
  const read = (limit: number) => use('Read', { file_path: 'lib/utils.js', limit });
  const { entries, again } = await runPrint('read', {
    replies: [
      { text: 'One.', calls: [read(1), read(2), use('Bash', { command: 'exit 3' })] },
      { calls: [read(3)] },
      { text: 'Both read.' },
    ],
  });
  const second = await again('read more', { replies: [{ calls: [read(4), read(5)] }, { text: 'Done.' }] });
  const whole = second.entries;
  expect(whole.length).toBeGreaterThan(entries.length);
  const anyCut = fc.subarray([...whole]);
  const oneCut = fc
    .tuple(fc.nat(whole.length), fc.nat(whole.length))
    .map(([from, to]) => whole.slice(Math.min(from, to), Math.max(from, to)));
  let orphans = 0;
  fc.assert(
    fc.property(fc.oneof(anyCut, oneCut), (kept) => {
      const prompt = whole.find(({ subtype }) => subtype === 'prompt') as JSONLEntry;
      const entriesLeft = kept.includes(prompt) ? kept : [prompt, ...kept];
      const calls = new Set(kept.flatMap(({ tool }) => tool?.id ?? []));
      orphans += kept.filter(
        ({ toolResult }) => toolResult !== undefined && !calls.has(toolResult.id),
      ).length;
      expect(validateRequest(projectMessages(entriesLeft))).toEqual([]);
    }),
    { numRuns: 1000 },
  );
  expect(orphans).toBeGreaterThan(100);
});

test('a session file that lost its calls, or its results, is sent without orphans', {
  tags: 'long',
}, async () => {
  const { readFile, writeFile } = await import('node:fs/promises');
  const first = await runPrint('read', {
    replies: [
      { calls: [use('Read', { file_path: 'lib/utils.js', limit: 1 }), use('Bash', { command: 'echo hi' })] },
      { text: 'Read.' },
    ],
  });
  const file = (await first.project.work.sessions())[0]?.file ?? '';
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const of = (type: string) => lines.findIndex((line) => JSON.parse(line).type === type);
  for (const lost of [of('tool_use'), of('tool_result')]) {
    await writeFile(file, `${lines.filter((_, index) => index !== lost).join('\n')}\n`);
    const next = await first.again('go on', { replies: [{ text: 'Yes.' }] });
    expect(next).toMatchObject({ code: 0 });
    for (const request of next.requests) expectPairedCalls(request);
  }
});
