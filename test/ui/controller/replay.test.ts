import { expect, test } from 'vitest';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { replay, replayAround } from '../../../src/ui/controller/replay.ts';
import type { Print } from '../../../src/ui/controller/view.ts';
import { madeEntry } from '../sessions/made.ts';

type EntrySource = Parameters<typeof replayAround>[0];

/** A session of turns of ten entries each, of which the source holds the last `held`. */
function source(many: number, held = many): EntrySource {
  const all = Array.from({ length: many }, (_, seq) =>
    seq % 10 === 0
      ? madeEntry(seq, `prompt ${seq}`)
      : madeEntry(seq, `reply ${seq}`, { type: 'assistant', subtype: undefined } as Partial<JSONLEntry>),
  );
  return {
    entries: () => all.slice(-held),
    page: async (beforeSeq, count) => all.slice(Math.max(0, beforeSeq - count), beforeSeq),
  };
}
const told = (prints: readonly Print[]): (string | number)[] =>
  prints.map((print) =>
    print.type === 'entry' ? print.entry.seq : print.type === 'notice' ? print.text : print.type,
  );

test('a resumed session starts at a prompt and says how many entries are above', () => {
  const prints = told(replay(source(200).entries()));
  expect(prints[0]).toBe('140 earlier entries are in the session’s log.');
  expect(prints.slice(1, -1)).toEqual(Array.from({ length: 60 }, (_, index) => 140 + index));
  expect(told(replay(source(3).entries())).slice(0, -1)).toEqual([0, 1, 2]);
});

test('a turn that has no end is marked as cut off', () => {
  const cut = 'This turn was cut off before it ended; what was missing of its reply is lost.';
  const killed = source(3).entries();
  expect(told(replay(killed))).toEqual([0, 1, 2, cut]);
  const end = madeEntry(3, 'done', { type: 'system', subtype: 'turn_end' } as Partial<JSONLEntry>);
  expect(told(replay([...killed, end]))).toEqual([0, 1, 2, 3]);
});

test('a session with only its end in memory is counted in full', () => {
  expect(told(replay(source(5000, 80).entries()))[0]).toBe('4940 earlier entries are in the session’s log.');
});

test('a jump shows the turn around the entry, names it, and says what follows', async () => {
  const prints = told(await replayAround(source(5000, 80), 1234));
  expect(prints.slice(0, 6)).toEqual([
    '1230 earlier entries are in the session’s log.',
    1230,
    1231,
    1232,
    1233,
    'Entry #1234, from your search:',
  ]);
  expect(prints.slice(6, 8)).toEqual([1234, 1235]);
  expect(prints.slice(-2)).toEqual([
    1240,
    '… 3759 later entries follow; the conversation continues at its end.',
  ]);
});

test('a jump to the last entry ends there', async () => {
  const prints = told(await replayAround(source(100), 99));
  expect(prints.slice(-2)).toEqual(['Entry #99, from your search:', 99]);
  expect(prints[0]).toBe('90 earlier entries are in the session’s log.');
});

test('a jump to a lost entry shows the entries around it', async () => {
  const whole = source(100);
  const holey: EntrySource = {
    ...whole,
    page: async (beforeSeq, count) =>
      ((await whole.page?.(beforeSeq, count)) ?? []).filter(({ seq }) => seq !== 55),
  };
  expect(told(await replayAround(holey, 55))).toContain('Entry #55, from your search:');
});
