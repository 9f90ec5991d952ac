import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ContextManager } from '../../../src/context/index.ts';
import { validateRequest } from '../../../src/context/index.ts';
import type { ToolSchema } from '../../../src/protocol/messages.ts';
import {
  ask,
  call,
  configuration,
  createTestHome,
  failure,
  modelOf,
  outcome,
  say,
  step,
  summary,
  type TestHome,
} from '../harness.ts';
import { sessionOf } from '../sessionOf.ts';

const filler = (words: number): string => 'alpha beta gamma delta '.repeat(words / 4);
const manual = (home: TestHome, focus?: string) => ({
  ...home.options(),
  trigger: 'manual' as const,
  ...(focus === undefined ? {} : { focus }),
});

/** A session with a goal and ten steps of about 1,000 tokens. */
async function longSession(home: TestHome): Promise<{ context: ContextManager; id: string }> {
  const context = home.manager();
  const id = await context.createSession(undefined, {}, { ...configuration, instructions: 'Use tabs.' });
  await context.addMessage('user', 'first request: never touch the database');
  for (let index = 0; index < 5; index++) await step(context, `call_${index}`, filler(800));
  await context.addMessage('user', 'second request');
  for (let index = 5; index < 10; index++) await step(context, `call_${index}`, filler(800));
  return { context, id };
}

test('a compaction replaces the older part with a summary and keeps the newest, even after a restart', async () => {
  const home = await createTestHome({
    waits: true,
    windowTokens: 16_000,
    settings: { compact: { auto: false } },
  });
  const { context, id } = await longSession(home);
  const whole = context.getMessages();
  home.summaries.expect(
    summary('1. Primary request and intent\nThe user wants X. Never touch the database.'),
  );
  const report = await context.compressCurrentContext(manual(home, 'the database'));
  expect(report).toMatchObject({ outcome: 'done', trigger: 'manual' });
  expect(report.postTokens).toBeLessThan(report.preTokens / 2);

  const [request] = home.summaries.requests;
  expect(request?.toolChoice).toBe('none');
  const sent = request?.messages ?? [];
  expect(sent.slice(0, -1)).toEqual(whole.slice(0, sent.length - 1));
  const instruction = String(sent.at(-1)?.content);
  for (const heading of [
    'Primary request and intent',
    'Key technical decisions',
    'Files modified',
    'Errors encountered and fixes',
    'Current work status',
    'Pending tasks',
    'the database',
  ])
    expect(instruction).toContain(heading);
  expect(instruction.trimEnd()).toMatch(/create a summary .* for continuing the work\.\n<\/system-note>$/);

  const after = context.getMessages();
  expect(after.map(({ role }) => role).slice(0, 4)).toEqual(['system', 'user', 'user', 'user']);
  expect(after[1]?.content).toContain('Use tabs.');
  expect(after[2]?.content).toMatch(/^\[Previous conversation summary\]\n\n## Archived Session Summary/);
  expect(String(after[2]?.content)).toMatch(/\[End of summary\]$/);
  expect(after[3]?.content).toBe('second request');
  expect(after.slice(4)).toEqual(whole.slice(whole.length - after.length + 4));
  expect(validateRequest(after)).toEqual([]);
  const text = JSON.stringify(after);
  await context.close();
  const again = home.manager();
  await again.loadSession(id);
  expect(JSON.stringify(again.getMessages())).toBe(text);
});

test('a file that changed after the compaction keeps its quote', async () => {
  const isSensitive = (path: string): boolean => path.endsWith('.env');
  const home = await createTestHome({
    waits: true,
    windowTokens: 20_000,
    settings: { compact: { auto: false } },
    isSensitive,
  });
  const file = join(home.root, 'main.ts');
  await writeFile(file, 'const fence = "```";\n');
  await writeFile(join(home.root, '.env'), 'SECRET=1');
  const context = home.manager();
  const id = await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'look at main.ts and .env please: main.ts and .env');
  for (let index = 0; index < 10; index++) await step(context, `c${index}`, filler(800));
  home.summaries.expect(summary('done'));
  const report = await context.compressCurrentContext(manual(home));
  expect(report.files).toEqual(['main.ts']);
  const before = JSON.stringify(context.getMessages());
  expect(before).toContain('````\\nconst fence');
  expect(before).not.toContain('SECRET');
  await context.close();
  await writeFile(file, 'changed');
  const again = home.manager();
  await again.loadSession(id);
  expect(JSON.stringify(again.getMessages())).toBe(before);
});

test('a file that was only read is quoted too, but never with more tokens than the compaction frees', async () => {
  const home = await createTestHome({
    waits: true,
    windowTokens: 48_000,
    settings: { compact: { auto: false } },
  });
  const text = filler(2400).replaceAll('delta ', 'delta\n');
  await writeFile(join(home.root, 'a.ts'), text);
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'read a.ts');
  await step(context, 'c0', text);
  await context.appendReply(say('read'));
  await context.addMessage('user', 'and now?');
  await context.appendReply(say('nothing more'));
  home.summaries.expect(summary('## Status\na.ts was read'));
  const report = await context.compressCurrentContext(manual(home));
  expect(report).toMatchObject({ outcome: 'done', files: ['a.ts'] });
  expect(report.postTokens).toBeLessThan(0.7 * report.preTokens);
});

test('at the trigger it compacts automatically, and entries appended in the meantime are kept', async () => {
  const home = await createTestHome({ waits: true, windowTokens: 12_000 });
  const { context } = await longSession(home);
  home.summaries.expect(async () => {
    await context.addMessage('user', 'typed while it was summarizing');
    return { type: 'done', reply: say('summary', { inputTokens: 500, outputTokens: 9 }) };
  });
  const built = await context.buildRequest(home.options());
  expect(built.type).toBe('ready');
  if (built.type !== 'ready') return;
  expect(built.request.messages.at(-1)?.content).toBe('typed while it was summarizing');
  expect(home.events.map(({ type }) => type)).toEqual([
    'compaction_started',
    'compaction_progress',
    'compaction_ended',
    'context_measured',
  ]);
  const spent = context.entries().find((entry) => entry.subtype === 'usage');
  expect(spent?.message.usage).toEqual({ input_tokens: 500, output_tokens: 9 });
  const measure = context.measure([]);
  expect(measure.usedTokens).toBeLessThan(measure.triggerTokens);
  // Nothing was added since: not even a smaller window leads to a second one, until something is.
  home.model = modelOf(Math.floor(measure.usedTokens / 0.8));
  await context.buildRequest(home.options());
  expect(home.summaries.requests).toHaveLength(1);
  home.summaries.expect(summary('again'));
  await context.addMessage('user', 'go on');
  await context.buildRequest(home.options());
  expect(home.summaries.requests).toHaveLength(2);
});

test('the summary message has the summary, recorded facts, the user’s messages and the files, in this order', async () => {
  const home = await createTestHome({ windowTokens: 40_000 });
  home.model = { ...home.model, hasOneSlot: true };
  const path = join(home.root, 'main.ts');
  await writeFile(path, 'export const main = 1;\n');
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'mend it, and never touch the database');
  const todos = [{ content: 'write the tests', activeForm: 'Writing the tests', status: 'pending' }];
  const filesChanged = [{ path, kind: 'modified', hash: 'x', added: 1, removed: 0 }];
  await step(context, 'edit', 'Edited.', { filesChanged, todos });
  await context.appendReply(say('It is mended.'));
  await context.addMessage('user', 'go on');
  for (let index = 0; context.measure([]).usedTokens < context.measure([]).triggerTokens; index++)
    await step(context, `s${index}`, filler(1500));
  home.summaries.expect(summary('1. Primary request and intent\nfoxes'));
  expect((await context.buildRequest(home.options())).type).toBe('ready');
  const sent = String(context.getMessages()[1]?.content);
  const blocks = [
    '[Previous conversation summary]',
    '1. Primary request and intent\nfoxes',
    '### Recorded by the program',
    '- main.ts (modified, #',
    '- [pending] write the tests',
    'Everything archived is still there as #0-#',
    "## The user's earlier messages",
    'mend it, and never touch the database',
    '## Files',
    'export const main = 1;',
    '[End of summary]',
  ];
  const places = blocks.map((block) => sent.indexOf(block));
  expect(blocks.filter((block) => !sent.includes(block))).toEqual([]);
  expect([...places].sort((a, b) => a - b)).toEqual(places);
});

test("a second summary is based on the first and on the user's messages until then", async () => {
  const home = await createTestHome({ windowTokens: 40_000 });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'never touch the database');
  for (let index = 0; index < 6; index++) await step(context, `a${index}`, filler(1500));
  await context.addMessage('user', 'go on');
  for (let index = 0; index < 6; index++) await step(context, `b${index}`, filler(1500));
  home.summaries.expect(
    summary('1. Primary request and intent\nThe first part is about foxes.'),
    summary('1. Primary request and intent\nThe second part is about dogs.'),
  );
  expect((await context.compressCurrentContext(manual(home))).outcome).toBe('done');
  const whole = context.getMessages();
  await context.addMessage('user', 'and on');
  for (let index = 0; index < 6; index++) await step(context, `c${index}`, filler(1500));
  expect((await context.compressCurrentContext(manual(home))).outcome).toBe('done');
  const sent = home.summaries.requests[1]?.messages ?? [];
  // The prefix that the provider has in its cache.
  expect(sent.slice(0, 3)).toEqual(whole.slice(0, 3));
  expect(String(sent[1]?.content)).toContain('The first part is about foxes.');
  expect(String(sent[1]?.content)).toContain('never touch the database');
});

test("a summary in another language than the user's is discarded, and counts as a failure", async () => {
  const home = await createTestHome({ windowTokens: 40_000 });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  for (let index = 0; index < 6; index++) {
    await context.addMessage('user', `请继续处理第 ${index} 个模块,不要修改数据库里的任何内容,谢谢。`);
    await step(context, `s${index}`, filler(1500));
  }
  const english = 'The user wants the modules to be handled one after the other, without the database.';
  home.summaries.expect(summary(`1. Primary request and intent\n${english}`));
  const report = await context.compressCurrentContext(manual(home));
  expect(report).toMatchObject({ outcome: 'fallback', message: expect.stringContaining('language') });
  expect(JSON.stringify(context.getMessages())).not.toContain(english);
  expect(context.entries().filter(({ subtype }) => subtype === 'summary_failed')).toHaveLength(1);
});

test('a path in a summary that never occurs in the session is marked for the model', async () => {
  const home = await createTestHome({ windowTokens: 40_000 });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'mend src/real.ts');
  for (let index = 0; index < 10; index++) await step(context, `s${index}`, filler(1500));
  await context.appendReply(say('done'));
  home.summaries.expect(summary('1. Primary request and intent\nChanged src/real.ts and src/invented.ts.'));
  expect((await context.compressCurrentContext(manual(home))).outcome).toBe('done');
  expect(String(context.getMessages()[1]?.content)).toContain(
    'Changed src/real.ts and src/invented.ts (unverified).',
  );
});

test('just below the trigger nothing happens; at the trigger it compacts', async () => {
  const home = await createTestHome({ waits: true, windowTokens: 100_000 });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'go');
  for (let index = 0; index < 30; index++) await step(context, `c${index}`, filler(2000));
  const used = context.measure([]).usedTokens;
  home.model = modelOf(Math.ceil(used / 0.8) + 200);
  await context.buildRequest(home.options());
  expect(home.summaries.requests).toHaveLength(0);
  home.model = modelOf(Math.floor(used / 0.8));
  home.summaries.expect(summary('s'));
  await context.buildRequest(home.options());
  expect(home.summaries.requests).toHaveLength(1);
});

test.each([
  ['an error', failure()],
  ['an empty reply', summary('  ')],
  ['a tool call instead of text', { type: 'done' as const, reply: ask([call('x')]) }],
])('after %s a fallback is used, visibly, and the session continues', async (_, reply) => {
  const home = await createTestHome({ waits: true, windowTokens: 12_000 });
  const { context } = await longSession(home);
  home.summaries.expect(reply);
  const built = await context.buildRequest(home.options());
  expect(built.type).toBe('ready');
  const ended = home.events.find((event) => event.type === 'compaction_ended');
  expect(ended).toMatchObject({
    report: { outcome: 'fallback', message: expect.stringContaining('rebuilt from the log') },
  });
  const boundary = context.entries().find((entry) => entry.subtype === 'compact_boundary');
  expect(boundary?.compactMetadata).toMatchObject({ success: false, strategy: 'fallback' });
  const text = JSON.stringify(context.getMessages());
  expect(text).toContain('### Statistics');
  expect(text).toContain('first request: never touch the database');
  expect(text).toContain('second request');
});

test('if checking files for secrets fails, the fallback keeps more and reports the error', async () => {
  const home = await createTestHome({
    waits: true,
    windowTokens: 12_000,
    isSensitive: () => {
      throw new Error('the rules are broken');
    },
  });
  await writeFile(join(home.root, 'a.ts'), 'x');
  const { context } = await longSession(home);
  await context.buildRequest(home.options());
  const text = JSON.stringify(context.getMessages());
  expect(text).toContain('Error: the rules are broken');
  expect(home.summaries.requests).toHaveLength(0);
});

test('an abort changes nothing', async () => {
  const home = await createTestHome({ waits: true, windowTokens: 12_000 });
  const { context } = await longSession(home);
  const before = JSON.stringify(context.entries());
  const controller = new AbortController();
  home.summaries.expect(async () => {
    controller.abort();
    return { type: 'aborted' };
  });
  const report = await context.compressCurrentContext({ ...manual(home), signal: controller.signal });
  expect(report.outcome).toBe('cancelled');
  expect(JSON.stringify(context.entries())).toBe(before);
});

test('an abort ends the wait for a summary model that never replies', async () => {
  const home = await createTestHome({
    waits: true,
    windowTokens: 16_000,
    settings: { compact: { auto: false } },
  });
  const { context } = await longSession(home);
  const before = context.entries();
  const stop = new AbortController();
  home.summaries.expect(() => {
    setTimeout(() => stop.abort(), 5);
    return new Promise(() => {});
  });
  const report = await context.compressCurrentContext({ ...home.options(stop.signal) });
  expect(report.outcome).toBe('cancelled');
  expect(context.entries()).toEqual(before);
});

test('if there is too little to compact, a message says so and no request is sent', async () => {
  const home = await createTestHome({ waits: true });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  expect(await context.compressCurrentContext(manual(home))).toMatchObject({
    outcome: 'refused',
    message: expect.stringContaining('nothing'),
  });
  // It is reported like any other outcome.
  const ended = { type: 'compaction_ended', report: expect.objectContaining({ outcome: 'refused' }) };
  expect(home.events).toEqual([ended]);
  await context.addMessage('user', 'hello');
  expect(await context.compressCurrentContext(manual(home))).toMatchObject({ outcome: 'refused' });
});

test('a summary that is too long is cut to its budget', async () => {
  const home = await createTestHome({ waits: true, windowTokens: 12_000 });
  const { context } = await longSession(home);
  home.summaries.expect(summary(filler(20_000)));
  await context.buildRequest(home.options());
  const { usedTokens, triggerTokens } = context.measure([]);
  const written = /alpha[^#]*\.\.\. \(cut\)/.exec(String(context.getMessages()[2]?.content))?.[0] ?? '';
  const tokens = sessionOf(context).projection.sizeOfText(written);
  // A tenth of the window: its share in the budget.
  expect(tokens).toBeGreaterThan(600);
  expect(tokens).toBeLessThanOrEqual(1200);
  expect(usedTokens).toBeLessThan(triggerTokens);
});

test('a request for a summary that does not fit is clipped and still valid', async () => {
  const home = await createTestHome({ waits: true, windowTokens: 200_000 });
  const { context } = await longSession(home);
  for (let index = 0; index < 20; index++) await step(context, `more${index}`, filler(3000));
  home.model = modelOf(10_000);
  home.summaries.expect({
    type: 'failed',
    error: { kind: 'overflow', message: 'too long', retryable: false, windowTokens: 9000 },
  });
  home.summaries.expect(summary('short'));
  const built = await context.buildRequest(home.options());
  expect(built.type).toBe('ready');
  for (const request of home.summaries.requests) expect(validateRequest(request.messages)).toEqual([]);
  const size = (index: number): number => JSON.stringify(home.summaries.requests[index]?.messages).length;
  expect(size(1)).toBeLessThan(size(0));
});

test('after an overflow it learns the window and keeps shrinking the request until nothing more can be freed', async () => {
  const home = await createTestHome({ waits: true, windowTokens: 100_000 });
  const { context, id } = await longSession(home);
  await context.buildRequest(home.options());
  const error = { kind: 'overflow' as const, message: 'too long', retryable: false, windowTokens: 9000 };
  home.summaries.expect(summary('s1'));
  let last = context.measure([]).usedTokens;
  expect(await context.shrinkAfterOverflow(error, home.options())).toBe(true);
  expect(context.measure([]).windowTokens).toBe(9000);
  for (let tries = 0; tries < 30; tries++) {
    const now = context.measure([]).usedTokens;
    if (tries > 0) expect(now).toBeLessThanOrEqual(last);
    last = now;
    const { windowTokens: _, ...unnamed } = error;
    const isSmaller = await context.shrinkAfterOverflow(unnamed, home.options());
    // What the server found too long is more than it takes.
    expect(context.measure([]).windowTokens).toBeLessThanOrEqual(Math.max(1000, 0.9 * now));
    if (!isSmaller) break;
    expect(tries).toBeLessThan(29);
  }
  expect(JSON.stringify(context.getMessages())).toContain('second request');
  expect(context.measure([]).windowTokens).toBeLessThan(9000);
  await context.close();
  // A window that the server named stays; guesses end with the program, since the next rejection teaches them again.
  const again = home.manager();
  await again.loadSession(id);
  expect(again.measure([]).windowTokens).toBe(9000);
});

test('in a window of 8,000 tokens a long task with full-size prompts keeps going', async () => {
  const home = await createTestHome({ waits: true, windowTokens: 8000 });
  home.tools = bigTools();
  const context = home.manager();
  await context.createSession(undefined, {}, { systemPrompt: filler(1040).slice(0, 6000) });
  await context.addMessage('user', 'the goal: rewrite every module');
  let compactions = 0;
  home.summaries.expect(...Array.from({ length: 60 }, () => summary(filler(200))));
  for (let index = 0; index < 40; index++) {
    const built = await context.buildRequest(home.options());
    expect(built.type, `step ${index}`).toBe('ready');
    const measure = context.measure(home.tools);
    expect(measure.usedTokens).toBeLessThanOrEqual(8000 - 500);
    const calls = [call(`a${index}`), call(`b${index}`)];
    await context.appendReply(ask(calls));
    for (const one of calls) {
      const text = index % 7 === 0 ? Buffer.from(filler(2000)).toString('base64') : filler(400 + index * 20);
      await context.appendToolResult({ call: one, outcome: outcome(text) });
    }
    compactions = home.summaries.requests.length;
    expect(JSON.stringify(context.getMessages())).toContain('the goal: rewrite every module');
  }
  expect(compactions).toBeGreaterThan(5);
  expect(home.summaries.requests.every((request) => validateRequest(request.messages).length === 0)).toBe(
    true,
  );
});

test('a prompt larger than the window is rejected with the numbers, and the next one works', async () => {
  const home = await createTestHome({ waits: true, windowTokens: 8000 });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', filler(40_000));
  const built = await context.buildRequest(home.options());
  expect(built).toMatchObject({ type: 'too_large', message: expect.stringContaining('8,000') });
  home.summaries.expect(summary('There was a huge prompt.'));
  await context.addMessage('user', 'a short one');
  expect((await context.buildRequest(home.options())).type).toBe('ready');
});

function bigTools(): ToolSchema[] {
  const description = filler(140);
  return Array.from({ length: 7 }, (_, index) => ({
    name: `Tool${index}`,
    description: description.slice(0, 650),
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  }));
}
