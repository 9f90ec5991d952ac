/**
 * Every line of a session is an entry with all the common fields, and additions of our own.
 *
 * @module-tag long
 */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { entrySchema } from '../../../src/protocol/entries/fields.ts';
import { problemsOf } from '../../docs/support/entryValidator.ts';
import { runPrint, SUMMARY, use } from '../support/project.ts';

/** The common fields and nothing else: our additions must not disturb a reader of these. */
const s5 = z.looseObject({
  uuid: z.string().min(1),
  parentUuid: z.string().min(1).nullable(),
  sessionId: z.string().min(1),
  timestamp: z.iso.datetime(),
  type: z.enum(['user', 'assistant', 'tool_use', 'tool_result', 'system']),
  cwd: z.string().startsWith('/'),
  gitBranch: z.string().optional(),
  version: z.string().regex(/^\d+\.\d+\.\d+/),
  message: z.looseObject({
    role: z.enum(['user', 'assistant', 'system']),
    content: z.union([z.string(), z.array(z.unknown())]),
    model: z.string().optional(),
    usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }).optional(),
  }),
  tool: z.looseObject({ id: z.string(), name: z.string(), input: z.unknown() }).optional(),
  toolResult: z.looseObject({ id: z.string(), output: z.unknown(), error: z.string().optional() }).optional(),
  isCompactSummary: z.boolean().optional(),
  compactMetadata: z
    .looseObject({
      trigger: z.enum(['auto', 'manual']),
      preTokens: z.number(),
      postTokens: z.number().optional(),
      filesIncluded: z.array(z.string()).optional(),
    })
    .optional(),
});

test('every line of a real session has all fields', async () => {
  const first = await runPrint('read', {
    reportsUsage: true,
    files: { 'AGENTS.md': 'Be kind.\n' },
    replies: [
      {
        text: 'I look.',
        calls: [use('Read', { file_path: 'lib/parse.js' }), use('Bash', { command: 'exit 4' })],
      },
      { calls: [use('Write', { file_path: 'new.txt', content: 'new\n' })] },
      { text: `Done. ${'And then some words about it. '.repeat(80)}` },
    ],
  });
  await first.again('more', { replies: [{ text: 'More.' }] });
  const compacted = await first.again('/compact', { replies: [{ text: SUMMARY }] });
  const [session] = await first.project.work.sessions();
  const lines = (await readFile(session?.file ?? '', 'utf8')).trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as unknown);
  for (const entry of entries) {
    expect(s5.safeParse(entry).error).toBeUndefined();
    expect(entrySchema.safeParse(entry).error).toBeUndefined();
    expect(problemsOf(entry)).toEqual([]);
  }
  const all = entries.map((entry) => s5.parse(entry));
  expect(new Set(all.map(({ type }) => type))).toEqual(
    new Set(['user', 'assistant', 'tool_use', 'tool_result', 'system']),
  );
  expect(new Set(all.map(({ uuid }) => uuid)).size).toBe(all.length);
  expect(new Set(all.map(({ sessionId }) => sessionId))).toEqual(new Set([first.sessionId]));
  expect(all.map(({ parentUuid }) => parentUuid)).toEqual([
    null,
    ...all.slice(0, -1).map(({ uuid }) => uuid),
  ]);
  expect(all.every(({ gitBranch }) => gitBranch === 'main')).toBe(true);
  expect(all.find(({ toolResult }) => toolResult?.error !== undefined)).toBeDefined();
  expect(all.find(({ type }) => type === 'assistant')?.message.usage?.input_tokens).toBeGreaterThan(0);
  const boundary = all.find((entry) => entry.subtype === 'compact_boundary');
  expect(boundary?.message.content).toBe('=== Context Compaction Boundary ===');
  expect(boundary?.compactMetadata).toMatchObject({ trigger: 'manual' });
  expect(all.filter(({ isCompactSummary }) => isCompactSummary === true)).toHaveLength(1);
  expect(compacted.code).toBe(0);
});
