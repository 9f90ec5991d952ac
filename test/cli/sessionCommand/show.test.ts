import { expect, test } from 'vitest';
import { fullEntry, transcript } from '../../../src/cli/sessionCommand/show.ts';
import { messageEntry } from '../../../src/context/storage/newEntries.ts';
import type { JSONLEntry, NewEntry } from '../../../src/protocol/entries.ts';
import { plainMarkdown } from '../../../src/ui/print/markdown.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { madeUpNewEntry } from '../../madeUpEntry.ts';

const theme = chooseTheme('plain', { noColor: true });

function entriesOf(drafts: readonly NewEntry[], first = 0): JSONLEntry[] {
  return drafts.map((draft, index) => ({
    v: 1,
    seq: first + index,
    uuid: `u${first + index}`,
    parentUuid: null,
    sessionId: 's',
    timestamp: '2025-01-02T03:04:05.678Z',
    cwd: '/repo',
    gitBranch: 'main',
    version: '1.0.0',
    ...draft,
  }));
}

const say = messageEntry;
const call = (id: string, name: string, input: object): NewEntry => ({
  type: 'tool_use',
  message: { role: 'assistant', content: '' },
  tool: { id, name, input },
});
const result = (id: string, output: string, title?: string): NewEntry => ({
  type: 'tool_result',
  message: { role: 'user', content: '' },
  toolResult: { id, output, status: 'ok', ...(title === undefined ? {} : { display: { title } }) },
});

async function textOf(entries: readonly JSONLEntry[], width = 60): Promise<string> {
  async function* each(): AsyncGenerator<JSONLEntry> {
    yield* entries;
  }
  let text = '';
  const options = { width, theme, markdown: plainMarkdown, showReasoning: false };
  for await (const piece of transcript(each(), options)) text += piece;
  return text;
}

const turn = entriesOf([
  say('user', 'fix the test'),
  say('assistant', 'I look.'),
  call('c1', 'Read', { file_path: 'a.ts' }),
  result('c1', 'one\ntwo'),
  say('assistant', 'Done.'),
  say('user', 'thanks\nreally'),
]);

test('prints what the screen showed, with entry numbers, and each call with its result', async () => {
  const lines = (await textOf(turn)).split('\n').map((line) => line.trimEnd());
  expect(lines.filter((line) => line !== '')).toEqual([
    '     #0 > fix the test',
    '     #1 I look.',
    '     #3 ● Read(a.ts)',
    expect.stringContaining('one'),
    expect.stringContaining('two'),
    '     #4 Done.',
    '     #5 > thanks',
    '          really',
  ]);
});

test.each([20, 40, 200])('no line is wider than %i columns', async (width) => {
  const long = 'many words that have to be wrapped somewhere '.repeat(20);
  const text = await textOf(
    entriesOf([say('user', long), say('assistant', long), result('x', long, long)]),
    width,
  );
  for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(width);
});

test('nothing in a session controls the terminal', async () => {
  const evil = 'a\u001b[2Jb\u001b]52;c;ZXZpbA==\u0007c\u009b31md\u202ee';
  const entries = entriesOf([
    say('user', evil),
    say('assistant', evil),
    call('c', evil, { command: evil }),
    result('c', evil, evil),
    { type: 'system', subtype: 'notice', message: { role: 'system', content: evil } },
    madeUpNewEntry({
      type: 'system',
      subtype: evil,
      message: { role: 'system', content: evil },
      data: { [evil]: evil },
    }),
  ]);
  const whole = entries.map((entry) =>
    fullEntry({ ...entry, cwd: evil, gitBranch: evil }, theme, () => evil),
  );
  for (const text of [await textOf(entries), ...whole])
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

test('keeps only calls that wait for results in memory, however long the session', {
  tags: 'long',
}, async () => {
  async function* many(): AsyncGenerator<JSONLEntry> {
    for (let seq = 0; seq < 50_000; seq++) yield* entriesOf([result('x', 'y')], seq);
  }
  let pieces = 0;
  const options = { width: 60, theme, markdown: plainMarkdown, showReasoning: false };
  for await (const _ of transcript(many(), options)) pieces += 1;
  expect(pieces).toBe(50_000);
});

test('prints a single entry in full, with the path of a large output', () => {
  const output = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');
  const [entry] = entriesOf([{ ...result('c', output, 'npm test') }], 7);
  if (entry?.toolResult === undefined) throw new Error('no result');
  const original = { hash: 'ab'.repeat(32), bytes: 5_000_000 };
  const text = fullEntry(
    { ...entry, toolResult: { ...entry.toolResult, original } },
    theme,
    (hash) => `/blobs/${hash}`,
  );
  expect(text).toMatch(/^#7 tool_result {2}2025-01-02T03:04:05.678Z · \/repo · main\n/);
  expect(text).toContain(output);
  expect(text).toContain(`Full output: /blobs/${original.hash}\n`);
});
