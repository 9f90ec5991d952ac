import { expect, test } from 'vitest';
import { whyNoSummary } from '../../../src/context/compaction/checkSummary.ts';
import { configuration, createTestHome, modelOf, step, summary } from '../harness.ts';

const judged = (
  text: string,
  { tokens = 20_000, finishReason = 'stop', hasCalls = false }: Partial<Judged> = {},
): string | undefined => whyNoSummary({ text, finishReason, hasCalls }, tokens);

interface Judged {
  readonly tokens: number;
  readonly finishReason: 'stop' | 'length' | 'content_filter';
  readonly hasCalls: boolean;
}

const headings = '1. Primary request and intent\nRead the engine.\n6. Pending tasks\nGo on reading.';
const prose =
  'The user wants to know why the connection to the database fails and no file may be changed. I have read src/db.ts and src/pool.ts. The pool is closed too early, in close(). The test for it is still missing.';

test.each<[string, Partial<Judged>, string]>([
  ['', {}, 'the model wrote an empty summary (stop)'],
  ['', { hasCalls: true }, 'the model called a tool instead of writing a summary'],
  ["I'm sorry, but I can't help with that.", {}, `"I'm sorry, but I can't help with that."`],
  ['Sure!\n\nShall I go on reading the files?', {}, '"Sure! Shall I go on reading the files?"'],
  ['抱歉，我无法协助处理这个请求。', {}, '"抱歉，我无法协助处理这个请求。"'],
  ['Let me read the next file first.', { hasCalls: true }, 'the model called a tool instead of'],
  ['1. Primary request and intent\nRead the', { finishReason: 'length' }, 'cut off after a few words'],
  [prose, { finishReason: 'content_filter' }, 'a content filter stopped its reply'],
  ['Th', { finishReason: 'content_filter' }, 'a content filter stopped its reply'],
  ['\u0000\u0001\ufffd %%%% '.repeat(50), {}, 'not readable text'],
  ['…………………………'.repeat(40), {}, 'not readable text'],
  ['\u0000\ufffd a'.repeat(200), {}, 'not readable text'],
])('%j %j is not a summary: %s', (text, facts, why) => {
  expect(judged(text, facts)).toContain(why);
});

test.each<[string, Partial<Judged>]>([
  [prose, {}],
  [prose, { hasCalls: true }],
  [prose, { finishReason: 'length' }],
  [headings, { tokens: 900_000 }],
  ['## Status\nDone.', {}],
  ['**Current status**\nDone.', {}],
  ['1) Done.', {}],
  [
    '用户要求找出数据库连接失败的原因，不要修改任何文件。已经阅读了连接池的代码，连接关闭得太早。还缺少测试。',
    {},
  ],
  ['It was asked and answered.', { tokens: 400 }],
  [`${prose} The log says: "\ufffd\ufffd\u001b[0m".`, {}],
])('%j %j may be a summary', (text, facts) => {
  expect(judged(text, facts)).toBeUndefined();
});

test('a long reply is quoted by its beginning', () => {
  expect(judged(`Sorry ${'no '.repeat(30)}`, { tokens: 900_000 })).toMatch(
    /no summary: "Sorry (no )+n?o?…"$/,
  );
});

test('a refusal is not a summary: it is reported and counted, and the fallback replaces it', async () => {
  const home = await createTestHome({ windowTokens: 40_000, waits: true });
  home.model = modelOf(40_000);
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'read it all');
  for (let index = 0; index < 6; index++) await step(context, `call${index}`, 'alpha beta '.repeat(900));
  home.summaries.expect(summary("I'm sorry, but I can't help with that."));
  const report = await context.compressCurrentContext({ ...home.options() });
  expect(report.outcome).toBe('fallback');
  expect(report.message).toContain(`the model wrote no summary: "I'm sorry, but I can't help with that."`);
  const failures = context.entries().filter((entry) => entry.subtype === 'summary_failed');
  expect(failures.map(({ data }) => data?.reason)).toEqual([
    `the model wrote no summary: "I'm sorry, but I can't help with that."`,
  ]);
  expect(JSON.stringify(context.getMessages())).not.toContain('help with that');
});
