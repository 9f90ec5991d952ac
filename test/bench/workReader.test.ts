import { describe, expect, test } from 'vitest';
import type { Need } from '../../bench/context/workTraces/plan.ts';
import { judge } from '../../bench/context/workTraces/reader.ts';
import { type Shown, textOf } from '../../bench/context/workTraces/render.ts';
import { WorkClock } from '../../bench/context/workTraces/WorkClock.ts';

const need: Need = {
  kind: 'old text',
  text: 'const limit = 30;\nconst rest = 4;',
  earlier: ['const limit = 20;\nconst rest = 4;'],
  signs: ['src/limits.ts'],
  source: { type: 'file', path: 'src/limits.ts' },
  uses: '',
  guess: '',
  distance: 1,
};
const said = (text: string): Shown => ({ isPrompt: false, text });
const asked = (text: string): Shown => ({ isPrompt: true, text });
const [now, before] = [said(`a\n${need.text}\nb`), said(`a\n${need.earlier[0]}\nb`)];

describe('what a request shows of something that a step needs', () => {
  test.each([
    ['shown', 'the text itself', [now]],
    ['shown', 'the text, and later what stood there before', [now, before]],
    ['forgotten', 'nothing', [said('something else')]],
    ['forgotten', 'half of the text', [said('const limit = 30;')]],
    ['missing', 'the name of the file', [said('#12 Read src/limits.ts')]],
    ['missing', 'the name of the file, in a prompt', [asked('Look at src/limits.ts.')]],
    ['stale', 'what stood there before', [before]],
    ['stale', 'what stood there before, the name above it', [said('src/limits.ts'), before]],
    ['stale', 'what stood there before, then a prompt with the name', [before, asked('src/limits.ts')]],
    ['missing', 'what stood there before, then an edit of the file', [before, said('Edited src/limits.ts')]],
  ] as const)('%s: %s', (judgement, _title, request) => {
    expect(judge(need, request)).toBe(judgement);
  });

  test('a text is found in a numbered result and in the arguments of an edit', () => {
    const content = '     7\tconst limit = 30;\n     8\tconst rest = 4;';
    const result = { role: 'tool', toolCallId: 'a', name: 'Read', content, isError: false } as const;
    expect(judge(need, [said(textOf(result))])).toBe('shown');
    const edit = { id: 'a', name: 'Edit', arguments: JSON.stringify({ new_string: need.text }) };
    const reply = { role: 'assistant', content: '', toolCalls: [edit] } as const;
    expect(judge(need, [said(textOf(reply))])).toBe('shown');
  });
});

describe('the duration of a work trace', () => {
  const signal = new AbortController().signal;

  test('a background summary delays nothing', async () => {
    const clock = new WorkClock();
    let isWritten = false;
    void clock.sleep(90, signal).then(() => {
      isWritten = true;
    });
    await clock.run(new Promise((resolve) => setImmediate(resolve)));
    await clock.pass(1);
    expect({ isWritten, waits: clock.waits }).toEqual({ isWritten: false, waits: [] });
    await clock.pass(1);
    expect({ isWritten, minute: clock.minute, waits: clock.waits }).toEqual({
      isWritten: true,
      minute: 2,
      waits: [],
    });
  });

  test('work that requires a summary makes the user wait', async () => {
    const clock = new WorkClock();
    const draft = clock.sleep(90, signal);
    await clock.pass(0.5);
    await clock.run(draft);
    expect(clock.minute).toBeCloseTo(1.5);
    expect(clock.waits).toEqual([60]);
  });

  test('a summary that is no longer needed resolves at once', async () => {
    const clock = new WorkClock();
    const abort = new AbortController();
    const draft = clock.sleep(90, abort.signal);
    abort.abort();
    await clock.run(draft);
    expect(clock.minute).toBe(0);
  });
});
