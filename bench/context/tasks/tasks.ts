/** All tasks under all policies. */
import type { PriceSheet } from '../cache.ts';
import { fixed, mean, type Row, table } from '../report/table.ts';
import { changedMind } from './changedMind.ts';
import { constraint } from './constraint.ts';
import { failingTests } from './failingTests.ts';
import { gone } from './gone.ts';
import { manyFiles } from './manyFiles.ts';
import { runTask, type TaskPolicy, type TaskResult } from './runTask.ts';
import type { Task } from './types.ts';

export const tasks: readonly Task[] = [constraint, changedMind, gone, failingTests, manyFiles];

/** Small, so that every task outgrows it several times. */
const WINDOW = 24_000;

const strategy = (name: string): unknown => ({ strategy: name });

export const taskPolicies: readonly TaskPolicy[] = [
  { name: 'no reduction, endless window', settings: strategy('off'), windowTokens: 1_000_000, recall: true },
  { name: 'no reduction', settings: strategy('off'), windowTokens: WINDOW, recall: true },
  { name: 'mask-only', settings: strategy('mask-only'), windowTokens: WINDOW, recall: true },
  { name: 'summary', settings: strategy('summary'), windowTokens: WINDOW, recall: true },
  { name: 'summary, without Recall', settings: strategy('summary'), windowTokens: WINDOW, recall: false },
  { name: 'oldest-removal', settings: strategy('oldest-removal'), windowTokens: WINDOW, recall: true },
  { name: 'middle-removal', settings: strategy('middle-removal'), windowTokens: WINDOW, recall: true },
  { name: 'hybrid', settings: strategy('hybrid'), windowTokens: WINDOW, recall: true },
  { name: 'sliding-window', settings: strategy('sliding-window'), windowTokens: WINDOW, recall: true },
  { name: 'auto', settings: {}, windowTokens: WINDOW, recall: true },
];

export async function taskTable(sheet: PriceSheet, chosen: readonly Task[] = tasks): Promise<string> {
  const rows: Row[] = [];
  for (const policy of taskPolicies) {
    const results: TaskResult[] = [];
    for (const task of chosen) results.push(await runTask(task, policy, sheet));
    const passed = results.filter((one) => one.passed).length;
    rows.push([
      policy.name,
      ...results.map(cell),
      `${passed}/${results.length}`,
      fixed(mean(results.map(({ cost }) => cost)), 0),
    ]);
  }
  const head = ['policy', ...chosen.map(({ name }) => name), 'passed', 'mean cost (k)'];
  return `Tasks in a repository: whether its tests pass, steps, recalls (window ${WINDOW} tokens)\n${table(head, rows)}`;
}

function cell({ passed, steps, recalls, error }: TaskResult): string {
  const outcome = passed ? 'pass' : error === undefined ? 'FAIL' : 'STOP';
  return `${outcome} ${steps}${recalls === 0 ? '' : `+${recalls}r`}`;
}
