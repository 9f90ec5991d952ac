/**
 * Golden screens of background tasks and the todo list: light and dark, in 20, 80 and 200 columns, in other scripts.
 */
import { expect, test } from 'vitest';
import type { Todo } from '../../../src/protocol/entries/fields.ts';
import type { TaskInfo } from '../../../src/protocol/tasks.ts';
import { Lines } from '../../../src/ui/dialog/Lines.tsx';
import { renderTodos } from '../../../src/ui/print/todos.ts';
import { TasksDialog } from '../../../src/ui/tasks/TasksDialog.tsx';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { goldenScreen } from '../../e2e/support/goldenScreen.ts';
import { state } from '../../headless/scriptedAgent.ts';
import { mount, plain } from '../mount.tsx';
import { keys } from '../screen.ts';

const NOW = 1_000_000;
const task = (id: string, command: string, lastLine: string, end?: TaskInfo['end']): TaskInfo => ({
  id,
  command,
  startedAtMs: NOW - 65_000,
  lastLine,
  ...(end === undefined ? {} : { end }),
});
const tasks = [
  task('b1', 'npm run build', '✓ built in 3.2s', { endedAtMs: NOW - 60_000, code: 0 }),
  task('b2', 'cargo test --all', 'error[E0308]: mismatched types', { endedAtMs: NOW - 50_000, code: 101 }),
  task('b3', 'python 学習.py --データ 訓練', 'エポック 3/10 🚀', {
    endedAtMs: NOW,
    code: 143,
    stoppedBy: 'user',
  }),
  task('b4', 'npm run dev', 'الخادم جاهز على http://localhost:3000'),
];
const output = [
  '> dev',
  '> vite',
  '',
  '\u001B[32mVITE\u001B[39m ready',
  '地址: http://localhost:3000/',
  'الخادم جاهز',
]
  .map((line) => `${line}\n`)
  .join('');
const agent = {
  state: () => ({ ...state, tasks }),
  subscribe: () => () => true,
  submit: () => undefined,
  taskOutput: () => ({ text: output, missing: 0 }),
  watchTask: () => () => true,
};
const todos: readonly Todo[] = [
  { content: 'Read the parser', status: 'completed' },
  { content: '写测试 ✅', status: 'in_progress' },
  { content: 'أصلح الخطأ', status: 'pending' },
  { content: 'Say what was changed, and why it had to be changed in this way', status: 'pending' },
];
const dark = chooseTheme('dark', { noColor: false, term: 'xterm-256color', colorTerm: 'truecolor' });
const light = chooseTheme('light', { noColor: false, term: 'xterm-256color', colorTerm: 'truecolor' });

test.each([
  ['20', 20, plain],
  ['80-dark', 80, dark],
  ['80-light', 80, light],
  ['200', 200, plain],
] as const)('in %s', async (name, columns, theme) => {
  const { screen, update } = await mount(
    <TasksDialog agent={agent} width={columns} rows={10} theme={theme} now={() => NOW} onClose={() => {}} />,
    { columns, rows: 14 },
  );
  const see = (step: string): Promise<void> =>
    goldenScreen(screen, `tasks/${step}-${name}`, { styles: theme !== plain });
  await see('list');
  await screen.press('x');
  await see('question');
  await screen.press('n', keys.enter);
  await see('output');
  await update(<Lines lines={renderTodos(todos, columns, 10, theme)} />);
  await see('todos');
  expect(screen.output()).not.toContain('\u001B[32mVITE');
});
