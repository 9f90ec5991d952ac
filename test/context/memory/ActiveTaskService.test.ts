import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  activeTask,
  extractGoalFromMessage,
  generateStatusSummary,
  reminderDue,
  reminderEntry,
  reminderText,
} from '../../../src/context/memory/ActiveTaskService.ts';
import { estimateTokens, HIGH } from '../../../src/context/tokens/estimate.ts';
import type { Todo } from '../../../src/protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../../../src/protocol/entries.ts';
import { cpuClock } from '../../cpuTime.ts';

/** Units of text that break careless code. */
const hostile = fc.constantFrom(
  'x',
  '7',
  ' ',
  '\n',
  '\r',
  '字',
  'ж',
  '😀',
  '\ud800',
  '\udfff',
  '\u001b',
  '\u202e',
  '<',
  '>',
  '"',
);

const todo = (content: string, status: Todo['status'] = 'pending'): Todo => ({ content, status });

let seq = 0;
function entry(draft: NewEntry): JSONLEntry {
  seq++;
  return {
    v: 1,
    seq,
    uuid: `u${seq}`,
    parentUuid: null,
    sessionId: 's',
    timestamp: '2026-01-01T00:00:00.000Z',
    cwd: '/p',
    version: '1',
    ...draft,
  };
}

const prompt = (content: unknown): JSONLEntry =>
  entry({ type: 'user', subtype: 'prompt', message: { role: 'user', content } });
const reply = (): JSONLEntry => entry({ type: 'assistant', message: { role: 'assistant', content: 'ok' } });
const replies = (count: number): JSONLEntry[] => Array.from({ length: count }, reply);
const wrote = (todos: readonly Todo[]): JSONLEntry =>
  entry({
    type: 'tool_result',
    message: { role: 'user', content: '' },
    toolResult: { id: 'c', output: 'Todo list updated', todos: [...todos] },
  });
const reminded = (entries: readonly JSONLEntry[]): JSONLEntry => {
  const draft = reminderEntry(activeTask(entries));
  if (draft === undefined) throw new Error('nothing to restate');
  return entry(draft);
};

describe('the goal', () => {
  test.each([
    ...[
      'yes',
      'Yes!',
      'OK',
      'ok, go on',
      'go on.',
      'continue',
      'Yes, please continue',
      'y',
      '2',
      'b)',
      '👍',
      '',
    ],
    ...['ja', 'Ja, bitte weiter', 'Oui, continue', 'sí', 'да, продолжай', 'devam et', 'thanks!'],
    ...['好的', '好的，继续', '可以', '请继续吧', 'はい', '続けてください', '네, 계속해 주세요', 'ＯＫ'],
  ])('is kept by %j', (text) => {
    expect(extractGoalFromMessage(text, 'Port the parser')).toBe('Port the parser');
    expect(extractGoalFromMessage(text)).toBeUndefined();
  });

  test.each([
    'fix the failing test',
    'continue with the parser instead',
    'yes, but rename it to Foo',
    'no, use sqlite',
    '修复登录错误',
    '继续修复登录错误',
    'テストを直して',
    'Go 1.24 upgrade',
    '/usr/bin/env is missing',
  ])('is replaced by %j', (text) => {
    expect(extractGoalFromMessage(text, 'Port the parser')).toBe(text);
  });

  test('is one line of at most 200 characters, with a mark if cut', () => {
    const long = `first\n\tline  ${'word '.repeat(100)}`;
    const goal = extractGoalFromMessage(long) ?? '';
    expect(goal.startsWith('first line word word')).toBe(true);
    expect(goal).toMatch(/^.{190,200}…$/);
  });

  test('never contains half a character, a control character or one of our tags', () => {
    expect(extractGoalFromMessage(`${'x'.repeat(199)}😀 tail`)).toBe(`${'x'.repeat(199)}…`);
    expect(extractGoalFromMessage('red \u001b[31m\ud800 </system-note> rest')).toBe(
      'red [31m\ufffd ‹/system-note> rest',
    );
    fc.assert(
      fc.property(fc.string({ unit: hostile, maxLength: 260 }), (text) => {
        const goal = extractGoalFromMessage(text) ?? '';
        expect(goal.isWellFormed()).toBe(true);
        expect(goal.length).toBeLessThanOrEqual(201);
        expect(goal).not.toMatch(/[\u0000-\u001f]/);
      }),
      { numRuns: 50 },
    );
  });

  test('megabytes of "yes " are handled like any other message, and quickly', () => {
    const spentMs = cpuClock();
    expect(extractGoalFromMessage('yes '.repeat(1_000_000), 'old')).toMatch(/^yes yes/);
    expect(extractGoalFromMessage(' '.repeat(5_000_000), 'old')).toBeDefined();
    expect(extractGoalFromMessage('好的'.repeat(30), 'old')).toBe('old');
    expect(extractGoalFromMessage(`${'好的'.repeat(29)}x`, 'old')).toMatch(/^好的/);
    expect(spentMs()).toBeLessThan(2000);
  });

  test('is taken from the newest prompt with text, text parts included', () => {
    const first = prompt([
      { type: 'text', text: 'Port the parser' },
      { type: 'image', data: '' },
    ]);
    const todos = [todo('a')];
    expect(activeTask([first, reply(), wrote(todos), prompt('yes'), reply()])).toEqual({
      goal: 'Port the parser',
      todos,
    });
    expect(activeTask([prompt('ok'), reply()])).toEqual({ goal: undefined, todos: [] });
  });
});

describe('the status', () => {
  test('reports progress, the current item and the next one', () => {
    const todos = [
      todo('read', 'completed'),
      todo('write\nthe code', 'in_progress'),
      ...['test', 'document', 'ship', 'rest'].map((content) => todo(content)),
    ];
    expect(generateStatusSummary(todos)).toBe(
      'Todo list: 1 of 6 done.\nIn progress: write the code\nNext: test; document (and 2 more)',
    );
    expect(generateStatusSummary([])).toBe('');
    expect(generateStatusSummary([todo('a', 'completed')])).toBe('Todo list: 1 of 1 done.');
  });

  test('is bounded whatever the list', () => {
    const todos = Array.from({ length: 5000 }, (_, index) => todo('字'.repeat(index), 'in_progress'));
    expect(generateStatusSummary(todos).length).toBeLessThan(400);
  });
});

describe('a reminder', () => {
  test('is due once the goal was stated as many replies ago as the setting says', () => {
    const log = [prompt('Port the parser'), ...replies(19)];
    expect(reminderDue(log, 20)).toBe(false);
    expect(reminderDue([...log, reply()], 20)).toBe(true);
    expect(reminderDue([...log, prompt('yes'), reply()], 20)).toBe(true);
    expect(reminderDue([...log, prompt('Now the printer'), reply()], 20)).toBe(false);
  });

  test('is not due again before as many replies after it', () => {
    const log = [prompt('Port the parser'), ...replies(20)];
    const after = [...log, reminded(log)];
    expect(reminderDue(after, 20)).toBe(false);
    expect(reminderDue([...after, ...replies(19)], 20)).toBe(false);
    expect(reminderDue([...after, ...replies(20)], 20)).toBe(true);
    expect(activeTask([...after, ...replies(20)]).goal).toBe('Port the parser');
  });

  test('is not due when only the list has changed, since the call that changed it states it', () => {
    const log = [prompt('Port the parser'), reply(), wrote([todo('a')]), reply()];
    expect(reminderDue([...log, wrote([todo('a', 'in_progress')]), reply()], 20)).toBe(false);
    expect(reminderDue([...log, reminded(log)], 20)).toBe(false);
  });

  test('is never due without a goal or list', () => {
    expect(reminderDue([prompt('yes'), ...replies(40)], 20)).toBe(false);
    expect(reminderEntry(activeTask([prompt('yes'), ...replies(40)]))).toBeUndefined();
    expect(reminderText(undefined, [])).toBe('');
  });

  test('quotes goal and list, and stores both as data', () => {
    const log = [prompt('Port the parser'), wrote([todo('lex', 'completed'), todo('parse', 'in_progress')])];
    const draft = reminderEntry(activeTask(log));
    expect(draft?.message.content).toBe(
      [
        'Where the work stands, restated; not a new request.',
        'The user\'s current goal, in their words: "Port the parser"',
        'Todo list: 1 of 2 done.',
        'In progress: parse',
      ].join('\n'),
    );
    expect(draft).toMatchObject({ type: 'user', subtype: 'reminder', data: { goal: 'Port the parser' } });
  });

  test('of another shape is ignored', () => {
    const odd = entry({
      type: 'user',
      subtype: 'reminder',
      message: { role: 'user', content: 'x' },
      data: {},
    });
    expect(activeTask([prompt('Port the parser'), odd]).goal).toBe('Port the parser');
  });

  test('never has more than 200 tokens', () => {
    const text = fc.oneof(
      fc.string({ unit: hostile, maxLength: 230 }),
      fc.string({ unit: fc.constantFrom('字', '😀', 'ж', 'x', '1', ' ', '}'), maxLength: 230 }),
    );
    const status = fc.constantFrom('pending' as const, 'in_progress' as const, 'completed' as const);
    const todos = fc.array(fc.record({ content: text, status }), { maxLength: 12 });
    fc.assert(
      fc.property(text, todos, (goal, list) => {
        const said = reminderText(extractGoalFromMessage(goal), list);
        expect(estimateTokens(said, HIGH)).toBeLessThanOrEqual(200);
        expect(said.isWellFormed()).toBe(true);
      }),
    );
  });
});
