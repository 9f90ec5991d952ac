/** Which files a compaction quotes. */
import { expect, test } from 'vitest';
import { createModelChoice } from '../../../src/cli/models/modelChoice.ts';
import { settingsSchema } from '../../../src/config/schema.ts';
import { analyzeFiles, readFilesContent } from '../../../src/context/index.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { growth } from '../../cpuTime.ts';
import type { ScriptedReply, WireRequest } from '../../e2e/support/server.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { isSummary, SILENT, SUMMARY, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const quoted = ['src/a.ts', 'src/b.test.ts', 'src/c.ts', 'docs/d.md', 'e.txt', 'src/f.ts', 'g.txt', 'h.txt'];
const files = {
  ...Object.fromEntries(quoted.map((path) => [path, `This is ${path}.\n`.repeat(3)])),
  '.env': 'SECRET=hunter2\n',
  'binary.bin': 'abc\0def',
  'long.txt': 'a line\n'.repeat(1500),
};

test('quotes five of eight files: modified before often read before newly named', async () => {
  const app = await createTestApp({ files });
  const open = await app.open();
  // Files shown in the newest part are not quoted again.
  const words = 'Words about it. '.repeat(1500);
  const reads = ['src/b.test.ts', 'src/c.ts', 'docs/d.md', 'e.txt', 'src/f.ts', 'g.txt'];
  const read = (paths: readonly string[], offset: number) => ({
    calls: paths.map((file_path) => use('Read', { file_path, offset })),
  });
  await open.ask(
    'Change src/a.ts. Leave binary.bin, .env and .env and .env alone.',
    { calls: [use('Read', { file_path: 'src/a.ts' })] },
    { calls: [use('Write', { file_path: 'src/a.ts', content: 'export const changed = 1;\n' })] },
    read(reads, 1),
    ...[2, 3].map((offset) => read(reads.slice(0, 4), offset)),
    { text: `Changed. ${words}` },
  );
  const again = [1, 2].map((offset) => read(reads.slice(0, 4), offset));
  await open.ask('And h.txt, h.txt, h.txt?', ...again, { text: `I see. ${words}` });
  await open.submit({ type: 'compact' }, { text: SUMMARY });
  const boundary = open.entries().find(({ subtype }) => subtype === 'compact_boundary')?.compactMetadata;
  expect(boundary?.filesIncluded).toEqual(['src/a.ts', ...reads.slice(0, 4).reverse()]);
  const [next] = await open.ask('go on', { text: 'Yes.' });
  const text = JSON.stringify(next?.messages);
  expect(text).toContain('export const changed = 1;');
  expect(text).toContain('This is src/b.test.ts.');
  for (const hidden of ['hunter2', 'abc\\u0000def']) expect(text).not.toContain(hidden);

  const found = analyzeFiles(open.entries(), app.root).map(({ path }) => path.slice(app.root.length + 1));
  for (const path of quoted) expect(found).toContain(path);
});

test('a file that was modified once comes before files that were named more often', async () => {
  const app = await createTestApp({ files });
  const open = await app.open();
  const often = ['src/c.ts', 'e.txt'];
  await open.ask(
    'Change src/a.ts.',
    { calls: [use('Write', { file_path: 'new.txt', content: 'fresh\n' })] },
    { calls: Array.from({ length: 6 }, () => often.map((file_path) => use('Read', { file_path }))).flat() },
    { text: 'Done.' },
  );
  const found = analyzeFiles(open.entries(), app.root).map((one) => ({
    ...one,
    path: one.path.slice(app.root.length + 1),
  }));
  expect(found[0]).toMatchObject({ path: 'new.txt', wasModified: true });
  expect(found.slice(1, 3).map(({ path }) => path)).toEqual(['e.txt', 'src/c.ts']);
  // By mentions and age alone it would be the last of the three.
  for (const { mentions, lastMentioned } of found.slice(1, 3)) {
    expect(mentions).toBeGreaterThan(found[0]?.mentions ?? 0);
    expect(lastMentioned).toBeGreaterThan(found[0]?.lastMentioned ?? 0);
  }
});

test('a name is found in prose, with a line number, in brackets and before Chinese punctuation', async () => {
  const app = await createTestApp({ files });
  const open = await app.open();
  await open.ask('Look at src/b.test.ts, at (src/c.ts), and：docs/d.md。 Then e.txt:12', { text: 'I see.' });
  const found = analyzeFiles(open.entries(), app.root).map(({ path }) => path.slice(app.root.length + 1));
  expect(new Set(found)).toEqual(new Set(['src/b.test.ts', 'src/c.ts', 'docs/d.md', 'e.txt']));
});

/** Edits one of twenty files and reads the next three, again and again. */
function worker(steps: number): (request: WireRequest) => ScriptedReply {
  let step = 0;
  return (request) => {
    if (isSummary(request)) return { text: SUMMARY, ...SILENT };
    if (step >= steps) return { text: 'Done.', ...SILENT };
    const name = (n: number): string => `mod${n % 20}.ts`;
    const n = step++;
    if (n % 4 === 3) {
      const edit = {
        file_path: name(n - 1),
        old_string: 'export const first',
        new_string: 'export const first',
      };
      return { calls: [use('Edit', { ...edit, new_string: `// ${n}\nexport const first` })], ...SILENT };
    }
    return { text: `Step ${n}.`, calls: [use('Read', { file_path: name(n) })], ...SILENT };
  };
}
const modules = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [
    `mod${n}.ts`,
    `export const first = ${n};\n${`export const text${n} = 'some text of module ${n}';\n`.repeat(90)}`,
  ]),
);

test.each(['written in the background', 'waited for'])(
  'with default settings every compaction quotes a changed file if summaries are %s',
  { tags: 'long' },
  async (way) => {
    const isNear = way === 'waited for';
    const choice = createModelChoice('mock-1', settingsSchema.parse({ contextWindow: 48_000 }));
    const app = await createTestApp({
      window: 48_000,
      files: modules,
      deps: { model: () => ({ ...choice.current(), ...(isNear ? { hasOneSlot: true } : {}) }) },
    });
    const open = await app.open();
    const work = worker(140);
    const waits: boolean[] = [];
    app.server.otherwise((request) => {
      const last = open.events.findLast(({ type }) => type.startsWith('compaction_'));
      if (isSummary(request)) waits.push(last?.type === 'compaction_started');
      return work(request);
    });
    await open.ask('Put a comment into every third module');
    const boundaries = open.entries().filter(({ subtype }) => subtype === 'compact_boundary');
    expect(boundaries.length).toBeGreaterThan(2);
    for (const { compactMetadata } of boundaries)
      expect(compactMetadata?.filesIncluded?.[0]).toMatch(/^mod\d+\.ts$/);
    const requests = app.server.requests();
    expect(new Set(waits)).toEqual(new Set([isNear]));
    const starts = requests.filter(
      (request, index) =>
        !isSummary(request) &&
        index > 0 &&
        !continues(
          request,
          requests.slice(0, index).findLast((one) => !isSummary(one)),
        ),
    );
    expect(starts).toHaveLength(boundaries.length);
    for (const request of starts) {
      const summary = request.messages.map(textOf).find((text) => text.includes('[End of summary]')) ?? '';
      expect(summary).toMatch(
        /### mod\d+\.ts \([^\n]*lines[^\n]*\)\n+```+\n(?:\[lines [^\n]+\n)?(?:export|\/\/)/,
      );
    }
  },
);

/** True if a request starts with everything sent before. */
function continues(request: WireRequest | undefined, before: WireRequest | undefined): boolean {
  const start = JSON.stringify(before?.messages ?? []).slice(0, -1);
  return JSON.stringify(request?.messages).startsWith(start);
}

test('every key that contains a path counts, files are cut at 1,000 lines, and at most five are read', async () => {
  const app = await createTestApp({ files });
  const open = await app.open();
  const keys = ['file_path', 'path', 'target', 'source', 'destination'] as const;
  await open.ask(
    'hello',
    { calls: keys.map((key, index) => use('Unknown', { [key]: quoted[index] })) },
    { text: 'Done.' },
  );
  const found = analyzeFiles(open.entries(), app.root).map(({ path }) => path.slice(app.root.length + 1));
  expect(new Set(found)).toEqual(new Set(quoted.slice(0, 5)));

  const all = Object.keys(files).map((path) => `${app.root}/${path}`);
  const read = await readFilesContent([`${app.root}/long.txt`, ...all], {
    isSensitive: (path) => path.endsWith('.env'),
  });
  expect(read).toHaveLength(5);
  expect(read[0]?.content.split('\n')).toHaveLength(1001);
  expect(read[0]?.content.endsWith('\n... (truncated)')).toBe(true);
  const hidden = await readFilesContent(all.slice(8), { isSensitive: (path) => path.endsWith('.env') });
  expect(hidden.map(({ path }) => path)).toEqual([`${app.root}/long.txt`]);
});

test('the time to find names grows linearly with any line', async () => {
  const app = await createTestApp();
  const entry = (content: string): JSONLEntry => ({
    v: 1,
    seq: 0,
    uuid: 'u',
    parentUuid: null,
    sessionId: 's',
    timestamp: '',
    cwd: app.root,
    version: '1',
    type: 'user',
    subtype: 'prompt',
    message: { role: 'user', content },
  });
  for (const part of ['a', '/a', 'a/b.c ', '(x.ts)，', './', '"']) {
    const ratio = growth((line) => analyzeFiles([entry(line)], app.root), part);
    expect({ part, isLinear: ratio < 4 }).toEqual({ part, isLinear: true });
  }
});
