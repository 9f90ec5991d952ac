import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sessionLines } from '../../bench/sessions/sessionLines.ts';
import { createTexts } from '../../bench/sessions/texts.ts';
import { dataMeanings, dataSchemas, sessionEntrySchema } from '../../scripts/sessionEntrySchema.ts';
import { entrySchema } from '../../src/protocol/entries/fields.ts';
import { problemsOf } from './support/entryValidator.ts';

const prompt = {
  v: 1,
  seq: 1,
  uuid: 'u1',
  parentUuid: 'u0',
  sessionId: 's',
  timestamp: '2025-01-02T03:04:05.678Z',
  type: 'user',
  subtype: 'prompt',
  cwd: '/repo',
  gitBranch: 'main',
  version: '1.0.0',
  message: { role: 'user', content: 'hello' },
};
const system = (subtype: string, data?: object): object => ({
  ...prompt,
  type: 'system',
  subtype,
  message: { role: 'system', content: '' },
  ...(data === undefined ? {} : { data }),
});

describe('valid', () => {
  test.each<[string, object]>([
    ['a prompt', prompt],
    ['the first line', { ...prompt, parentUuid: null, seq: 0 }],
    ['a line from before lines had versions', { ...prompt, v: undefined }],
    ['an unknown field', { ...prompt, mood: 'good', message: { ...prompt.message, tone: 'C' } }],
    ['an unknown subtype', system('telepathy', { anything: [1, { of: 'any' }] })],
    [
      'a call',
      { ...prompt, type: 'tool_use', subtype: undefined, tool: { id: '1', name: 'Read', input: {} } },
    ],
    [
      'a result',
      { ...prompt, type: 'tool_result', subtype: undefined, toolResult: { id: '1', output: 'x' } },
    ],
    ['a title without a source', system('title')],
    ['a pin', system('pin', { uuid: 'u', pinned: true })],
    [
      'a checkpoint',
      system('checkpoint', {
        cause: 'call',
        changes: [{ path: '/a', before: { type: 'link', target: 'b' } }],
      }),
    ],
  ])('%s', (_name, line) => {
    expect(problemsOf(JSON.parse(JSON.stringify(line)))).toEqual([]);
  });
});

describe('invalid', () => {
  const { sessionId: _, ...nameless } = prompt;
  test.each<[string, unknown]>([
    ['not an object', 'text'],
    ['an array', [prompt]],
    ['nothing', null],
    ['no session', nameless],
    ['a position that is text', { ...prompt, seq: '1' }],
    ['an unknown type', { ...prompt, type: 'tool' }],
    ['an unknown role', { ...prompt, message: { role: 'tool', content: '' } }],
    ['no message', { ...prompt, message: undefined }],
    ['a call entry without a call', { ...prompt, type: 'tool_use' }],
    ['a call without a name', { ...prompt, type: 'tool_use', tool: { id: '1', input: {} } }],
    ['a result entry without a result', { ...prompt, type: 'tool_result' }],
    [
      'an unknown status',
      { ...prompt, type: 'tool_result', toolResult: { id: '1', output: '', status: 'fine' } },
    ],
    ['a boundary without its numbers', system('compact_boundary')],
    ['a pin without items', system('pin', { pinned: true })],
    ['a mode that is not a name', system('mode', { mode: 7 })],
    ['a reduction without data', system('reduction')],
    ['a correction that is not a list', system('undo', { undoes: 'u1' })],
    ['a checkpoint of a change without a path', system('checkpoint', { cause: 'call', changes: [{}] })],
    ['data that is a list', { ...prompt, data: [] }],
  ])('%s', (_name, line) => {
    expect(problemsOf(line === null ? null : JSON.parse(JSON.stringify(line)))).not.toEqual([]);
  });
});

test('the schema rejects everything that the program would not read as an entry', () => {
  const value = fc.oneof(fc.constant(undefined), fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const field = fc.constantFrom(...Object.keys(prompt));
  fc.assert(
    fc.property(field, value, (name, replacement) => {
      const line: unknown = JSON.parse(
        JSON.stringify({ ...prompt, subtype: undefined, [name]: replacement }),
      );
      expect(problemsOf(line).length === 0).toBe(entrySchema.safeParse(line).success);
    }),
  );
});

test('sessions created by the benchmarks are valid, line by line', { tags: 'long' }, () => {
  const lines = sessionLines('s', { bytes: 2_000_000, seed: 3, texts: createTexts(3) });
  const subtypes = new Set<unknown>();
  for (const line of lines) {
    const entry = JSON.parse(line) as { readonly subtype?: string };
    subtypes.add(entry.subtype);
    expect(problemsOf(entry), line.slice(0, 200)).toEqual([]);
  }
  expect(subtypes.size).toBeGreaterThan(3);
});

test('every field of a line is described, and every described field exists', () => {
  for (const [subtype, meanings = {}] of Object.entries(dataMeanings)) {
    const { shape } = dataSchemas[subtype as keyof typeof dataSchemas];
    expect(Object.keys(shape)).toEqual(expect.arrayContaining(Object.keys(meanings)));
  }
  const { properties } = sessionEntrySchema() as { properties: Record<string, { description?: string }> };
  for (const [name, { description }] of Object.entries(properties)) expect(description, name).toBeTruthy();
});

describe('docs/session-format.md', () => {
  const format = readFileSync(resolve(import.meta.dirname, '../../docs/session-format.md'), 'utf8');
  const subtypes = format.slice(format.indexOf('\n## Subtypes'));
  interface Schema {
    readonly properties?: Readonly<Record<string, Schema>>;
  }

  test.each(Object.keys(dataSchemas))('names every field of the data of %s', (subtype) => {
    const row = new RegExp(`^\\| \`${subtype}\` +\\|.*$`, 'm').exec(subtypes)?.[0] ?? '';
    const { shape } = dataSchemas[subtype as keyof typeof dataSchemas];
    expect(row).not.toBe('');
    for (const field of Object.keys(shape)) expect(row).toContain(`\`${field}\``);
  });

  test('names every field of a line, its message, its call, its result and its compaction', () => {
    const { properties = {} } = sessionEntrySchema() as Schema;
    for (const [name, { properties: below = {} }] of Object.entries(properties)) {
      expect(format).toMatch(new RegExp(`^\\| \`${name}\` `, 'm'));
      for (const field of Object.keys(below))
        expect(format, name).toMatch(new RegExp(`^\\|[^|]*\`${field}\``, 'm'));
    }
  });
});
