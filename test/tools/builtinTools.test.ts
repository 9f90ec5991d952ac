import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtinToolSpecifiers, toolNames } from '../../src/protocol/toolNames.ts';
import { createLiveCleaner, createOutputCleaner, HeadTail } from '../../src/tools/shell/OutputCapture.ts';
import { formatBytes, formatDuration } from '../../src/tools/units.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const KEPT_CHARACTERS = 512 * 1024;

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench.close());

describe('the schemas', () => {
  test('stay below 6,500 characters together and contain no noise', () => {
    const schemas = JSON.stringify(bench.tools.tools.map((tool) => tool.schema));
    expect(schemas.length).toBeLessThan(6500);
    expect(schemas).not.toMatch(/\$schema|additionalProperties|9007199254740991/);
    for (const { schema } of bench.tools.tools) expect(schema.parameters.type).toBe('object');
  });

  test('have the names that permission rules and the rest of the program know', () => {
    const offered = bench.tools.tools.map((tool) => tool.name);
    expect(offered).toEqual(Object.keys(builtinToolSpecifiers));
    expect([...Object.values(toolNames)].toSorted()).toEqual(offered.toSorted());
  });

  test('mark tools that change nothing as read-only', () => {
    const readOnly = bench.tools.tools.filter((tool) => tool.readOnly).map((tool) => tool.name);
    expect(readOnly).toEqual(['Read', 'Glob', 'Grep', 'BashOutput', 'Recall', 'WebFetch', 'AskUserQuestion']);
  });
});

describe('input', () => {
  test.each([
    [
      'Read',
      {},
      '`file_path`: Invalid input: expected string, received undefined. It takes {file_path, offset?, limit?}.',
    ],
    ['Read', undefined, '`file_path`'],
    ['Read', { file_path: 'a', offset: 0 }, '`offset`: Too small'],
    ['Read', 'a', 'expected object'],
    ['Bash', { command: 'x', timeout: 1e9 }, '`timeout`: Too big'],
    ['TodoWrite', { todos: [{ content: 'a', status: 'later' }] }, '`todos.0.status`'],
  ])('for %s %j is rejected with a message that the model can act on', async (tool, input, expected) => {
    expect(await bench.prepare(tool, input)).toEqual({
      type: 'invalid',
      message: expect.stringContaining(expected),
    });
  });

  test.each([
    ['Read', { file_path: 'a', offset: '3', limit: null }, 'a:3-'],
    ['TodoWrite', { todos: '[{"content":"a","status":"pending"}]' }, '1 todo'],
    ['Grep', { pattern: 'x', '-i': 'true', extra: 1 }, '"x"'],
  ])('of %s %j is understood as intended', async (tool, input, title) => {
    expect(await bench.prepare(tool, input)).toMatchObject({ type: 'ready', title });
  });
});

test('a todo list is returned with its outcome', async () => {
  const todos = [
    { content: 'a', status: 'completed' },
    { content: 'b', status: 'in_progress' },
  ];
  expect(await bench.call('TodoWrite', { todos })).toMatchObject({
    kind: 'todo',
    todos,
    display: { summary: '1 of 2 done' },
  });
});

describe('Recall', () => {
  test('costs fewer than 500 characters per request and needs no approval', async () => {
    const recall = bench.tools.tools.find((tool) => tool.name === 'Recall');
    expect(JSON.stringify(recall?.schema).length).toBeLessThan(500);
    expect(await bench.prepare('Recall', { id: '#1' })).toMatchObject({ access: { type: 'none' } });
  });

  test.each([
    [{ id: '#12', offset: 10_000 }, '#12 from 10000'],
    [{ id: '#12-#40', query: 'the port' }, '"the port" in #12-#40'],
    [{ query: 'the port' }, '"the port"'],
  ])('of %j is titled %s', async (input, title) => {
    expect(await bench.prepare('Recall', input)).toMatchObject({ type: 'ready', title });
  });

  test('returns what the session replies', async () => {
    expect(await bench.call('Recall', { id: '#1' })).toEqual({
      status: 'error',
      text: 'Nothing in this session has that pointer.',
      kind: 'text',
      display: { title: '#1', summary: 'not found' },
    });
  });
});

test('a plan is shown to the user, and its acceptance is reported to the model', async () => {
  const prepared = await bench.prepare('ExitPlanMode', { plan: '1. look' });
  if (prepared.type !== 'ready') throw new Error('not ready');
  expect(prepared.access).toEqual({ type: 'plan' });
  expect(await prepared.preview()).toEqual({ type: 'plan', plan: '1. look' });
  expect((await prepared.run({ basis: 'own' })).text).toMatch(/^The user approved the plan\./);
});

describe('the output of a command', () => {
  const piece = fc.constantFrom(
    'a',
    'é',
    '😀',
    '\n',
    '\r\n',
    '\r',
    '\x1b[31m',
    '\x1b[0m',
    '\x1b]0;t\x07',
    'word ',
  );
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 });
  const chunksOf = (text: string, sizes: readonly number[]): Buffer[] => {
    const bytes = Buffer.from(text);
    const chunks: Buffer[] = [];
    for (let at = 0, index = 0; at < bytes.length; index += 1) {
      const size = sizes[index % sizes.length] ?? 1;
      chunks.push(bytes.subarray(at, at + size));
      at += size;
    }
    return chunks;
  };

  test('is cleaned the same, however it is split', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), cuts, (pieces, sizes) => {
        const whole = createOutputCleaner();
        const cut = createOutputCleaner();
        const text = pieces.join('');
        const expected = whole.push(Buffer.from(text)) + whole.flush();
        const actual =
          chunksOf(text, sizes)
            .map((chunk) => cut.push(chunk))
            .join('') + cut.flush();
        expect(actual).toBe(expected);
        expect(actual).not.toMatch(/[\r\x1b\uFFFD]/);
      }),
    );
  });

  test('is shown live without broken characters or sequences', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), cuts, (pieces, sizes) => {
        const live = createLiveCleaner();
        expect(chunksOf(pieces.join(''), sizes).map(live).join('')).not.toMatch(/[\r\x1b\uFFFD]/);
      }),
    );
  });

  test('needs bounded memory without a line end, and keeps every character', () => {
    const cleaner = createOutputCleaner();
    let length = 0;
    for (let index = 0; index < 100; index += 1)
      length += cleaner.push(Buffer.from('x'.repeat(10_000))).length;
    expect(length).toBeGreaterThan(900_000);
    expect(length + cleaner.flush().length).toBe(1_000_000);
  });

  test('of an endless progress bar is its last state', { tags: 'long' }, () => {
    const cleaner = createOutputCleaner();
    let text = '';
    for (let index = 0; index < 20_000; index += 1) text += cleaner.push(Buffer.from(`\rprogress ${index}`));
    expect(text + cleaner.flush()).toBe('progress 19999');
  });

  test('is complete up to its limits, and both ends beyond them', () => {
    const line = `${'😀'.repeat(50)}\n`;
    const kept = new HeadTail();
    let whole = '';
    while (whole.length < KEPT_CHARACTERS * 2 - 10_000) {
      kept.push(line);
      whole += line;
    }
    expect(kept.text() === whole).toBe(true);
    for (let index = 0; index < 10_000; index += 1) kept.push(line);
    expect(kept.text().isWellFormed()).toBe(true);
    expect(kept.text().length).toBeLessThan(KEPT_CHARACTERS * 2 + 200);
    expect(kept.text().endsWith(line)).toBe(true);
  });
});

test.each([
  [formatBytes(999), '999 bytes'],
  [formatBytes(1500), '1.5 kB'],
  [formatBytes(999_999), '1.0 MB'],
  [formatBytes(5e15), '5000.0 TB'],
  [formatDuration(340), '0.3 s'],
  [formatDuration(185_000), '3 m 05 s'],
])('quantities are readable: %s', (actual, expected) => {
  expect(actual).toBe(expected);
});
