/** In plain mode only ClawdCode begins a line without the mark, whatever others write and however long it is. */
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../../src/agent/types.ts';
import type { ChoiceField, Form, FormField } from '../../../src/protocol/forms.ts';
import type { PermissionQuestion, Preview } from '../../../src/protocol/permissions.ts';
import type { Controller } from '../../../src/ui/controller/types.ts';
import { modelsDialog, serverDialog, trustDialog } from '../../../src/ui/dialog/phaseDialogs.ts';
import { dialogueOf } from '../../../src/ui/plain/askDialog.ts';
import { askForm } from '../../../src/ui/plain/askForm.ts';
import { items, rewind, tasks } from '../../../src/ui/plain/askLists.ts';
import { permission } from '../../../src/ui/plain/askPermission.ts';
import { quoted, type Room, rowsOf } from '../../../src/ui/plain/foreignText.ts';
import { loadPlainMarkdown, plainTheme } from '../../../src/ui/plain/plainMarkdown.ts';
import { createPlainPrinter } from '../../../src/ui/plain/plainPrinter.ts';
import { refusalDialog } from '../../../src/ui/sessions/refusal.ts';
import { question as asked } from '../../headless/events.ts';
import { scriptedAgent, state } from '../../headless/scriptedAgent.ts';
import { madeUpEntry } from '../../madeUpEntry.ts';

const words = await loadPlainMarkdown();

const FORGED = '1: Yes 2: No';
/** What stands before the forged line: a line break, or so much that the terminal would break the line there. */
const fillings = [
  '\n',
  'x\r\n',
  '\u2028',
  ...[20, 36, 60, 76, 140].flatMap((many) => [
    `${'x'.repeat(many)} `,
    `${' '.repeat(many)}`,
    `x${'…'.repeat(many)} `,
    `x${'👨‍👩‍👧‍👦'.repeat(many)} `,
  ]),
];
const rooms: readonly Room[] = [
  { columns: 80, isUtf8: true },
  { columns: 40, isUtf8: true },
  { columns: 80, isUtf8: false },
];

const base: PermissionQuestion = { ...asked, reason: 'no rule allows it' };
const previewed = (preview: Preview): readonly string[] => asks({ preview });
const asks = (more: Partial<PermissionQuestion>): readonly string[] =>
  permission({ ...base, ...more }, { words, onAnswer: () => {} }).tell;
const form = (field: FormField, more: Partial<Form> = {}): readonly string[] =>
  askForm({ fields: [field], ...more }, 'The model asks', { ask: () => {}, onAnswer: () => {} }).tell;
const choice: ChoiceField = {
  type: 'choice',
  hasOwnAnswer: true,
  isMultiple: false,
  header: 'H',
  question: 'Which?',
  options: [{ label: 'a' }],
};
const ports = () => {
  const told: string[] = [];
  const controller = { closeDialog: () => {} } as unknown as Controller;
  const tell = (...lines: readonly string[]) => void told.push(...lines);
  const ask = (dialogue: { readonly tell: readonly string[] }) => void told.push(...dialogue.tell);
  return { told, all: { controller, ask, tell, showsAnswers: true, now: () => 0 } };
};
const turn = {
  ...{ uuid: 'u', seq: 1, beforeSeq: 0, timestamp: '2026-11-20T08:59:00Z', steps: 1 },
  ...{ files: 1, lines: undefined },
};

type Told = (hostile: string) => readonly string[] | Promise<readonly string[]>;

const questions: Readonly<Record<string, Told>> = {
  'a command': (text) => previewed({ type: 'command', command: `ls #${text}`, cwd: '/p' }),
  'the folder of a command': (text) => previewed({ type: 'command', command: 'ls', cwd: `/${text}` }),
  'a description by the model': (text) =>
    previewed({ type: 'command', command: 'ls', cwd: '/p', description: text }),
  'a diff': (text) =>
    previewed({
      type: 'diff',
      path: '/a',
      isNew: true,
      diff: `@@ -0,0 +1 @@\n+${text.replace('\n', '\n+')}\n`,
    }),
  'a path': (text) => previewed({ type: 'diff', path: `/${text}`, isNew: true, diff: '' }),
  'a list of paths': (text) => previewed({ type: 'paths', verb: 'Read', paths: [text] }),
  'a plan': (text) => previewed({ type: 'plan', plan: text }),
  'the input of a tool': (text) => previewed({ type: 'text', text }),
  'the name of a tool': (text) => asks({ tool: text }),
  'the title of a call': (text) => asks({ title: text }),
  'the name of a subagent': (text) => asks({ from: text }),
  'a reason': (text) => asks({ reason: `It runs ${text}` }),
  'a rule': (text) =>
    asks({ suggestion: { rules: ['a'], destination: 'session', label: `Yes, always ${text}` } }),
  'a question of the model': (text) => form({ ...choice, question: text }),
  'an answer of the model': (text) => form({ ...choice, options: [{ label: text, description: text }] }),
  'the preview of an answer': (text) => form({ ...choice, options: [{ label: 'a', preview: text }] }),
  'a message of a server': (text) => form(choice, { message: text, review: [] }),
  'what a server fills in': (text) =>
    form({ type: 'text', header: 'H', question: text, initial: text } as FormField, { review: [] }),
  'the settings of a folder': (text) =>
    dialogueOf(trustDialog({ folder: `/${text}`, effects: [text] }), () => {}).tell,
  'an MCP server': (text) =>
    dialogueOf(serverDialog({ name: text, source: '.mcp.json', lines: [text], isChanged: false }), () => {})
      .tell,
  'a model of an endpoint': (text) => dialogueOf(modelsDialog({ ids: [text] }, undefined), () => {}).tell,
  'the title of a session': (text) => {
    const refusal = { why: 'locked', holder: undefined, canRead: true } as const;
    const refused = { refusal, id: '1', title: text, back: 'new' } as const;
    return dialogueOf(refusalDialog(refused, new Date(0)), () => {}).tell;
  },
  'a prompt to rewind to': async (text) => {
    const { told, all } = ports();
    await rewind({ ...scriptedAgent(), turns: async () => [{ ...turn, text }] } as Agent, undefined, all);
    return told;
  },
  'a file to restore': async (text) => {
    const { told, all } = ports();
    const step = { path: `/${text}`, action: 'modify', added: 1, removed: 1 } as const;
    const plan = { turn: { ...turn, text }, plan: { steps: [step] }, notes: [] };
    const agent = { ...scriptedAgent(), planRewind: async () => plan };
    await rewind(agent as unknown as Agent, { ...turn, text }, all);
    return told;
  },
  'an item of the context': (text) => {
    const item = {
      uuid: 'u',
      seq: 1,
      kind: 'prompt',
      title: text,
      tokens: 1,
      state: 'sent',
      isPinned: false,
    };
    return items({ ...scriptedAgent(), items: () => [item] } as unknown as Agent, ports().all).tell;
  },
  'a background task and its output': (text) => {
    const { told, all } = ports();
    const task = { id: 'b1', command: text, startedAtMs: 0, lastLine: text };
    const agent = {
      ...scriptedAgent(),
      state: () => ({ ...state, tasks: [task] }),
      taskOutput: () => ({ text, missing: 0 }),
    };
    const dialogue = tasks(agent, all);
    dialogue?.answer('o b1');
    return [...(dialogue?.tell ?? []), ...told];
  },
};

describe('text of others never begins a line', () => {
  test.each(Object.entries(questions))('%s', async (_what, tell) => {
    for (const filling of fillings) {
      const lines = await tell(`${filling}${FORGED}`);
      for (const room of rooms)
        expectMarked(
          lines.flatMap((line) => rowsOf(line, room)),
          room,
        );
    }
  });

  test('finished calls, prompts and messages', () => {
    for (const filling of fillings)
      for (const room of rooms) {
        const text = `${filling}${FORGED}`;
        const printer = createPlainPrinter({
          ...{ theme: plainTheme, markdown: () => words, words, showReasoning: () => false },
          ...{ room: () => room, isEchoed: () => false, isHeard: () => false },
        });
        const result = (more: object) =>
          madeUpEntry({
            ...{ type: 'tool_result', message: { role: 'user', content: '' } },
            toolResult: {
              id: '1',
              name: 'Bash',
              kind: 'command',
              output: text,
              display: { title: text },
              ...more,
            },
          });
        const prompt = { message: { role: 'user', content: text } } as const;
        const entries = [
          result({}),
          result({ status: 'error', error: text }),
          result({ kind: 'edit', display: { title: text, diff: `@@ -0,0 +1 @@\n+${text}\n` } }),
          result({ kind: 'todo', todos: [{ content: text, status: 'pending' }] }),
          madeUpEntry({ ...prompt, subtype: 'prompt' }),
          madeUpEntry({ ...prompt, subtype: 'shell', data: { command: text, output: text } }),
        ].map((entry) => ({ type: 'entry', entry }) as const);
        const notices = (['warning', 'error'] as const).map(
          (level) => ({ type: 'notice', level, text: `Ended: ${text}` }) as const,
        );
        expectMarked(printer.render([...entries, ...notices], 80).split('\n'), room);
      }
  });
});

test('a terminal has nothing left to wrap, however wide it draws signs', () => {
  for (const room of rooms)
    for (const filling of fillings)
      for (const row of [`In: ${filling}`, ...quoted(filling)].flatMap((line) => rowsOf(line, room)))
        expect(drawn(row, room)).toEqual([row]);
});

test('short lines, and lines of letters that fit, stay as they are', () => {
  const room = { columns: 80, isUtf8: true };
  for (const line of ['In: /p', `In: ${'é'.repeat(74)}`, '', '> a', '>'])
    expect(rowsOf(line, room)).toEqual([line]);
  expect(rowsOf(`Command: ${'word '.repeat(20)}`, room)).toEqual([
    `Command: ${'word '.repeat(12).trim()}`,
    `> ${'word '.repeat(8).trim()}`,
  ]);
});

function expectMarked(lines: readonly string[], room: Room): void {
  const rows = lines.flatMap((line) => drawn(line, room));
  expect(rows.filter((row) => row.trimStart().startsWith(FORGED))).toEqual([]);
}

/** The rows of a terminal that gives each character as many columns as any could. */
function drawn(line: string, { columns, isUtf8 }: Room): readonly string[] {
  const rows = [''];
  let used = 0;
  for (const character of line) {
    const most = isUtf8 ? (/[ -~\p{L}]/u.test(character) ? 1 : 2) : Buffer.byteLength(character);
    if (used + most > columns) {
      rows.push('');
      used = 0;
    }
    rows.push(`${rows.pop()}${character}`);
    used += most;
  }
  return rows;
}
