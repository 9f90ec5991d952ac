/** Dialogs as lists: the effect of a line that answers them. */
import { describe, expect, test, vi } from 'vitest';
import type { Agent } from '../../../src/agent/types.ts';
import type { ContextItem } from '../../../src/protocol/contextReport.ts';
import type { Op } from '../../../src/protocol/ops.ts';
import type { TaskInfo } from '../../../src/protocol/tasks.ts';
import type { Controller, Snapshot } from '../../../src/ui/controller/types.ts';
import { modelsDialog, trustDialog } from '../../../src/ui/dialog/phaseDialogs.ts';
import type { Access, SetupPort } from '../../../src/ui/onboarding/SetupPort.ts';
import { type Dialogue, type DialoguePorts, dialogueOf } from '../../../src/ui/plain/askDialog.ts';
import { items, rewind, tasks } from '../../../src/ui/plain/askLists.ts';
import { permission } from '../../../src/ui/plain/askPermission.ts';
import { askPhase, onboarding } from '../../../src/ui/plain/askPhase.ts';
import type { Boot, OnboardingResult } from '../../../src/ui/types.ts';
import { scriptedAgent, state } from '../../headless/scriptedAgent.ts';

/** The record of a dialog: the controller's actions, the output and the questions. */
function createPorts(showsAnswers = true) {
  const deeds: string[] = [];
  const told: string[] = [];
  const asked: Dialogue[] = [];
  const controller = {
    closeDialog: () => deeds.push('close'),
    pickModel: (id: string | undefined) => deeds.push(`model ${id}`),
    advance: () => deeds.push('advance'),
    forkBefore: () => deeds.push('fork'),
  } as unknown as Controller;
  const ports: DialoguePorts = {
    controller,
    ask: (dialogue) => asked.push(dialogue),
    tell: (...lines) => told.push(...lines),
    showsAnswers,
    now: () => Date.parse('2026-11-20T09:00:00Z'),
  };
  return { ports, deeds, told, asked };
}

/** An agent that records its requests. */
function createAgent(more: Partial<Agent>): { readonly agent: Agent; readonly ops: Op[] } {
  const ops: Op[] = [];
  return { agent: { ...scriptedAgent(), submit: (op) => ops.push(op), ...more }, ops };
}

const item = (seq: number, more: Partial<ContextItem> = {}): ContextItem => ({
  uuid: `u${seq}`,
  seq,
  kind: 'prompt',
  title: `Item ${seq}`,
  tokens: 12,
  state: 'sent',
  isPinned: false,
  ...more,
});

describe('items of the context', () => {
  test.each([
    ['p 3', { action: 'pin', uuid: 'u3' }],
    ['p4', { action: 'unpin', uuid: 'u4' }],
    ['drop #3', { action: 'drop', uuid: 'u3' }],
    ['R 3', { action: 'restore', uuid: 'u3' }],
  ])('%j changes an item, and the list stays open', (text, edit) => {
    const { agent, ops } = createAgent({ items: () => [item(3), item(4, { isPinned: true })] });
    const { ports, deeds } = createPorts();
    const dialogue = items(agent, ports);
    expect(dialogue.tell.join('\n')).toContain('#4, prompt, sent, pinned');
    expect(dialogue.answer(text)).toBe('');
    expect(ops).toEqual([{ type: 'edit_item', edit }]);
    expect(deeds).toEqual([]);
  });

  test('an empty line closes the list; an invalid answer is reported, and nothing is done', () => {
    const { agent, ops } = createAgent({ items: () => [item(3)] });
    const { ports, deeds } = createPorts();
    const dialogue = items(agent, ports);
    expect(dialogue.answer('d 9')).toBe('There is no item #9.');
    expect(dialogue.answer('x 3')).toMatch(/^Type p, d or r/);
    expect(dialogue.answer('3')).toMatch(/^Type p, d or r/);
    expect(dialogue.answer('')).toBeUndefined();
    expect([ops, deeds]).toEqual([[], ['close']]);
  });
});

describe('background tasks', () => {
  const task: TaskInfo = { id: 'b1', command: 'npm run dev', startedAtMs: 0, lastLine: 'ready' };
  const running = { state: () => ({ ...state, tasks: [task] }) };

  test('a task can be shown and stopped by name', () => {
    const { agent, ops } = createAgent({
      ...running,
      taskOutput: () => ({ text: 'one\n\u001B[31mtwo\n', missing: 0 }),
    });
    const { ports, told } = createPorts();
    const dialogue = tasks(agent, ports);
    expect(dialogue?.tell.join('\n')).toContain('b1, running, npm run dev');
    expect(dialogue?.answer('o b1')).toBe('');
    expect(told).toEqual(['> one', '> two', 'End of the output of b1.']);
    expect(dialogue?.answer('s 1')).toBe('');
    expect(dialogue?.answer('s b7')).toBe('There is no task b7.');
    expect(ops).toEqual([{ type: 'stop_task', id: 'b1' }]);
  });

  test('without tasks there is nothing to answer', () => {
    const { agent } = createAgent({});
    const { ports, told, deeds } = createPorts();
    expect(tasks(agent, ports)).toBeUndefined();
    expect([told, deeds]).toEqual([['No background tasks.'], ['close']]);
  });
});

describe('models', () => {
  test.each([
    ['2', 'b'],
    ['a', 'a'],
    ['', undefined],
  ])('%j: %s', (text, id) => {
    const picked: unknown[] = [];
    const dialogue = dialogueOf(modelsDialog({ ids: ['a', 'b'] }, undefined), (one) => picked.push(one));
    expect(dialogue.tell).toEqual([
      '2 models:',
      '1. a',
      '2. b',
      'Answer with a number or a name. An empty line cancels.',
    ]);
    expect(dialogue.answer(text)).toBeUndefined();
    expect(picked).toEqual([id === undefined ? undefined : { id }]);
  });

  test('hidden characters in a name are shown', () => {
    const dialogue = dialogueOf(modelsDialog({ ids: ['a\u200b', 'a'] }, undefined), () => undefined);
    expect(dialogue.tell.slice(1, 3)).toEqual(['1. a‹U+200B›', '2. a']);
  });

  test('the current one is the first', () => {
    const dialogue = dialogueOf(modelsDialog({ ids: ['a', 'b'] }, 'b'), () => undefined);
    expect(dialogue.tell.slice(1, 3)).toEqual(['1. b, in use', '2. a']);
  });

  test('an unknown model repeats the question; if there are none, the reason is shown', () => {
    const { ports, told, deeds, asked } = createPorts();
    expect(dialogueOf(modelsDialog({ ids: ['a'] }, 'a'), () => undefined).answer('7')).toMatch(
      /no model "7"/,
    );
    const phase = { type: 'models', ids: [], problem: 'It is away.' } as const;
    askPhase({ phase, session: undefined } as unknown as Snapshot, ports);
    expect(asked).toEqual([]);
    expect([told, deeds]).toEqual([
      ['It is away. /model followed by a name switches to that model.'],
      ['model undefined'],
    ]);
  });
});

describe('rewinding', () => {
  const turn = {
    uuid: 'u1',
    seq: 1,
    beforeSeq: 0,
    text: 'break it',
    timestamp: '2026-11-20T08:59:00Z',
    steps: 1,
    files: 1,
    lines: undefined,
  };
  const step = { path: '/home/me/project/a.ts', action: 'modify', added: 1, removed: 1 } as const;

  test('a turn by number, then what to restore, with every path', async () => {
    const { agent, ops } = createAgent({
      turns: async () => [turn],
      planRewind: async () => ({ turn, plan: { steps: [step] }, notes: [] }),
    });
    const { ports, asked, deeds } = createPorts();
    await rewind(agent, undefined, ports);
    expect(asked[0]?.tell[1]).toBe('1. break it; 1 min ago, in 1 file');
    expect(asked[0]?.answer('5')).toMatch(/number of a turn/);
    expect(asked[0]?.answer('1')).toBeUndefined();
    await new Promise((done) => setImmediate(done));
    expect(asked[1]?.tell.join('\n')).toContain('- restore: a.ts');
    expect(asked[1]?.answer('both')).toMatch(/not one of the choices/);
    expect(asked[1]?.answer('b')).toBeUndefined();
    expect([ops, deeds]).toEqual([[{ type: 'rewind', to: 'u1', scope: 'both' }], ['close']]);
  });

  test('u undoes the last rewind, if there is one', async () => {
    for (const canUndo of [true, false]) {
      const { agent, ops } = createAgent({ turns: async () => [turn], canUndoRewind: () => canUndo });
      const { ports, asked } = createPorts();
      await rewind(agent, undefined, ports);
      expect(asked[0]?.tell.at(-1)?.includes('u undoes')).toBe(canUndo);
      asked[0]?.answer('u');
      expect(ops).toEqual(canUndo ? [{ type: 'undo_rewind' }] : []);
    }
  });

  test('many paths of one folder are counted', async () => {
    const steps = Array.from({ length: 1003 }, (_, at) => ({
      ...{ path: `/home/me/project/node_modules/p${at}`, action: 'delete' as const },
      ...{ added: 0, removed: 0 },
    }));
    const { agent } = createAgent({
      turns: async () => [turn],
      planRewind: async () => ({ turn, plan: { steps }, notes: [] }),
    });
    const { ports, asked } = createPorts();
    await rewind(agent, turn, ports);
    const told = asked[0]?.tell.join('\n') ?? '';
    expect(told).toContain('- delete: node_modules/p2\n- delete: 1,000 more in node_modules/\n');
    expect(told).not.toContain('node_modules/p3');
  });

  test('a session that cannot be read is reported, and the dialog closes', async () => {
    const { agent } = createAgent({ turns: () => Promise.reject(new Error('EIO')) });
    const { ports, told, deeds } = createPorts();
    await rewind(agent, undefined, ports);
    expect([told, deeds]).toEqual([['Error: the session cannot be read: EIO'], ['close']]);
  });
});

describe('first start', () => {
  test('a key typed as the answer for the endpoint is used as the key', async () => {
    const checked: Access[] = [];
    const { ports, told, asked } = createPorts();
    const setup: SetupPort = {
      search: async () => [],
      refine: async (found) => found,
      check: (access) => {
        checked.push(access);
        return new Promise(() => {});
      },
      defaults: {},
      savedTo: '~/.clawdcode/config.json',
    };
    onboarding({ type: 'onboarding', setup, answer: () => new Promise(() => {}) }, ports);
    await vi.waitFor(() => expect(asked).toHaveLength(1), 15_000);
    for (const line of ['k', '', 'gsk_0123456789abcdef', '', '']) asked.at(-1)?.answer(line);
    expect(told.join('\n')).toMatch(
      /That looks like a key, so .* not sent or used for anything else\. It is still visible where you typed it/,
    );
    expect(told.join('\n')).not.toContain('0123456789');
    expect(checked).toEqual([
      { baseUrl: 'https://api.groq.com/openai/v1', apiKey: 'gsk_0123456789abcdef', model: '' },
    ]);
  });

  test.each([
    ['a terminal', 'sk-proj-0123456789abcdef', true],
    ['a pipe, which shows nothing', 'export OPENAI_API_KEY="sk-proj-0123456789abcdef"', false],
  ])('a key typed as the first answer is never repeated, on %s', async (_where, line, showsAnswers) => {
    const checked: Access[] = [];
    const { ports, told, asked } = createPorts(showsAnswers);
    const setup: SetupPort = {
      search: async () => [],
      refine: async (found) => found,
      check: async (access) => {
        checked.push(access);
        const models = [{ id: 'one' }, { id: 'two' }];
        return { type: 'models', baseUrl: access.baseUrl, models, isProven: true };
      },
      defaults: {},
      savedTo: '~/.clawdcode/config.json',
    };
    onboarding({ type: 'onboarding', setup, answer: () => new Promise(() => {}) }, ports);
    await vi.waitFor(() => expect(asked).toHaveLength(1), 15_000);
    for (const answer of [line, '', '']) asked.at(-1)?.answer(answer);
    await vi.waitFor(() => expect(asked.at(-1)?.tell.join()).toContain('which model?'), 15_000);
    expect(asked.at(-1)?.answer(line)).toBe('That looks like a key, not like the name of a model.');
    expect(checked).toEqual([
      { baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-proj-0123456789abcdef', model: '' },
    ]);
    const said = [...told, ...asked.flatMap(({ tell }) => tell)].join('\n');
    expect(said).not.toContain('0123456789');
    expect(said.includes('It is still visible where you typed it')).toBe(showsAnswers);
  });

  test('settings with a mistake are read again on request', async () => {
    const results: OnboardingResult[] = [];
    const { ports, told, asked } = createPorts();
    const setup: SetupPort = {
      search: async () => [],
      refine: async (found) => found,
      check: () => new Promise(() => {}),
      defaults: {},
      savedTo: '~/.clawdcode/config.json',
    };
    const answer = (result: OnboardingResult): Promise<Boot> => {
      results.push(result);
      return new Promise(() => {});
    };
    const message = 'config.json:3:5: comma expected.';
    onboarding({ type: 'onboarding', setup, message, canReread: true, answer }, ports);
    await vi.waitFor(() => expect(asked).toHaveLength(1), 15_000);
    expect([...told, ...(asked.at(-1)?.tell ?? [])].join('\n')).toMatch(
      /Error: config\.json:3:5.*Reload the settings/s,
    );
    asked.at(-1)?.answer('s');
    expect(results).toEqual([{ type: 'reread' }]);
  });
});

test('a question about a command points out unusual characters', () => {
  const question = {
    id: 'q',
    agentId: 'main',
    callId: 'c',
    tool: 'Bash',
    title: 's\u0441p x',
    input: {},
    preview: { type: 'command', command: 's\u0441p x', cwd: '/p' },
    reason: '',
  } as const;
  const ports = { words: (text: string) => text, onAnswer: () => {} };
  expect(permission(question, ports).tell.slice(0, 3)).toEqual([
    'Question: may Bash do this? s‹U+0441 like c›p x',
    'Characters that show nothing, or look like others, are marked ‹U+…›.',
    'Command: s‹U+0441 like c›p x',
  ]);
  const plain = { ...question, title: 'ls', preview: { type: 'command', command: 'ls', cwd: '/p' } } as const;
  expect(permission(plain, ports).tell[1]).toBe('Command: ls');
  const turn = {
    ...{ id: 'q', agentId: 'main', title: 'The model is repeating itself', reason: '' },
    headline: 'The model is repeating itself. Continue?',
    preview: { type: 'text', text: 'Let it continue?' },
  } as const;
  expect(permission(turn, ports).tell).toEqual([
    'Question: The model is repeating itself. Continue?',
    '> Let it continue?',
    '1, or y: Yes',
    '2, or n: No',
    'Answer y or n.',
  ]);
});

test('trust requires a yes; Ctrl+C leaves', () => {
  const answers: unknown[] = [];
  const question = { folder: '/p', effects: ['.clawdcode.json: allows Bash(\u202Els)'] };
  const dialogue = dialogueOf(trustDialog(question), (isTrusted) => answers.push(isTrusted));
  expect(dialogue.tell.join('\n')).toContain('- .clawdcode.json: allows Bash(‹U+202E›ls)');
  expect(dialogue.answer('sure')).toMatch(/not one of the choices/);
  dialogue.answer('yes');
  dialogue.cancel();
  expect(answers).toEqual([true, 'quit']);
  const before = { isRecorded: true, gone: ['.clawdcode.json: allows Edit'], added: 1, removed: 1 };
  expect(dialogueOf(trustDialog({ ...question, before }), () => undefined).tell).toEqual([
    'Question: do you trust what has changed in this folder? /p',
    'Changed since you trusted it: 1 new, 1 gone.',
    '- New: .clawdcode.json: allows Bash(‹U+202E›ls)',
    '- Gone: .clawdcode.json: allows Edit',
    '1, or y: Yes, apply the changes',
    '2, or n: No, continue without the changes',
    'Answer with a number, 1 to 2.',
  ]);
  const own = { folder: '/p', effects: [], own: ['hook: npx prettier'] };
  expect(dialogueOf(trustDialog(own), () => undefined).tell.slice(1, 3)).toEqual([
    'Your own hooks and status line may run code from this folder:',
    '- hook: npx prettier',
  ]);
});

test('neither choices nor answers control the terminal', () => {
  const choices = [{ label: 'a\u001B[2Jb', detail: 'c\nd', answer: undefined }];
  const body = [{ type: 'text', text: 'Head\u001B[2J' }] as const;
  const base = { id: '', title: '', cancel: undefined };
  const dialogue = dialogueOf({ ...base, type: 'choices', body, choices }, () => {});
  const all = [...dialogue.tell, dialogue.answer('\u001B[2J') ?? ''].join('');
  expect(all).not.toContain('\u001B');
});
