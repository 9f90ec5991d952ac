import { expect, test } from 'vitest';
import type { CommandHost } from '../../src/commands/types.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { scriptedAgent } from '../headless/scriptedAgent.ts';
import { commandHost, run } from './commandHost.ts';

const prompt = { type: 'user', subtype: 'prompt', message: { role: 'user', content: 'Hello' } } as JSONLEntry;
const host = commandHost({ agent: { ...scriptedAgent(), entries: () => [prompt] } });

test.each([
  ['', { format: 'md' }],
  ['html', { format: 'html' }],
  ['HTML', { format: 'html' }],
  ['markdown notes/a.txt', { format: 'md', file: 'notes/a.txt' }],
  ['talk.html', { format: 'html', file: 'talk.html' }],
  ['json talk.html', { format: 'json', file: 'talk.html' }],
  ['"my talk.jsonl"', { format: 'jsonl', file: 'my talk.jsonl' }],
  ['my talk', { format: 'md', file: 'my talk' }],
] as const)('/export %s', async (args, wanted) => {
  const asked: object[] = [];
  const exportSession: CommandHost['exportSession'] = async (options) => {
    asked.push(options);
    return { type: 'done', file: 'f', secrets: 0 };
  };
  await run('export', args, { ...host, exportSession });
  expect(asked).toEqual([wanted]);
});

test('says where the file is and how many secrets were removed', async () => {
  expect(await run('export', 'html', host)).toEqual({
    type: 'notice',
    text: 'Exported to /srv/talk.html\n2 secrets were left out.',
  });
  expect(await run('export', 'a.md', host)).toMatchObject({ text: expect.stringContaining('No keys') });
});

test('a write error is reported', async () => {
  expect(await run('export', 'taken.md', host)).toEqual({
    type: 'notice',
    level: 'error',
    text: 'taken.md is there already.',
  });
});

test('a word that is not a format creates no file of that name', async () => {
  expect(await run('export', 'pdf', host)).toEqual({
    type: 'notice',
    level: 'error',
    text: 'Unknown format “pdf”: use md, html, json or jsonl. For a file of that name, use ./pdf',
  });
  expect(await run('export', './pdf', host)).toMatchObject({
    text: expect.stringContaining('Exported to /srv/./pdf'),
  });
});

test('exports a session that has only replies in memory', async () => {
  const reply = { type: 'assistant', message: { role: 'assistant', content: 'Yes' } } as JSONLEntry;
  const long = commandHost({ agent: { ...scriptedAgent(), entries: () => [reply] } });
  expect(await run('export', '', long)).toMatchObject({ text: expect.stringContaining('Exported') });
});

test('an empty session is not exported', async () => {
  const empty = commandHost({ agent: { ...scriptedAgent(), entries: () => [] } });
  expect(await run('export', '', empty)).toMatchObject({ level: 'error' });
});
