import { expect, test } from 'vitest';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { cpuClock } from '../cpuTime.ts';
import { scriptedAgent } from '../headless/scriptedAgent.ts';
import { reply } from '../ui/transcript/entries.ts';
import { commandHost, run } from './commandHost.ts';

const fenced = 'Do:\n\n```sh\nnpm test\n```\n\nand\n\n~~~\nplain ``` text\n~~~\n';

function hostOf(texts: readonly string[], copied: string[] = []) {
  const entries: JSONLEntry[] = texts.map((text, index) => reply(index, text));
  return commandHost({
    agent: { ...scriptedAgent(), liveEntries: () => entries },
    copyText: async (text) => {
      copied.push(text);
      return { type: 'copied', tool: 'wl-copy' };
    },
  });
}

const three = ['first', 'second', 'third'].map((text) => `${text}\n~~~\n${text} a\n~~~\n~~~\n${text} b\n~~~`);

test.each([
  ['', 'Copied the last answer with'],
  ['2', 'Copied answer 2 from the end with'],
  ['code', 'There are 2 code blocks in the last answer:'],
  ['3 code 2', 'Copied code block 2 with'],
  ['code 2 out.ts', 'Wrote code block 2 to /srv/out.ts'],
  ['answer.md', 'Wrote the last answer to /srv/answer.md'],
  ['2 "my answer.md"', 'Wrote answer 2 from the end to /srv/my answer.md'],
  ['2nd.md', 'Wrote the last answer to /srv/2nd.md'],
  ['codes.md', 'Wrote the last answer to /srv/codes.md'],
])('/copy %s', async (args, said) => {
  expect(await run('copy', args, hostOf(three))).toMatchObject({ text: expect.stringContaining(said) });
});

test('the number of an answer counts from the newest', async () => {
  const copied: string[] = [];
  await run('copy', '3 code 2', hostOf(three, copied));
  expect(copied).toEqual(['first b']);
});

test.each([
  { markdown: fenced, blocks: ['npm test', 'plain ``` text'] },
  { markdown: '1. so:\n\n   ```js\n   a {\n     b\n   ```\n', blocks: ['a {\n  b'] },
  { markdown: '````md\n```js\nx\n```\n````', blocks: ['```js\nx\n```'] },
  { markdown: '```py\ncut off', blocks: ['cut off'] },
  { markdown: '```\r\na\r\nb\r\n```', blocks: ['a\nb'] },
  { markdown: 'inline ```code``` only', blocks: [] },
])('code blocks of $markdown', async ({ markdown, blocks }) => {
  const copied: string[] = [];
  for (let block = 1; block <= blocks.length + 1; block++)
    await run('copy', `code ${block}`, hostOf([markdown], copied));
  expect(copied).toEqual(blocks);
});

test('a line with many list marks and no fence is read without delay', async () => {
  const spentMs = cpuClock();
  for (const mark of ['-  ', '- \t ', '1.  '])
    expect(await run('copy', 'code', hostOf([`${mark.repeat(10_000)}x`]))).toMatchObject({ level: 'error' });
  expect(spentMs()).toBeLessThan(2000);
});

test('the last reply, or an earlier one, is copied as it was written', async () => {
  const copied: string[] = [];
  const host = hostOf(['first **bold**', '', fenced], copied);
  expect(await run('copy', '', host)).toEqual({
    type: 'notice',
    text: 'Copied the last answer with wl-copy (11 lines, 52 bytes).',
  });
  await run('copy', '2', host);
  await run('copy', 'code 1', host);
  expect(copied).toEqual([fenced.trim(), 'first **bold**', 'npm test']);
});

test('several code blocks are listed, a single one is copied at once', async () => {
  const copied: string[] = [];
  const listed = await run('copy', 'code', hostOf([fenced], copied));
  expect(listed).toEqual({
    type: 'notice',
    text: 'There are 2 code blocks in the last answer:\n/copy code 1   sh, 1 line: npm test\n/copy code 2   1 line: plain ``` text',
  });
  expect(copied).toEqual([]);
  await run('copy', 'code', hostOf(['```\nonly\n```'], copied));
  expect(copied).toEqual(['only']);
});

test.each([
  { texts: [], args: '', said: 'There is no answer to copy yet.' },
  { texts: ['a'], args: '2', said: 'Only the newest 1 answer of this session can be copied.' },
  { texts: ['a'], args: 'code', said: 'The last answer has no code block.' },
  { texts: [fenced], args: 'code 3', said: 'There are 2 code blocks in the last answer.' },
])('/copy $args of $texts is rejected', async ({ texts, args, said }) => {
  expect(await run('copy', args, hostOf(texts))).toEqual({ type: 'notice', level: 'error', text: said });
});

test('text that was only sent to the terminal is not reported as copied', async () => {
  const host = commandHost({
    agent: { ...scriptedAgent(), liveEntries: () => [reply(0, 'text')] },
    copyText: async () => ({ type: 'sent' }),
  });
  const result = await run('copy', '', host);
  expect(result).toMatchObject({
    type: 'notice',
    text: expect.stringContaining('Sent the last answer to the terminal'),
  });
  expect(result).not.toMatchObject({ text: expect.stringContaining('Copied') });
  const failing = {
    ...host,
    copyText: async () => ({ type: 'failed' as const, message: 'xclip failed (exit 1).' }),
  };
  expect(await run('copy', '', failing)).toEqual({
    type: 'notice',
    level: 'error',
    text: 'The last answer was not copied: xclip failed (exit 1). /copy FILE writes it to a file.',
  });
});

test('a file is written instead', async () => {
  expect(await run('copy', 'code 1 run.sh', hostOf([fenced]))).toEqual({
    type: 'notice',
    text: 'Wrote code block 1 to /srv/run.sh (1 line, 8 bytes).',
  });
});
