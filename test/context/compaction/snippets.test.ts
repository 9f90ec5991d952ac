import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labeled, quoteFile } from '../../../src/context/compaction/summaryMessage.ts';
import type { ContextManager } from '../../../src/context/index.ts';
import type { CompactionReport } from '../../../src/protocol/events.ts';
import { ask, call, configuration, createTestHome, outcome, summary, type TestHome } from '../harness.ts';
import { sessionOf } from '../sessionOf.ts';

const filler = (tokens: number): string => 'alpha beta gamma delta '.repeat(Math.ceil(tokens / 4));
const linesOf = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `const ${name}${index} = ${index};`).join('\n');

async function open(
  home: TestHome,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<ContextManager> {
  await mkdir(join(home.root, 'src'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(home.root, name), text);
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  return context;
}

let ids = 0;

/** A read as the tool reports it: numbered lines, and the hash of the whole file. */
async function read(
  context: ContextManager,
  home: TestHome,
  name: string,
  range: { readonly offset?: number; readonly limit?: number } = {},
): Promise<void> {
  const path = join(home.root, name);
  const text = await readFile(path, 'utf8');
  const one = call(`read${ids++}`, 'Read', { file_path: path, ...range });
  const hash = createHash('sha256').update(text).digest('hex');
  const { offset = 1, limit = 2000 } = range;
  const lines = text.replace(/\n$/, '').split('\n');
  const numbered = lines.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`);
  const shown = numbered.slice(offset - 1, offset - 1 + limit).join('\n');
  await context.appendReply(ask([one]));
  await context.appendToolResult({
    call: one,
    outcome: outcome(shown, { kind: 'file', filesRead: [{ path, hash }] }),
  });
}

async function write(context: ContextManager, home: TestHome, name: string, content: string): Promise<void> {
  const path = join(home.root, name);
  await writeFile(path, content);
  const one = call(`write${ids++}`, 'Write', { file_path: path, content });
  await context.appendReply(ask([one]));
  await context.appendToolResult({
    call: one,
    outcome: outcome('Written.', {
      kind: 'edit',
      filesChanged: [{ path, kind: 'created', hash: 'x', added: 1, removed: 0 }],
    }),
  });
}

/** The headings of the quoted files. */
function headings(context: ContextManager): string[] {
  const summaries = context.getMessages().map(({ content }) => String(content));
  const text = summaries.find((one) => one.includes('## Files\n')) ?? '';
  return [...text.matchAll(/^### (.*)\n\n```/gm)].map(([, heading]) => String(heading));
}

async function edit(context: ContextManager, home: TestHome, name: string, text: string): Promise<void> {
  const path = join(home.root, name);
  const one = call(`edit${ids++}`, 'Edit', { file_path: path, old_string: 'x', new_string: text });
  await context.appendReply(ask([one]));
  await context.appendToolResult({
    call: one,
    outcome: outcome('Edited.', {
      kind: 'edit',
      filesChanged: [{ path, kind: 'modified', hash: 'x', added: 1, removed: 1 }],
    }),
  });
}

async function work(context: ContextManager, steps: number, tokens: number): Promise<void> {
  for (let index = 0; index < steps; index++) {
    const one = call(`work${ids++}`, 'Bash', { command: 'make' });
    await context.appendReply(ask([one]));
    await context.appendToolResult({ call: one, outcome: outcome(filler(tokens), { kind: 'command' }) });
  }
}

async function compact(context: ContextManager, home: TestHome): Promise<CompactionReport> {
  home.summaries.expect(summary('1. Primary request and intent\nfoxes'));
  const report = await context.compressCurrentContext({ ...home.options() });
  expect(report.outcome).toBe('done');
  return report;
}

const byHand = (windowTokens: number, given: object = {}) =>
  createTestHome({ windowTokens, waits: true, settings: { compact: { auto: false } }, ...given });

test('changed files come first, then those the current task reads, then those that were read before', async () => {
  const home = await byHand(40_000);
  const names = ['old', 'changed', 'now', 'talked'];
  const context = await open(
    home,
    Object.fromEntries(names.map((name) => [`src/${name}.ts`, linesOf(name, 20)])),
  );
  await context.addMessage(
    'user',
    'see src/talked.ts, src/talked.ts and once more src/talked.ts src/talked.ts',
  );
  for (let index = 0; index < 3; index++) await read(context, home, 'src/old.ts');
  await edit(context, home, 'src/changed.ts', 'const changed7');
  await context.addMessage('user', 'and now?');
  await read(context, home, 'src/now.ts');
  await work(context, 6, 2500);
  expect((await compact(context, home)).files).toEqual([
    'src/changed.ts',
    'src/now.ts',
    'src/old.ts',
    'src/talked.ts',
  ]);
});

test('quotes the edited and read parts of a large file, not its beginning', async () => {
  const home = await byHand(40_000);
  const context = await open(home, { 'src/large.ts': linesOf('large', 5000) });
  await context.addMessage('user', 'mend it');
  await edit(context, home, 'src/large.ts', 'const large3000 = 3000;');
  const one = call('part', 'Read', { file_path: join(home.root, 'src/large.ts'), offset: 4001, limit: 10 });
  await context.appendReply(ask([one]));
  await context.appendToolResult({ call: one, outcome: outcome('ten lines') });
  await work(context, 6, 2500);
  expect((await compact(context, home)).files).toEqual(['src/large.ts']);
  const sent = JSON.stringify(context.getMessages());
  expect(sent).toContain('const large3000 = 3000;');
  expect(sent).toContain('const large4005 = 4005;');
  expect(sent).not.toContain('const large5 = 5;');
});

test('small files are quoted in full, and a large one gets the remaining space', async () => {
  const home = await byHand(40_000);
  const small = { 'src/a.ts': 'export const a = 1;\n', 'src/b.ts': 'export const b = 2;\n' };
  const context = await open(home, { ...small, 'src/large.ts': linesOf('large', 5000) });
  await context.addMessage('user', 'mend them');
  for (const name of ['src/large.ts', ...Object.keys(small)]) await edit(context, home, name, 'gone');
  await work(context, 8, 2500);
  expect(new Set((await compact(context, home)).files)).toEqual(
    new Set(['src/large.ts', ...Object.keys(small)]),
  );
  const text = String(
    context.getMessages().find(({ content }) => String(content).includes('foxes'))?.content,
  );
  for (const content of Object.values(small)) expect(text).toContain(content);
  expect(text.length).toBeGreaterThan(8000);
});

test.each(['unknown', 'o200k_base'] as const)(
  'a file that fits is quoted to its last byte with any tokenizer (%s)',
  async (tokenizer) => {
    const home = await byHand(40_000);
    home.model = { ...home.model, tokenizer };
    const text = `${'if (a[0] === "値") { return b + /[^\\w]{2}/u.test(c) ? 0x1f : -1; } // 😀 größer\n'.repeat(30)}// end`;
    const context = await open(home, { 'src/a.ts': text });
    await context.addMessage('user', 'mend it');
    await edit(context, home, 'src/a.ts', 'gone');
    await work(context, 8, 2500);
    expect((await compact(context, home)).files).toEqual(['src/a.ts']);
    const sent = String(
      context.getMessages().find(({ content }) => String(content).includes('foxes'))?.content,
    );
    expect(sent).toContain(text);
  },
);

test('a file shown in full and unchanged in the tail is not quoted again if there is another', async () => {
  const home = await byHand(40_000);
  const context = await open(home, { 'src/a.ts': linesOf('a', 100), 'src/b.ts': linesOf('b', 100) });
  await context.addMessage('user', 'read both');
  await read(context, home, 'src/b.ts');
  await work(context, 8, 2500);
  await read(context, home, 'src/a.ts');
  expect((await compact(context, home)).files).toEqual(['src/b.ts']);
  // Changed since it was read, so the tail no longer shows its current content.
  await writeFile(join(home.root, 'src/a.ts'), linesOf('other', 100));
  await work(context, 1, 2500);
  expect((await compact(context, home)).files).toContain('src/a.ts');
});

test('a file that the tail shows in part is quoted, after files that it does not show', async () => {
  const home = await byHand(40_000);
  const context = await open(home, { 'src/a.ts': linesOf('a', 100), 'src/b.ts': linesOf('b', 100) });
  await context.addMessage('user', 'read both');
  await read(context, home, 'src/a.ts');
  await read(context, home, 'src/b.ts');
  await work(context, 8, 2500);
  await read(context, home, 'src/a.ts', { offset: 2, limit: 5 });
  expect((await compact(context, home)).files).toEqual(['src/b.ts', 'src/a.ts']);
});

test('if it is the only one it is quoted, so every compaction after a file was used quotes one', async () => {
  const home = await byHand(40_000);
  const context = await open(home, { 'src/a.ts': linesOf('a', 100) });
  await context.addMessage('user', 'read it');
  await work(context, 8, 2500);
  await read(context, home, 'src/a.ts');
  expect((await compact(context, home)).files).toEqual(['src/a.ts']);
});

test('a heading says which lines of how many are quoted, counted as Read counts them', async () => {
  const home = await byHand(40_000);
  const files = {
    'src/whole.ts': `${linesOf('whole', 16)}\n`,
    'src/parts.ts': `${linesOf('parts', 1432)}\n`,
    'src/start.ts': `${linesOf('start', 1432)}\n`,
  };
  const context = await open(home, files);
  await context.addMessage('user', 'mend them');
  await read(context, home, 'src/start.ts');
  await edit(context, home, 'src/parts.ts', 'const parts100 = 100;');
  await edit(context, home, 'src/parts.ts', 'const parts900 = 900;');
  await edit(context, home, 'src/whole.ts', 'gone');
  await work(context, 8, 2500);
  await compact(context, home);
  expect(headings(context)).toEqual([
    'src/parts.ts (2 parts of 1432 lines)',
    'src/whole.ts (whole file, 16 lines)',
    expect.stringMatching(/^src\/start\.ts \(lines 1-\d+ of 1432\)$/),
  ]);
  const text = JSON.stringify(context.getMessages());
  expect(text).toMatch(/\[lines \d+-\d+\]\\nconst parts\d+/);
  expect(text).not.toContain('(truncated)');
});

test('a quote stored without a label looks the same', () => {
  const text = '[lines 780-781 of 1433]\none\ntwo\n... (truncated)';
  expect(quoteFile('a.ts', text)).toBe(`### a.ts\n\n\`\`\`\n${text}\n\`\`\``);
  expect(quoteFile('a.ts', undefined)).toBe('### a.ts\n\n(no longer available)');
  expect(quoteFile('a.ts', labeled('lines 1-2 of 9', '```\n\0'))).toBe(
    '### a.ts (lines 1-2 of 9)\n\n````\n```\n\0\n````',
  );
});

test('lines shown by a read in the tail are not quoted again, and another file gets their space', async () => {
  const home = await byHand(40_000);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const context = await open(
    home,
    Object.fromEntries(names.map((name) => [`src/${name}.ts`, `${linesOf(name, 400)}\n`])),
  );
  await context.addMessage('user', 'look at all');
  for (const name of ['f', 'e', 'd', 'c']) await read(context, home, `src/${name}.ts`);
  await edit(context, home, 'src/b.ts', 'const b100 = 100;');
  await edit(context, home, 'src/b.ts', 'const b300 = 300;');
  await work(context, 8, 2500);
  await read(context, home, 'src/b.ts', { offset: 290, limit: 30 });
  await read(context, home, 'src/a.ts', { offset: 1, limit: 60 });
  expect(new Set((await compact(context, home)).files)).toEqual(
    new Set(['src/b.ts', 'src/c.ts', 'src/d.ts', 'src/e.ts', 'src/f.ts']),
  );
  const quote = String(
    context.getMessages().find(({ content }) => String(content).includes('foxes'))?.content,
  );
  expect(quote).toContain('const b100 = 100;');
  expect(quote).not.toContain('const b300 = 300;');
});

test('a file that was written in the tail is not quoted again, unless it was changed since', async () => {
  const home = await byHand(40_000);
  const context = await open(home, { 'src/a.ts': linesOf('a', 50), 'src/b.ts': '' });
  await context.addMessage('user', 'write b');
  await read(context, home, 'src/a.ts');
  await work(context, 8, 2500);
  await write(context, home, 'src/b.ts', `${linesOf('b', 50)}\n`);
  expect((await compact(context, home)).files).toEqual(['src/a.ts']);
  await writeFile(join(home.root, 'src/b.ts'), linesOf('other', 50));
  await work(context, 1, 2500);
  expect((await compact(context, home)).files).toContain('src/b.ts');
});

test('one file around its change is preferred to the first lines of several', async () => {
  const home = await byHand(16_000);
  const names = ['a', 'b', 'c', 'd'];
  const context = await open(
    home,
    Object.fromEntries(
      names.map((name) => [
        `src/${name}.ts`,
        `${Array.from({ length: 300 }, (_, n) => `export const ${name}${n} = compute(${n}, "${'with some more words on the line, '.repeat(4)}");`).join('\n')}\n`,
      ]),
    ),
  );
  await context.addMessage('user', 'change a');
  for (const name of ['b', 'c', 'd']) await read(context, home, `src/${name}.ts`, { offset: 1, limit: 10 });
  await edit(context, home, 'src/a.ts', 'export const a200 = compute(200');
  await work(context, 6, 1200);
  await compact(context, home);
  const [first, ...others] = headings(context);
  const [, from = 0, to = 0] = /^src\/a\.ts \(lines (\d+)-(\d+) of 300\)$/.exec(first ?? '') ?? [];
  expect(Number(from)).toBeLessThanOrEqual(201);
  expect(Number(to)).toBeGreaterThanOrEqual(201);
  expect(others.length).toBeLessThan(3);
  for (const heading of [first, ...others]) {
    const [, start = 0, end = 0] = /lines (\d+)-(\d+) of 300/.exec(heading ?? '') ?? [];
    expect(Number(end) - Number(start)).toBeGreaterThanOrEqual(14);
  }
});

test('files named once in a pasted text and never read are not quoted', async () => {
  const home = await byHand(40_000);
  const context = await open(home, { 'src/a.ts': linesOf('a', 50), 'src/b.ts': linesOf('b', 50) });
  await context.addMessage(
    'user',
    'It says:\nError: no\n    at run (src/a.ts:3:1)\n    at main (src/b.ts:9:2)',
  );
  await work(context, 8, 2500);
  expect((await compact(context, home)).files).toEqual([]);
});

test('secrets, binaries and files that are gone are left out', async () => {
  const home = await byHand(40_000, { isSensitive: (path: string) => path.endsWith('.env') });
  const context = await open(home, {
    'src/a.ts': linesOf('a', 50),
    'src/gone.ts': linesOf('gone', 50),
    '.env': 'SECRET=1',
    'src/blob.bin': Buffer.from([1, 0, 2, 0]),
  });
  await context.addMessage('user', 'change them');
  for (const name of ['.env', 'src/blob.bin', 'src/gone.ts', 'src/a.ts'])
    await edit(context, home, name, 'x');
  await rm(join(home.root, 'src/gone.ts'));
  await work(context, 8, 2500);
  expect((await compact(context, home)).files).toEqual(['src/a.ts']);
  expect(JSON.stringify(context.getMessages())).not.toContain('SECRET');
});

test('the summarizer gets the files, and its request fits the window', async () => {
  const home = await byHand(40_000);
  const names = Array.from({ length: 8 }, (_, index) => `src/f${index}.ts`);
  const context = await open(
    home,
    Object.fromEntries(names.map((name) => [name, linesOf(name.slice(4, 6), 300)])),
  );
  await context.addMessage('user', 'change them all');
  for (const name of names) await edit(context, home, name, 'x');
  await work(context, 8, 2500);
  const report = await compact(context, home);
  expect(report.files).toHaveLength(5);
  const [request] = home.summaries.requests;
  const instruction = String(request?.messages.at(-1)?.content);
  expect(instruction.match(/^### src\/f\d\.ts \(lines 1-\d+ of 300\)$/gm)).toHaveLength(5);
  for (const name of report.files) expect(instruction).toContain(`### ${name} (`);
  expect(instruction.trimEnd()).toMatch(/for continuing the work\.\n<\/system-note>$/);
  const counter = sessionOf(context).projection.counter;
  const tokens = counter.countMessages(request?.messages ?? []);
  expect(tokens + (request?.maxOutputTokens ?? 0)).toBeLessThanOrEqual(40_000);
});

describe('after a file was used', () => {
  const touch = fc.record({
    type: fc.constantFrom('read', 'read', 'edit', 'part'),
    file: fc.nat(5),
    work: fc.nat(3),
    prompt: fc.constantFrom(undefined, undefined, 'go on', `go on with src/f1.ts ${'and think '.repeat(60)}`),
  });
  const given = fc.record({
    windowTokens: fc.constantFrom(8000, 16_000, 32_000, 64_000, 128_000, 200_000),
    way: fc.constantFrom('draft', 'waited', 'by hand'),
    /** Lines of each file. */
    lines: fc.array(fc.constantFrom(1, 3, 40, 400, 4000), { minLength: 6, maxLength: 6 }),
    touches: fc.array(touch, { minLength: 3, maxLength: 30 }),
    grain: fc.constantFrom(0.01, 0.03, 0.08),
  });

  test('every compaction quotes at least one, in any window, with a draft and without', {
    tags: 'long',
    timeout: 240_000,
  }, async () => {
    let compactions = 0;
    await fc.assert(
      fc.asyncProperty(given, async ({ windowTokens, way, lines, touches, grain }) => {
        const home = await createTestHome({
          windowTokens,
          settings: { threadSummary: way === 'draft' ? 'on' : 'off', compact: { auto: way !== 'by hand' } },
        });
        home.summaries.expect(
          ...Array.from({ length: 300 }, () => summary('1. Primary request and intent\nfoxes')),
        );
        const context = await open(
          home,
          Object.fromEntries(lines.map((count, index) => [`src/f${index}.ts`, linesOf(`f${index}_`, count)])),
        );
        await context.addMessage('user', 'begin');
        for (const { type, file, work: steps, prompt } of touches) {
          const name = `src/f${file}.ts`;
          if (prompt !== undefined) await context.addMessage('user', prompt);
          if (type === 'edit') await edit(context, home, name, `const f${file}_0`);
          else await read(context, home, name, type === 'part' ? { offset: 2, limit: 5 } : {});
          await work(context, steps, grain * windowTokens);
          await context.maintain(home.options());
          await sessionOf(context).thread.settled();
          if (way !== 'by hand') await context.buildRequest(home.options());
        }
        if (way === 'by hand') await context.compressCurrentContext({ ...home.options() });
        for (const { subtype, compactMetadata } of context.entries()) {
          if (subtype !== 'compact_boundary') continue;
          compactions++;
          expect(compactMetadata?.filesIncluded?.length).toBeGreaterThan(0);
          expect(compactMetadata?.success).toBe(true);
        }
        await context.close();
      }),
      { numRuns: 40 },
    );
    expect(compactions).toBeGreaterThan(20);
  });
});

describe('a file outside the project that the log lists as changed', () => {
  const cases = [
    ['quoted if this process changed it', 'here', false, true],
    ['not quoted if only the log says so', 'before', false, false],
    ['quoted if the model may read it anyway', 'before', true, true],
  ] as const;
  test.each(cases)('is %s', async (_title, when, isReadable, isQuoted) => {
    const home = await byHand(40_000);
    const deps = { isReadable: (path: string) => isReadable || path.startsWith(`${home.root}/`) };
    await writeFile(join(home.root, '../diary.txt'), 'my private words');
    let context = home.manager(deps);
    const sessionId = await context.createSession(undefined, {}, configuration);
    await context.addMessage('user', 'note it');
    await edit(context, home, '../diary.txt', 'words');
    await work(context, 6, 2500);
    if (when === 'before') {
      await context.close();
      context = home.manager(deps);
      await context.loadSession(sessionId);
    }
    const { files = [] } = await compact(context, home);
    expect(files.some((file) => file.endsWith('diary.txt'))).toBe(isQuoted);
    expect(JSON.stringify(context.getMessages()).includes('my private words')).toBe(isQuoted);
  });
});
