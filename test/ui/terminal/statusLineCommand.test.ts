import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AgentState } from '../../../src/agent/types.ts';
import { statusline } from '../../../src/commands/screen.ts';
import type { CommandHost } from '../../../src/commands/types.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { createStatusRunner, statusText } from '../../../src/ui/terminal/statusLineCommand.ts';
import {
  addEntry,
  noTotals,
  type StatusLineInput,
  type StatusLineOutput,
  statusLineInput,
} from '../../../src/ui/terminal/statusLineInput.ts';

const RUN_EVERY_MS = 300;

test.each([
  ['plain', ['plain'], ['plain']],
  ['one\r\ntwo\nthree\nfour\n', ['one', 'two', 'three'], ['one', 'two', 'three']],
  ['\u001B[1;38;5;200mred\u001B[0m x', ['\u001B[1;38;5;200mred\u001B[0m x\u001B[0m'], ['red x']],
  ['\u001B]0;evil\u0007a\u001B[2Jb\u001B[10;1Hc', ['abc'], ['abc']],
  ['a\u001B[31', ['a'], ['a']],
  ['\u202Eback', ['‹U+202E›back'], ['‹U+202E›back']],
  ['漢字 👩‍👩‍👧 עברית', ['漢字 👩‍👩‍👧 עברית'], ['漢字 👩‍👩‍👧 עברית']],
])('%j is shown as %j', (printed, colored, plain) => {
  expect(statusText(printed, true)).toEqual(colored);
  expect(statusText(printed, false)).toEqual(plain);
});

test('only colors of a command’s output reach the terminal, and they end with the line', () => {
  const printed = fc.string({
    unit: fc.constantFrom('a', '\u001B', '[', '3', '1', 'm', 'H', ']', '\u0007', '\n', '\u009B', ';'),
  });
  fc.assert(
    fc.property(printed, (text) => {
      for (const line of statusText(text, true)) {
        expect(line.replace(/\u001B\[[\d;:]*m/g, '')).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
        if (line.includes('\u001B')) expect(line.endsWith('\u001B[0m')).toBe(true);
      }
    }),
  );
});

function entry(message: object, toolResult?: object): JSONLEntry {
  return { timestamp: '2026-01-01T00:00:00.000Z', message, toolResult } as unknown as JSONLEntry;
}

function madeUpInput(): StatusLineInput {
  const entries = [
    entry({}),
    entry({ durationMs: 1500, usage: { input_tokens: 1000, output_tokens: 20, cached_tokens: 600 } }),
    entry({}, { filesChanged: [{ added: 3, removed: 1 }, { added: 2 }] }),
    entry({ durationMs: 500 }),
  ];
  const state = {
    sessionId: 's-1',
    title: 'Fix it',
    root: '/home/you/project',
    model: { id: 'mock-1', windowTokens: 8000 },
    mode: 'plan',
    measure: { usedTokens: 2000, windowTokens: 8000 },
    usage: { costUsd: 0.25 },
  } as unknown as AgentState;
  const info = { cwd: '/home/you/project/src', version: '1.2.3', sessionFile: '/home/s-1.jsonl' };
  const now = Date.parse('2026-01-01T00:01:00.000Z');
  return statusLineInput(state, info, entries.reduce(addEntry, noTotals), now);
}

test('the input has the fields and totals that scripts for other agents read', () => {
  expect(madeUpInput()).toEqual({
    hook_event_name: 'Status',
    session_id: 's-1',
    session_name: 'Fix it',
    transcript_path: '/home/s-1.jsonl',
    cwd: '/home/you/project/src',
    version: '1.2.3',
    model: { id: 'mock-1', display_name: 'mock-1' },
    workspace: { current_dir: '/home/you/project/src', project_dir: '/home/you/project', added_dirs: [] },
    cost: {
      total_cost_usd: 0.25,
      total_duration_ms: 60_000,
      total_api_duration_ms: 2000,
      total_lines_added: 5,
      total_lines_removed: 1,
    },
    context_window: {
      context_window_size: 8000,
      used_percentage: 25,
      remaining_percentage: 75,
      current_usage: {
        input_tokens: 400,
        output_tokens: 20,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 600,
      },
    },
    permission_mode: 'plan',
    output_style: { name: 'default' },
  });
});

test('/statusline and the docs describe exactly the fields of the input', () => {
  const { op } = statusline.run('the branch', {} as CommandHost) as { op: { text: string } };
  const prompted = /- The JSON: (.*)\./.exec(op.text)?.[1] ?? '';
  const names = prompted.replace(/\(.*?\)/g, '').match(/\w+/g);
  const input = madeUpInput();
  expect(names).toEqual(fieldsOf(input));
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/status-line.md'), 'utf8');
  const example = /^## Input[\s\S]*?```json\n([\s\S]*?)```/m.exec(docs)?.[1] ?? '';
  expect(fieldsOf(JSON.parse(example))).toEqual(fieldsOf(input));
});

/** The names of all fields in order, nested ones after their parent. */
function fieldsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => [name, ...fieldsOf(one)]);
}

function runner(refreshMs?: number) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const starts: number[] = [];
  const shown: StatusLineOutput[] = [];
  let finish: (output: StatusLineOutput) => void = () => undefined;
  const started = Date.now();
  const made = createStatusRunner(
    {
      padding: 0,
      ...(refreshMs === undefined ? {} : { refreshMs }),
      run: () => {
        starts.push(Date.now() - started);
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
    },
    () => ({}) as never,
    (output) => shown.push(output),
    () => Date.now(),
  );
  const end = async (text: string): Promise<void> => {
    finish({ type: 'text', text });
    await vi.advanceTimersByTimeAsync(0);
  };
  return { made, starts, shown, end, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) };
}

test('runs do not overlap, are at least 300 ms apart, and changes during a run lead to one more', async () => {
  const { made, starts, shown, end, pass } = runner();
  made.wake();
  made.wake();
  await pass(0);
  expect(starts).toEqual([0]);
  made.wake();
  await pass(1000);
  expect(starts).toEqual([0]);
  await end('one');
  await pass(0);
  expect(starts).toEqual([0, 1000]);
  await end('two');
  made.wake();
  await pass(RUN_EVERY_MS - 1);
  expect(starts).toHaveLength(2);
  await pass(1);
  expect(starts).toEqual([0, 1000, 1000 + RUN_EVERY_MS]);
  expect(shown).toEqual([
    { type: 'text', text: 'one' },
    { type: 'text', text: 'two' },
  ]);
});

test('no timer runs unless configured, and nothing is shown after the end', async () => {
  const { made, starts, end, shown, pass } = runner();
  await pass(100_000);
  expect(starts).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  made.wake();
  await pass(0);
  made.dispose();
  await end('late');
  expect(shown).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test('with refreshMs, it runs at that interval', async () => {
  const { made, starts, end, pass } = runner(5000);
  await pass(5500);
  await end('a');
  await pass(5000);
  expect(starts).toHaveLength(2);
  made.dispose();
  expect(vi.getTimerCount()).toBe(0);
});
