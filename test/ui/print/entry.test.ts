import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryKinds, type JSONLEntry } from '../../../src/protocol/entries.ts';
import { printsNothing, renderEntry } from '../../../src/ui/print/entry.ts';
import { loadMarkdown } from '../../../src/ui/print/markdown.ts';
import type { EntryOptions } from '../../../src/ui/print/toolResult.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { type MadeUpFields, madeUpEntry } from '../../madeUpEntry.ts';

const markdown = await loadMarkdown();
const options: EntryOptions = {
  width: 60,
  theme: chooseTheme('dark', { noColor: false, term: 'xterm-256color' }),
  markdown,
  tools: (id) => (id === 'c1' ? { id, name: 'Read', input: { file_path: 'src/a.ts' } } : undefined),
};
const entry = (fields: MadeUpFields): JSONLEntry =>
  madeUpEntry({
    timestamp: '2026-11-21T09:00:00.000Z',
    cwd: '/home/me/project',
    version: '0.1.0',
    message: { role: 'system', content: '' },
    ...fields,
  });
const print = (fields: MadeUpFields, more: Partial<EntryOptions> = {}) => {
  const text = renderEntry(entry(fields), { ...options, ...more });
  // The tint of a line extends to its end.
  return text === undefined ? undefined : stripVTControlCharacters(text).replace(/ +$/gm, '');
};
const user = (content: unknown) => ({ role: 'user' as const, content });
const assistant = (content: string, more = {}) => ({ role: 'assistant' as const, content, ...more });
const result = (toolResult: Partial<NonNullable<JSONLEntry['toolResult']>>) =>
  print({
    type: 'tool_result',
    message: user(''),
    toolResult: { id: 'x', output: '', name: 'Bash', ...toolResult },
  });

test('folded output names the key that shows all of it, if there is room', () => {
  const shown = (width: number) =>
    print(
      {
        type: 'tool_result',
        message: user(''),
        toolResult: { id: 'x', name: 'Bash', kind: 'command', output: 'a\nb\nc\nd\ne\nf' },
      },
      { width, transcriptKey: 'Ctrl+O' },
    );
  expect(shown(60)).toBe('● Bash\n  ⎿ … +3 lines (Ctrl+O)\n    d\n    e\n    f');
  expect(shown(20)).toContain('… +3 lines\n');
});

test('the answer of a subagent is rendered as Markdown and folded', () => {
  const answer = (output: string, more = {}) =>
    result({
      name: 'Agent',
      output,
      display: { title: 'explore: x', agent: { id: 'a1', name: 'explore' } },
      ...more,
    });
  expect(answer('## Found\n\nIt is **here**, in `a.ts`.')).toBe(
    '● Agent(explore: x)\n  ⎿ Found\n    It is here, in a.ts.',
  );
  const long = '# One\n\n- **a**\n- b\n- c\n- d\n';
  expect(answer(long)).toBe('● Agent(explore: x)\n  ⎿ One\n    • a\n    • b\n    … +2 lines');
  expect(answer('It failed: **why**', { status: 'error' })).toContain('**why**');
  expect(result({ name: 'Bash', output: '**a**' })).toContain('**a**');
});

test.each([
  ['a prompt', { message: user('fix the\ntests') }, '> fix the\n  tests'],
  [
    'a prompt with a folded paste',
    { message: user('x'.repeat(900)), data: { display: '[Pasted text #1 +12 lines]' } },
    '> [Pasted text #1 +12 lines]',
  ],
  [
    'a prompt with an image',
    {
      message: user([
        { type: 'text', text: 'look' },
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      ]),
    },
    '> look\n  [image]',
  ],
  [
    'a shell command that continues in the background',
    {
      subtype: 'shell',
      message: user('…'),
      data: {
        command: 'sleep 20',
        output: '',
        status: 'partial',
        display: { title: '', summary: 'moved to b1' },
      },
    },
    '! sleep 20\n  ⎿ moved to b1',
  ],
  [
    'a reply that was cut within a fence',
    { type: 'assistant' as const, message: assistant('a\n```\nb\n``', { interrupted: true }) },
    'a\n\n  b',
  ],
  ['a prompt that could control the terminal', { message: user('a\u001b[2Jb') }, '> ab'],
  [
    'a shell command that failed',
    {
      subtype: 'shell',
      message: user('run\n'),
      data: { command: 'false', outputAt: 4, status: 'error', display: { summary: 'exit 1 · 0.1 s' } },
    },
    '! false\n  ⎿ exit 1 · 0.1 s',
  ],
  [
    'a shell command',
    { subtype: 'shell', message: user('…'), data: { command: 'ls', output: 'a\nb\n' } },
    '! ls\n  ⎿ a\n    b',
  ],
  [
    'a note to the model',
    { subtype: 'nudge', message: user('Same call three times.') },
    '↪ Same call three times.',
  ],
  ['a summary (not at all)', { isCompactSummary: true, message: user('…') }, undefined],
  ['a reminder (not at all)', { subtype: 'reminder', message: user('…') }, undefined],
  ['pinned instructions (not at all)', { subtype: 'instructions', message: user('…') }, undefined],
])('prints %s', (_, fields, expected) => {
  expect(print({ type: 'user', ...fields })).toBe(expected);
});

test.each([
  ['text as Markdown', assistant('**Done.**\n\n- a'), 'Done.\n\n• a'],
  ['nothing of a reply that only calls tools', assistant(''), undefined],
  [
    'that there was reasoning',
    assistant('Yes.', { reasoning: { field: 'reasoning', text: 'Let me think' } }),
    '✻ Thought (3 words)\n\nYes.',
  ],
  [
    'reasoning in tokens where they are known',
    assistant('', {
      reasoning: { field: 'reasoning', text: 'hm' },
      usage: { input_tokens: 1, output_tokens: 2, reasoning_tokens: 1200 },
    }),
    '✻ Thought (1.2k tokens)',
  ],
  [
    'that a reply was cut off',
    assistant('Half', { finishReason: 'length' }),
    "Half\n\n⎿ Cut off at the model's output limit; ask it to continue.",
  ],
  [
    'that the connection broke',
    assistant('', { failed: true }),
    '⎿ Connection lost: this reply is incomplete.',
  ],
])('prints %s of a reply', (_, message, expected) => {
  expect(print({ type: 'assistant', message })).toBe(expected);
});

test('prints reasoning in full when asked', () => {
  const message = assistant('Yes.', { reasoning: { field: 'thinking', text: 'One.\nTwo.' } });
  expect(print({ type: 'assistant', message }, { showReasoning: true })).toBe('✻ One.\n  Two.\n\nYes.');
});

test.each([
  [
    'a read',
    { name: 'Read', kind: 'file', display: { title: 'src/a.ts:1-60', summary: '60 lines' }, output: 'text' },
    '● Read(src/a.ts:1-60)  60 lines',
  ],
  ['a call without display', { id: 'c1', name: 'Read', kind: 'file' }, '● Read(src/a.ts)'],
  [
    'a call cut short by a crash',
    { id: 'c1', name: 'Read', kind: 'file', display: { title: 'Read', summary: 'interrupted' } },
    '● Read(src/a.ts)  interrupted',
  ],
  [
    'a short command',
    { kind: 'command', display: { title: 'npm test', summary: '1.2s' }, output: 'ok\n' },
    '● Bash(npm test)  1.2s\n  ⎿ ok',
  ],
  [
    'the end of long command output',
    { kind: 'command', display: { title: 'x' }, output: '1\n2\n3\n4\n5\n6\n' },
    '● Bash(x)\n  ⎿ … +3 lines\n    4\n    5\n    6',
  ],
  [
    'the end of output that is shortened for the model, with the lines that it has in full',
    {
      ...{ kind: 'command', display: { title: 'x' }, output: '[…]\n1\n2\n3\n4\n5\n' },
      original: { hash: 'h', bytes: 2_000_000, lines: 300_000 },
    },
    '● Bash(x)\n  ⎿ … +299,997 lines\n    3\n    4\n    5',
  ],
  [
    'the beginning of other long output',
    { name: 'Grep', kind: 'search', display: { title: '"x"' }, output: '1\n2\n3\n4\n5' },
    '● Grep("x")\n  ⎿ 1\n    2\n    3\n    … +2 lines',
  ],
  [
    'one more line rather than a count of one',
    { kind: 'command', display: { title: 'x' }, output: '1\n2\n3\n4' },
    '● Bash(x)\n  ⎿ 1\n    2\n    3\n    4',
  ],
  [
    'an edit',
    {
      name: 'Edit',
      kind: 'edit',
      display: { title: 'a.ts', summary: '+1 -1', diff: '--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n' },
      output: 'edited',
    },
    '● Edit(a.ts)  +1 -1\n    1 - a\n    1 + b',
  ],
  [
    'a todo list',
    {
      name: 'TodoWrite',
      kind: 'todo',
      display: { title: '' },
      todos: [
        { content: 'a', status: 'completed' },
        { content: 'b', status: 'in_progress' },
        { content: 'c', status: 'pending' },
      ],
    },
    '● Todos\n    ☒ a\n    ▣ b\n    ☐ c',
  ],
  [
    'an error with its reason',
    { name: 'Read', status: 'error', error: 'No such file: x', display: { title: 'x' } },
    '✗ Read(x)\n  ⎿ No such file: x',
  ],
  [
    'a failed command with the end of its output',
    { kind: 'command', status: 'error', display: { title: 'x', summary: 'exit 1' }, output: '1\n2\nboom' },
    '✗ Bash(x)  exit 1\n  ⎿ 1\n    2\n    boom',
  ],
  [
    'a refusal',
    { status: 'denied', output: 'Not allowed by the rule Bash(rm *).', display: { title: 'rm x' } },
    '✗ Bash(rm x)  not allowed\n  ⎿ Not allowed by the rule Bash(rm *).',
  ],
  [
    'a stopped call',
    { status: 'interrupted', output: 'stopped', display: { title: 'sleep 9' } },
    '● Bash(sleep 9)  stopped\n  ⎿ stopped',
  ],
  [
    'a command of several lines on one line',
    { kind: 'command', display: { title: 'a &&\n  b' } },
    '● Bash(a && b)',
  ],
] as [string, Partial<NonNullable<JSONLEntry['toolResult']>>, string][])(
  'prints %s',
  (_, toolResult, expected) => {
    expect(result(toolResult)).toBe(expected);
  },
);

test('a partial result says so, even on the narrowest line', () => {
  const part = {
    status: 'partial' as const,
    kind: 'file',
    display: { title: 'src/a.ts', summary: '2000 lines' },
  };
  expect(result(part)).toBe('◐ Bash(src/a.ts)  partial · 2000 lines');
  const moved = { ...part, display: { title: 'make', summary: 'moved to the background as b1' } };
  expect(result(moved)).toBe('◐ Bash(make)  moved to the background as b1');
  const narrow = print(
    { type: 'tool_result', message: user(''), toolResult: { id: 'x', output: '', name: 'Read', ...part } },
    { width: 28 },
  );
  expect(narrow).toBe('◐ Read(src/a.ts)  partial');
});

test('a title too long for the line is cut; the outcome is kept', () => {
  const line = result({ kind: 'command', display: { title: 'x'.repeat(100), summary: 'exit 0' } });
  expect(line).toBe(`● Bash(${'x'.repeat(43)}…)  exit 0`);
});

test.each([
  ['the header', { subtype: 'session_start', gitBranch: 'main' }, '✻ ClawdCode 0.1.0 · /home/me/project'],
  ['a mode', { subtype: 'mode', data: { mode: 'plan' } }, '⎿ Mode: plan'],
  ['a model', { subtype: 'model', data: { model: 'gpt-5' } }, '⎿ Model: gpt-5'],
  ['a notice', { subtype: 'notice', message: { role: 'system' as const, content: 'Saved.' } }, '⎿ Saved.'],
  ['a stop', { subtype: 'turn_end', data: { outcome: 'interrupted' } }, '⎿ Interrupted.'],
  [
    'a failure with its reason',
    {
      subtype: 'turn_end',
      data: { outcome: 'failed', error: { kind: 'auth', message: 'The key was refused.' } },
    },
    '⎿ The key was refused.',
  ],
  ['a successful end (not at all)', { subtype: 'turn_end', data: { outcome: 'done' } }, undefined],
  ['bookkeeping (not at all)', { subtype: 'usage' }, undefined],
  [
    'a judge’s approval, on one line',
    {
      subtype: 'judgement',
      message: { role: 'system', content: 'Asked for.\u001B[2J\nAnd more' },
      data: { callId: 'a', tool: 'Bash', decision: 'allow' },
    },
    '⎿ Bash allowed by auto: Asked for. And more',
  ],
  [
    'a judge’s denial (not at all: the result says it)',
    {
      subtype: 'judgement',
      message: { role: 'system', content: 'No.' },
      data: { callId: 'a', tool: 'Bash', decision: 'deny' },
    },
    undefined,
  ],
  ['an entry of a newer program (not at all)', { subtype: 'unheard_of' }, undefined],
  [
    'a compaction',
    {
      subtype: 'compact_boundary',
      compactMetadata: {
        trigger: 'manual' as const,
        preTokens: 84_100,
        postTokens: 12_300,
        durationMs: 4200,
        filesIncluded: ['src/a.ts', 'b.ts'],
      },
    },
    '◆ Conversation compacted: 84.1k → 12.3k tokens · 4.2s\n  ⎿ 2 files kept: src/a.ts, b.ts',
  ],
  [
    'a compaction with a fallback',
    {
      subtype: 'compact_boundary',
      compactMetadata: {
        trigger: 'auto' as const,
        preTokens: 8000,
        postTokens: 2000,
        success: false,
        error: 'the model gave no summary',
      },
    },
    '◆ Conversation compacted: 8k → 2k tokens · automatic\n  ⎿ No model summary: rebuilt from the log instead.\n    /uncompact undoes it.',
  ],
] as [string, MadeUpFields, string | undefined][])('prints %s', (_, fields, expected) => {
  expect(print({ type: 'system', ...fields })).toBe(expected);
});

test('a call prints nothing: its result shows it', () => {
  expect(print({ type: 'tool_use', tool: { id: 'c', name: 'Read', input: {} } })).toBeUndefined();
});

test('no entry is wider than the terminal or controls it', () => {
  const text = fc
    .array(
      fc.constantFrom(
        'word',
        ' ',
        '中文',
        '\n',
        '\u001b[31m',
        '\u009b2J',
        '\r',
        'averyveryverylongword',
        '`c`',
        '# ',
        '- ',
        '👩‍👩‍👧',
      ),
      { maxLength: 20 },
    )
    .map((parts) => parts.join(''));
  const status = fc.constantFrom('ok' as const, 'error' as const, 'denied' as const, 'interrupted' as const);
  const kind = fc.constantFrom('file', 'command', 'search', 'edit');
  const any = fc.oneof(
    fc.tuple(text, fc.boolean()).map(([content, failed]) =>
      entry({
        type: 'assistant',
        message: assistant(content, { failed, reasoning: { field: 'r', text: content } }),
      }),
    ),
    text.map((content) => entry({ type: 'user', message: user(content) })),
    text.map((command) =>
      entry({ type: 'user', subtype: 'shell', message: user(''), data: { command, output: command } }),
    ),
    fc.tuple(text, text, status, kind).map(([title, output, how, sort]) =>
      entry({
        type: 'tool_result',
        message: user(''),
        toolResult: {
          id: 'x',
          name: title,
          output,
          status: how,
          kind: sort,
          display: { title, summary: title },
        },
      }),
    ),
    text.map((error) =>
      entry({
        type: 'system',
        subtype: 'compact_boundary',
        compactMetadata: {
          trigger: 'auto',
          preTokens: 1,
          success: false,
          error,
          focus: error,
          filesIncluded: [error],
        },
      }),
    ),
    text.map((content) => entry({ type: 'system', subtype: 'notice', message: { role: 'system', content } })),
    text.map((cwd) => entry({ type: 'system', subtype: 'session_start', cwd, gitBranch: cwd, version: '1' })),
  );
  const none = chooseTheme('plain', { noColor: true });
  fc.assert(
    fc.property(any, fc.integer({ min: 20, max: 90 }), (one, width) => {
      const printed = renderEntry(one, { ...options, width, theme: none }) ?? '';
      expect(printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      for (const line of printed.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(width);
    }),
    { numRuns: 400 },
  );
});

test.each([
  ['approved', { status: 'ok' as const, display: { title: 'Plan', summary: 'approved' } }, '● '],
  ['declined', { status: 'denied' as const, error: 'Not yet.' }, '✗ '],
])('a plan stays readable when it was %s', (_, fields, sign) => {
  const text = print(
    { type: 'tool_result', message: user(''), toolResult: { id: 'p', output: '', ...fields } },
    { tools: (id) => ({ id, name: 'ExitPlanMode', input: { plan: '# Plan\n\n1. **Mend** it' } }) },
  );
  expect(text).toContain(`Plan\n\n1. Mend it\n\n${sign}Plan`);
});

test('the result of an accepted plan for the model is not shown to the user', () => {
  const text = print(
    {
      type: 'tool_result',
      message: user(''),
      toolResult: { id: 'p', output: 'Carry it out.', status: 'ok' },
    },
    { tools: (id) => ({ id, name: 'ExitPlanMode', input: { plan: 'Mend it' } }) },
  );
  expect(text).toBe('Mend it\n\n● Plan');
});

test.each([
  [undefined, '✗ Bash(npm test)  declined'],
  ['use pnpm', '✗ Bash(npm test)  declined\n  ⎿ Your comment: use pnpm'],
])('a call denied with the comment %j is shown once, in words for the user', (comment, expected) => {
  const text = 'The user declined this call; it did not run.';
  const display = { title: 'npm test', summary: 'declined', modelNotes: text };
  const shown = comment === undefined ? display : { ...display, comment };
  expect(result({ status: 'denied', output: text, error: text, display: shown })).toBe(expected);
});

test('notes for the model at the end of an output are not printed', () => {
  const modelNotes = '(Processes it left behind were ended.)\nexit code 1';
  const display = { title: 'npm test', summary: 'exit 1 · 2s', modelNotes };
  const output = `1 failed\n${modelNotes}`;
  expect(result({ status: 'error', kind: 'command', output, display })).toBe(
    '✗ Bash(npm test)  exit 1 · 2s\n  ⎿ 1 failed',
  );
  // Cut on its way into the log, it is a different text: nothing is removed then.
  const cut = `${output.slice(0, 20)}…`;
  expect(result({ status: 'error', kind: 'command', output: cut, display })).toContain(cut.slice(0, 8));
});

test('whether an entry prints nothing is known without printing it, for every kind', () => {
  const kinds = [...Object.keys(entryKinds), undefined];
  const entries = kinds.flatMap((subtype) =>
    (['user', 'system'] as const).map((type) =>
      entry({ type, subtype, message: { role: type, content: 'words' } }),
    ),
  );
  const replies = [
    { content: '' },
    { content: '', failed: true },
    { content: '', finishReason: 'content_filter' },
    { content: '', reasoning: { field: 'reasoning', text: 'hm' } },
    { content: 'words' },
  ].map((message) => entry({ type: 'assistant', message: { role: 'assistant', ...message } as never }));
  for (const one of [...entries, ...replies])
    expect(printsNothing(one), JSON.stringify(one)).toBe(renderEntry(one, options) === undefined);
  expect(entries.filter(printsNothing).length).toBeGreaterThan(3);
});
