/** @module-tag long */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { ContextManager } from '../../../src/context/index.ts';
import { ask, call, createTestHome, outcome, say, summary } from '../harness.ts';

/** The bytes that one compaction added to the log, and the part of its summary. */
async function sizeOfCompaction(context: ContextManager, compact: () => Promise<unknown>) {
  const file = context.filePath() ?? '';
  const before = (await readFile(file)).length;
  await compact();
  const added = (await readFile(file)).subarray(before).toString('utf8');
  const lines = added
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const texts = lines.map(({ isCompactSummary, message }) =>
    isCompactSummary === true ? message.content : '',
  );
  const notes = lines.flatMap(({ data }) => data?.notes?.map(({ text }: { text: string }) => text) ?? []);
  const written = [...texts, ...notes].reduce((sum, text) => sum + JSON.stringify(text).length, 0);
  return { added: added.length, own: added.length - written, lines: lines.length };
}

test('a compaction that quotes 150 messages of the user adds at most 8 kB plus its summary', {
  tags: 'long',
}, async () => {
  const { manager, summaries, options } = await createTestHome({ windowTokens: 200_000 });
  const context = manager();
  await context.createSession(undefined, {}, { systemPrompt: 'You are a coding agent.' });
  for (let index = 0; index < 250; index++) {
    await context.addMessage('user', `Go on with part ${index}, and keep its names.`);
    await context.appendReply(say('export const value = 1;\n'.repeat(60)));
  }
  for (const round of ['first', 'second']) {
    summaries.expect(summary(`## Goal\nMend every file, ${round}.\n`));
    const { own } = await sizeOfCompaction(context, () => context.compressCurrentContext({ ...options() }));
    const boundary = context.entries().findLast(({ subtype }) => subtype === 'compact_boundary');
    expect(boundary?.compactMetadata?.userMessages).toHaveLength(150);
    expect(own).toBeLessThanOrEqual(8 * 1024);
    for (let index = 0; index < 60; index++) {
      await context.addMessage('user', `${round}: part ${index}`);
      await context.appendReply(say('export const value = 1;\n'.repeat(90)));
    }
  }
});

describe.each([32_000, 200_000, 1_000_000])('in a window of %i tokens', (windowTokens) => {
  test.each(['auto', 'economy'] as const)(
    'a compaction (%s) adds at most 8 kB plus its summary',
    { tags: 'long' },
    async (strategy) => {
      const { manager, summaries, options } = await createTestHome({ windowTokens, settings: { strategy } });
      const context = manager();
      await context.createSession(undefined, {}, { systemPrompt: 'You are a coding agent.' });
      await context.addMessage('user', 'Mend every file in src.');
      for (let step = 0; context.measure([]).usedTokens < 0.75 * windowTokens; step++) {
        const path = `src/module-${step % 40}/file-${step}.ts`;
        const one = call(`c${step}`, 'Read', { path });
        await context.appendReply(ask([one], 'Reading on.'));
        const text = `export const value${step} = ${step};\n`.repeat(windowTokens > 500_000 ? 120 : 40);
        await context.appendToolResult({ call: one, outcome: outcome(text, { kind: 'file' }) });
        if (step % 15 === 14) await context.addMessage('user', `Go on with part ${step}.`);
      }
      summaries.expect(summary('## Goal\nMend every file.\n'));
      const { own, lines } = await sizeOfCompaction(context, () =>
        context.compressCurrentContext({ ...options() }),
      );
      expect(lines).toBeGreaterThanOrEqual(2);
      expect(own).toBeLessThanOrEqual(8 * 1024);
    },
  );
});
