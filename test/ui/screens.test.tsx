/** Golden screens of what is drawn and printed: in light and dark with every color, on narrow and wide terminals. */

import { Text } from 'ink';
import type { ReactNode } from 'react';
import { beforeAll, test } from 'vitest';
import type { Snapshot } from '../../src/ui/controller/types.ts';
import { emptyView, type Print, type View } from '../../src/ui/controller/view.ts';
import { LiveArea } from '../../src/ui/live/LiveArea.tsx';
import { loadMarkdown, type MarkdownRenderer } from '../../src/ui/print/markdown.ts';
import { createPrinter } from '../../src/ui/print/printer.ts';
import { chooseTheme, type Theme } from '../../src/ui/theme/theme.ts';
import { defaultPreferences } from '../../src/ui/types.ts';
import { commandHost, run } from '../commands/commandHost.ts';
import { goldenScreen } from '../e2e/support/goldenScreen.ts';
import { mount } from './mount.tsx';
import { call, entry, prompt, reply, result } from './transcript/entries.ts';

let markdown: MarkdownRenderer;
beforeAll(async () => {
  markdown = await loadMarkdown();
});

const terminal = { noColor: false, term: 'xterm-256color', colorTerm: 'truecolor' };
const looks = [
  { look: 'dark-80', columns: 80, theme: chooseTheme('dark', terminal), styles: true },
  { look: 'light-80', columns: 80, theme: chooseTheme('light', terminal), styles: true },
  { look: '20', columns: 20, theme: chooseTheme('dark', terminal), styles: false },
  { look: '200', columns: 200, theme: chooseTheme('dark', terminal), styles: false },
] as const;

const now = 1_000_000;
const ROWS = 34;

/** Two lines changed, with letters of several scripts. */
const diff = `--- a/src/greet.ts
+++ b/src/greet.ts
@@ -1,4 +1,4 @@
 export function greet(name: string) {
-  return 'Hello ' + name; // 挨拶
+  return \`Hello \${name} 👋🏽\`; // 挨拶と絵文字
 }
-// שלום עולם
+// שלום לכולם, مرحبا
`;

const views: Readonly<Record<string, Partial<View>>> = {
  streaming: {
    inTurn: true,
    busy: true,
    startedAt: now - 12_000,
    streamedLength: 4800,
    tail: '## Findings\n\nThe parser reads **every** line twice, see `src/parse.ts:40`:\n\n- 漢字 and かな stand in two columns\n- 👩‍👩‍👧 is one character\n- عربي is right to left\n',
  },
  running: {
    inTurn: true,
    busy: true,
    startedAt: now - 65_000,
    tools: [
      {
        callId: 'c1',
        tool: 'Bash',
        title: 'npm test -- --run 測試',
        output: 'ok 1\nok 2\nok 3 ✓ 絵文字 👍\n',
      },
      { callId: 'c2', tool: 'Grep', title: 'TODO in src', output: '' },
    ],
    queue: [{ type: 'prompt', text: 'and then run the linter, please' }],
  },
  retry: {
    inTurn: true,
    busy: true,
    startedAt: now - 30_000,
    retry: {
      attempt: 2,
      maxAttempts: 8,
      error: {
        kind: 'rate_limit',
        message: 'The endpoint limits requests (429): slow down.',
        retryable: true,
      },
      until: now + 9000,
    },
  },
  question: {
    inTurn: true,
    busy: true,
    startedAt: now,
    questions: [
      {
        id: 'q',
        agentId: 'main',
        callId: 'c',
        tool: 'Edit',
        title: 'src/greet.ts',
        input: {},
        preview: { type: 'diff', path: 'src/greet.ts', diff, isNew: false },
        reason: 'Edits need your approval in this mode.',
        suggestion: {
          rules: [],
          destination: 'mode',
          label: 'Yes, allow all edits this session',
          detail: 'switches to accept edits mode',
        },
      },
    ],
  },
};

function snapshotOf(view: Partial<View>, theme: Theme): Snapshot {
  return {
    phase: { type: 'session' },
    theme,
    preferences: defaultPreferences,
    session: undefined,
    view: { ...emptyView, ...view },
    hint: undefined,
    todoView: 'auto',
    markdown,
  };
}

const printed: Readonly<Record<string, readonly Print[]>> = {
  conversation: [
    { type: 'entry', entry: prompt(0, 'Please make the greeting friendlier 🙂, 謝謝') },
    { type: 'entry', entry: reply(1, 'I will look at `greet.ts` first.', 'Where is the greeting?') },
    { type: 'entry', entry: call(2, 'c1', 'Read', { file_path: 'src/greet.ts' }) },
    {
      type: 'entry',
      entry: result(3, 'c1', '', {
        name: 'Read',
        kind: 'file',
        display: { title: 'src/greet.ts', summary: '12 lines' },
      }),
    },
    {
      type: 'entry',
      entry: result(4, 'c2', 'ok', {
        name: 'Edit',
        kind: 'edit',
        display: { title: 'src/greet.ts', summary: '+2 −2', diff },
      }),
    },
    {
      type: 'entry',
      entry: result(5, 'c3', 'one\ntwo\nthree\nfour\nfive\nsix', {
        name: 'Bash',
        kind: 'command',
        display: { title: 'npm test', summary: 'exit 0' },
      }),
    },
    {
      type: 'entry',
      entry: result(6, 'c4', '', {
        name: 'TodoWrite',
        kind: 'todo',
        todos: [
          { content: 'Read the greeting', status: 'completed' },
          { content: '挨拶を直す', status: 'in_progress' },
          { content: 'Run the tests', status: 'pending' },
        ],
        display: { title: 'TodoWrite', summary: '1 of 3 done' },
      }),
    },
  ],
  problems: [
    {
      type: 'notice',
      level: 'warning',
      text: 'Connection lost: the unfinished reply above was discarded.',
    },
    {
      type: 'entry',
      entry: result(1, 'c1', '', {
        name: 'Bash',
        kind: 'command',
        status: 'error',
        error: 'command not found: nmp\nالأمر غير موجود',
        display: { title: 'nmp test', summary: 'exit 127' },
      }),
    },
    {
      type: 'entry',
      entry: entry(2, {
        type: 'system',
        subtype: 'turn_end',
        data: {
          outcome: 'failed',
          error: { message: 'The endpoint does not know this key (401). Check OPENAI_API_KEY.' },
        },
      }),
    },
  ],
};

const drawings: readonly { name: string; draw: (columns: number, theme: Theme) => ReactNode }[] = [
  ...Object.entries(views).map(([name, view]) => ({
    name,
    draw: (columns: number, theme: Theme) => (
      <LiveArea
        snapshot={snapshotOf(view, theme)}
        columns={columns}
        rows={ROWS - 4}
        liveRows={12}
        onAnswer={() => undefined}
        now={() => now}
      />
    ),
  })),
  ...Object.entries(printed).map(([name, prints]) => ({
    name,
    draw: (columns: number, theme: Theme) => (
      <Text>
        {createPrinter({ theme, markdown: () => markdown, showReasoning: () => false }).render(
          prints,
          columns,
        )}
      </Text>
    ),
  })),
];

test.each(
  ['context', 'status', 'cost', 'doctor'].flatMap((name) => looks.map((look) => ({ name, ...look }))),
)('/$name, $look', async ({ name, look, columns, theme, styles }) => {
  const answer = await run(name, '', commandHost());
  if (answer.type !== 'page' && answer.type !== 'notice') throw new Error(`/${name} shows nothing`);
  const print: Print = answer.type === 'page' ? answer : { level: 'info', ...answer };
  const printer = createPrinter({ theme, markdown: () => markdown, showReasoning: () => false });
  const { screen } = await mount(<Text>{printer.render([print], columns)}</Text>, { columns, rows: 60 });
  await goldenScreen(screen, `parts/${name}-${look}`, { styles });
});

test.each(drawings.flatMap((drawing) => looks.map((look) => ({ ...drawing, ...look }))))(
  '$name, $look',
  async ({ name, draw, look, columns, theme, styles }) => {
    const { screen } = await mount(draw(columns, theme), { columns, rows: ROWS });
    await goldenScreen(screen, `parts/${name}-${look}`, { styles });
  },
);
