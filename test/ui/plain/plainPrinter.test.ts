import { describe, expect, test } from 'vitest';
import { help } from '../../../src/commands/help.ts';
import { pageLine } from '../../../src/commands/pages/page.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import type { Print } from '../../../src/ui/controller/view.ts';
import { loadPlainMarkdown, plainTheme } from '../../../src/ui/plain/plainMarkdown.ts';
import { createPlainPrinter } from '../../../src/ui/plain/plainPrinter.ts';
import { type MadeUpFields, madeUpEntry } from '../../madeUpEntry.ts';

const words = await loadPlainMarkdown();

const entry = (fields: MadeUpFields): Print => ({ type: 'entry', entry: madeUpEntry(fields) });
const user = (content: string, more: MadeUpFields = {}): Print =>
  entry({ message: { role: 'user', content }, ...more });
const result = (toolResult: NonNullable<JSONLEntry['toolResult']>): Print =>
  entry({ type: 'tool_result', message: { role: 'user', content: '' }, toolResult });

function told(...prints: readonly Print[]): string {
  const printer = createPlainPrinter({
    theme: plainTheme,
    markdown: () => words,
    showReasoning: () => false,
    words,
    room: () => ({ columns: 80, isUtf8: true }),
    isEchoed: (text) => text === 'typed here',
    isHeard: (callId) => callId === 'heard',
  });
  return printer.render(prints, 20);
}

describe('each message names its speaker', () => {
  test.each<[string, Print, string]>([
    ['a prompt', user('do it', { subtype: 'prompt' }), 'You: do it\n'],
    ['one printed before', user('typed here', { subtype: 'prompt' }), ''],
    [
      'a reply, never wrapped',
      entry({
        type: 'assistant',
        message: { role: 'assistant', content: `**Yes**, ${'of course '.repeat(9)}` },
      }),
      `ClawdCode: Yes, ${'of course '.repeat(9).trim()}\n`,
    ],
    ['part of a reply', { type: 'markdown', text: 'And `so` on.', first: false }, 'And `so` on.\n'],
    ['an error', { type: 'notice', level: 'error', text: 'No.' }, 'Error: No.\n'],
    ['a warning', { type: 'notice', level: 'warning', text: 'Hm.' }, 'Warning: Hm.\n'],
    [
      'the user’s own command',
      user('out', { subtype: 'shell', data: { command: 'ls', output: 'a\nb' } }),
      'You ran: ls\n> a\n> b\n',
    ],
    [
      'the user’s own command that failed',
      user('out', {
        subtype: 'shell',
        data: { command: 'ls x', output: 'a', status: 'error', display: { summary: 'exit 2 · 0.1 s' } },
      }),
      'You ran: ls x\n> a\nOutcome: exit 2 · 0.1 s.\n',
    ],
    [
      'the end of a turn',
      entry({ type: 'system', subtype: 'turn_end', data: { outcome: 'interrupted' } }),
      'Interrupted.\n',
    ],
  ])('%s', (_what, print, text) => {
    expect(told(print)).toBe(text);
  });
});

describe('results', () => {
  test.each<[string, NonNullable<JSONLEntry['toolResult']>, string]>([
    [
      'a command that succeeded',
      {
        id: '1',
        name: 'Bash',
        kind: 'command',
        output: 'ok\n',
        display: { title: 'npm test', summary: '1.2 s' },
      },
      'Bash: npm test. Done, exit code 0, 1.2 s.\n> ok\n',
    ],
    [
      'a command that failed',
      {
        id: '1',
        name: 'Bash',
        kind: 'command',
        status: 'error',
        output: 'boom',
        display: { title: 'npm test', summary: 'exit 1 · 1.2 s' },
      },
      'Bash: npm test. Failed, exit 1, 1.2 s.\n> boom\n',
    ],
    [
      'a file that was read',
      { id: '1', name: 'Read', kind: 'file', output: 'x', display: { title: 'a.ts', summary: '60 lines' } },
      'Read: a.ts. Done, 60 lines.\n',
    ],
    [
      'a denied call',
      {
        id: '1',
        name: 'Edit',
        status: 'denied',
        output: '',
        error: 'The user said no.',
        display: { title: 'a.ts' },
      },
      'Edit: a.ts. Not allowed.\n> The user said no.\n',
    ],
    [
      'an edit',
      {
        id: '1',
        name: 'Edit',
        kind: 'edit',
        output: '',
        display: { title: 'a.ts', diff: '@@ -1 +1 @@\n-a\n+b\n' },
      },
      'Edit: a.ts. Done.\n1 line added, 1 line removed.\nremoved line 1: a\nadded line 1: b\n',
    ],
    [
      'todos',
      {
        id: '1',
        name: 'TodoWrite',
        kind: 'todo',
        output: '',
        display: { title: 'TodoWrite' },
        todos: [
          { content: 'first', status: 'completed' },
          { content: 'second', status: 'in_progress' },
          { content: 'third', status: 'pending' },
        ],
      },
      'Todos. Done.\n- done: first\n- now: second\n- open: third\n',
    ],
  ])('%s', (_what, toolResult, text) => {
    expect(told(result(toolResult))).toBe(text);
  });

  test('a change that was printed for approval is not repeated', () => {
    const display = { title: 'a.ts', summary: '+1 -1', diff: '@@ -1 +1 @@\n-a\n+b\n' };
    expect(told(result({ id: 'heard', name: 'Edit', kind: 'edit', output: '', display }))).toBe(
      'Edit: a.ts. Done, +1 -1.\n',
    );
  });

  test('long output is printed with its end and its length', () => {
    const output = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`).join('\n');
    const text = told(result({ id: '1', name: 'Bash', kind: 'command', output, display: { title: 'x' } }));
    expect(text).toContain('Last 10 of 300 lines:\n> line 291\n');
    expect(text.split('\n').length).toBeLessThan(15);
  });
});

test('notices and pages show control characters', () => {
  const text = 'allow  Bash(a\u001b]0;b\u0007c)';
  const shown = 'allow  Bash(a‹U+001B›]0;b‹U+0007›c)';
  expect(told({ type: 'notice', level: 'info', text })).toContain(shown);
  expect(told({ type: 'page', page: () => [pageLine(text)] })).toContain(shown);
});

test('a line break in a name of a page begins no line', () => {
  const page = () => [pageLine('db  connected'), pageLine('a\n1: Yes  failed')];
  expect(told({ type: 'page', page })).toBe('db  connected\na\n> 1: Yes  failed\n');
});

test('/help explains the keys of plain mode', async () => {
  const result = await help.run('', { commands: [help] } as never);
  const text = result.type === 'page' ? told({ type: 'page', page: result.page }) : '';
  expect(text).toContain('/help  show commands and keys');
  expect(text).toMatch(
    /\n\nA backslash at the end of a line continues on the next\. .* Ctrl\+D quits too\.\n$/,
  );
  expect(text).not.toContain('Ctrl+O');
});

test('neither model nor command output controls the terminal', () => {
  const hostile = 'a\u001B[2J\u001B]0;title\u0007b\r\u009B31mc';
  const text = told(
    user(hostile, { subtype: 'prompt' }),
    entry({ type: 'assistant', message: { role: 'assistant', content: hostile } }),
    { type: 'markdown', text: `\`\`\`\n${hostile}\n\`\`\``, first: false },
    { type: 'notice', level: 'error', text: hostile },
    result({
      id: '1',
      name: hostile,
      kind: 'command',
      output: hostile,
      display: { title: hostile, summary: hostile },
    }),
  );
  expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
});
