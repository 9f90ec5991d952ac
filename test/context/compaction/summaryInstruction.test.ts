import { describe, expect, test } from 'vitest';
import { createFallbackSummary, simpleSummary } from '../../../src/context/compaction/fallback.ts';
import { buildSummaryRequest } from '../../../src/context/compaction/summaryRequest.ts';
import { viewOf } from '../../../src/context/history/view.ts';
import { TokenCounter } from '../../../src/context/TokenCounter.ts';
import { Log } from '../facts/log.ts';

test.each([
  ['请修复登录问题，不要修改数据库结构，谢谢你的帮助', ' (Chinese, by their last messages)'],
  ['ログインのバグを直してください。テストには触らないでください。', ' (Japanese, by their last messages)'],
  [
    'The login is broken and I want you to fix it, but it has to be done with the tests that are there for this.',
    ' (English, by their last messages)',
  ],
  ['Fix login', ''],
])('the instruction for a summary of %j names the language where it is plain', (prompt, named) => {
  const log = new Log();
  log.prompt(prompt);
  log.reply('I will have a look at it.');
  const built = buildSummaryRequest({
    model: 'm',
    view: viewOf(log.entries),
    tools: [],
    policy: {},
    counter: new TokenCounter(),
    focus: 'the tests',
    files: [],
    leaving: 2,
    maxTokens: 11_000,
    output: { least: 500, most: 1000 },
    maxWords: 600,
    maxMessageCharacters: 5000,
    clip: false,
  });
  const last = String(built?.request.messages.at(-1)?.content);
  expect(last).toContain(`Write in the language the user writes in${named}, at most 600 words`);
  const parts = [
    '1. Primary request and intent (the goal of the task',
    '2. Key technical decisions',
    '3. Files modified',
    '4. Errors encountered and fixes',
    '5. Current work status (completed work; important findings; commands and tests run',
    '6. Pending tasks (and the next action)',
    'The user asks you to focus on: the tests',
  ];
  for (const part of parts) expect(last).toContain(part);
  expect(last).toMatch(/create a summary .* for continuing the work\.\n<\/system-note>$/);
});

describe('summaries without a model', () => {
  const log = new Log();
  for (let index = 0; index < 7; index++) {
    log.prompt(index === 6 ? `last request ${'x'.repeat(300)}` : `request ${index}`);
    log.reply('fine');
    log.command('ls', 'a');
  }
  log.prompt([
    { type: 'text', text: 'see' },
    { type: 'image', data: 'AAAA' },
  ]);
  const view = viewOf(log.entries);

  test('a fallback counts, quotes the last five requests at 200 characters, and says that it is one', () => {
    const text = createFallbackSummary(view, view.atoms, 4000);
    expect(text).toContain('- Messages: 22\n- From the user: 8\n- Replies: 7\n- Tool calls: 7');
    expect(text).toContain(`- last request ${'x'.repeat(187)}...`);
    expect(text.match(/^- (?:request|last request|see)/gm)).toHaveLength(5);
    expect(text).not.toContain('AAAA');
    expect(text).toContain('No model could be asked');
  });

  test('a simple one is the same without talk of a failure', () => {
    const text = simpleSummary(view, view.atoms, 4000);
    expect(text).toContain('### Statistics');
    expect(text).toContain('- request 5');
    expect(text).not.toMatch(/could|fail/);
  });

  test('an earlier summary is carried along as far as there is room', () => {
    const first = new Log();
    first.prompt('begin');
    first.raw({
      type: 'system',
      subtype: 'compact_boundary',
      message: { role: 'system', content: '' },
      compactMetadata: { trigger: 'auto', preTokens: 1, retained: [] },
    });
    first.summary(`[Previous conversation summary]\n\n${'word '.repeat(2000)}\n\n[End of summary]`);
    first.prompt('go on');
    const later = viewOf(first.entries);
    const text = simpleSummary(later, later.atoms, 3000);
    expect(text).toContain('### The summary before this one\nword word');
    expect(text.length).toBeLessThanOrEqual(3100);
    expect(simpleSummary(later, later.atoms, 100)).not.toContain('word');
  });
});
