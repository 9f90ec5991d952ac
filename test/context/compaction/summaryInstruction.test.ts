import { describe, expect, test } from 'vitest';
import {
  createFallbackSummary,
  fallbackText,
  simpleSummary,
} from '../../../src/context/compaction/fallback.ts';
import { wrapSummary } from '../../../src/context/compaction/summaryMessage.ts';
import { buildSummaryRequest } from '../../../src/context/compaction/summaryRequest.ts';
import { type View, viewOf } from '../../../src/context/history/view.ts';
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
])('the instruction for a summary of %j names the language if it is clear', (prompt, named) => {
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
  log.raw({ type: 'system', subtype: 'environment', message: { role: 'user', content: 'a new date' } });
  const view = viewOf(log.entries);

  test('a fallback has a line for each of the newest steps that fit', () => {
    const whole = createFallbackSummary(view, view.atoms, 4000);
    expect(whole.match(/^#\d+ Bash /gm)).toHaveLength(7);
    const some = createFallbackSummary(view, view.atoms, whole.length - 60);
    const lines = (text: string): readonly string[] => text.match(/^#\d+ .*$/gm) ?? [];
    expect(lines(some).length).toBeLessThan(lines(whole).length);
    expect(lines(some)).toEqual(lines(whole).slice(-lines(some).length));
    expect(some.length).toBeLessThanOrEqual(whole.length - 60);
  });

  test('a fallback has message counts and 200 characters of the last five requests, and says that it is a fallback', () => {
    const text = createFallbackSummary(view, view.atoms, 4000);
    expect(text).toContain('Messages: 23, From the user: 8, Replies: 7, Tool calls: 7');
    expect(text).toContain(`- last request ${'x'.repeat(187)}...`);
    expect(text.match(/^- (?:request|last request|see)/gm)).toHaveLength(5);
    expect(text).not.toContain('AAAA');
    expect(text).toMatch(/^No summary could be written\. .* use Recall \(#0-#\d+\) or read the files/);
  });

  test('a simple summary is the same without mentioning a failure', () => {
    const text = simpleSummary(view, view.atoms, 4000);
    expect(text).toContain('### Statistics');
    expect(text).toContain('- request 5');
    expect(text).not.toMatch(/could|fail/);
  });

  /** A session with an earlier summary message and one prompt since. */
  const viewBehind = (earlier: string) => {
    const session = new Log();
    session.prompt('begin');
    session.raw({
      type: 'system',
      subtype: 'compact_boundary',
      message: { role: 'system', content: '' },
      compactMetadata: { trigger: 'auto', preTokens: 1, retained: [] },
    });
    session.summary(earlier);
    session.prompt('go on');
    return viewOf(session.entries);
  };

  test('an earlier summary is included as far as it fits', () => {
    const later = viewBehind(
      `[Previous conversation summary]\n\n${'word '.repeat(2000)}\n\n[End of summary]`,
    );
    const text = simpleSummary(later, later.atoms, 3000);
    expect(text).toContain('### The summary before this one\nword word');
    expect(text.length).toBeLessThanOrEqual(3100);
    expect(simpleSummary(later, later.atoms, 100)).not.toContain('word');
  });

  const facts = `### Recorded by the program
Last test run (node, #93): 2 failed, 3 passed; \`node --test test/\`.
Todo list:
- [pending] maxParens
Everything archived is still there as #0-#81: Recall shows an entry ("#81").`;

  test.each([
    ['createFallbackSummary', (view: View) => createFallbackSummary(view, view.atoms, 4000)],
    ['fallbackText', (view: View) => fallbackText(view, 'no disk', 4000)],
  ])("%s reuses the model's text, without wrapper and recorded facts", (_, write) => {
    const text = write(
      viewBehind(wrapSummary(`1. Request\n\nfoxes\n\n${facts}\n\n6. Pending tasks\n\nthe tests`)),
    );
    expect(text).toContain('### The summary before this one\n1. Request\n\nfoxes');
    expect(text).toContain('6. Pending tasks\n\nthe tests');
    expect(text).not.toMatch(/Archived Session Summary|Written from|Recorded by|pending\]|2 failed|#81/);
  });

  test('a summary without a model is reused only for what it took from an earlier one', () => {
    let text = '1. Request\n\nfoxes';
    for (let count = 0; count < 3; count++) {
      const view = viewBehind(wrapSummary(`${text}\n\n${facts}`));
      text = createFallbackSummary(view, view.atoms, 4000);
      expect(text.match(/### Statistics/g)).toHaveLength(1);
      expect(text.match(/### The summary before this one\n1\. Request\n\nfoxes$/g)).toHaveLength(1);
      expect(text).not.toContain('Recorded by');
    }
    const broken = viewBehind(wrapSummary(fallbackText(viewBehind(wrapSummary('no more')), 'no disk', 4000)));
    expect(createFallbackSummary(broken, broken.atoms, 4000)).toMatch(/before this one\nno more$/);
    // As an older program wrote it.
    const old = viewBehind(
      wrapSummary(
        `### Statistics\n- Messages: 4\n\n### Note\nNo model could be asked.\n\n### The summary before this one\n## Archived Session Summary\n\nfoxes\n\n${facts}\n\n${facts}`,
      ),
    );
    expect(createFallbackSummary(old, old.atoms, 4000)).toMatch(/before this one\nfoxes$/);
  });
});
