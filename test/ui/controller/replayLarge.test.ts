import { expect, test } from 'vitest';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { replay } from '../../../src/ui/controller/replay.ts';
import { madeUpEntry } from '../../madeUpEntry.ts';

const entry = (seq: number, subtype = 'prompt'): JSONLEntry =>
  madeUpEntry({ seq, uuid: `e${seq}`, subtype, message: { role: 'user', content: `prompt ${seq}` } });

test('prints only the contiguous end of a large session again, not parts of its beginning that are still in use', () => {
  const entries = [entry(0, 'session_start'), entry(0, 'past'), entry(1), entry(900), entry(901), entry(902)];
  const [first, ...rest] = replay(entries);
  expect(first).toMatchObject({ type: 'notice', text: expect.stringContaining('900 earlier entries') });
  expect(rest.slice(0, -1).map((print) => (print.type === 'entry' ? print.entry.seq : print))).toEqual([
    900, 901, 902,
  ]);
});
