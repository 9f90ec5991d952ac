import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGrowth, foldLog, LiveLog, liveEntries } from '../../../src/context/history/liveEntries.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { type MadeUpFields, madeUpEntry } from '../../madeUpEntry.ts';

let made = 0;
const note = (fields: MadeUpFields = {}): JSONLEntry =>
  madeUpEntry({
    seq: made,
    uuid: `u${made++}`,
    type: 'system',
    message: { role: 'system', content: '' },
    ...fields,
  });

/** Possible changes of a log from one check to the next. */
const changes = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('grow' as const), by: fc.nat(3) }),
    fc.record({ kind: fc.constantFrom('leave' as const, 'anew' as const), by: fc.nat(6) }),
  ),
  { maxLength: 30 },
);

test('folding as the log grows equals folding the whole, even after its past was evicted', () => {
  fc.assert(
    fc.property(changes, (all) => {
      let log = [note()];
      const follow = foldLog<readonly string[]>([], (uuids, { uuid }) => [...uuids, uuid]);
      for (const { kind, by } of all) {
        if (kind === 'grow') log = [...log, ...Array.from({ length: by }, () => note())];
        else if (kind === 'leave') log = [...log.slice(0, 1), note(), ...log.slice(1 + by)];
        else log = log.map((one) => ({ ...one })).slice(0, 1 + by);
        expect(follow(log)).toEqual(log.map(({ uuid }) => uuid));
      }
    }),
  );
});

test('reads only the new part of a grown log', () => {
  const growth = createGrowth();
  const log = [note(), note(), note()];
  expect(growth.readTo(log)).toBe(0);
  expect(growth.readTo([...log])).toBe(3);
  expect(growth.readTo([...log, note()])).toBe(3);
  expect(growth.readTo(log)).toBe(0);
});

test('the live entries of a growing log equal those of the complete log, with any undo and rewind', () => {
  const kinds = fc.constantFrom('note' as const, 'undo' as const, 'rewind' as const);
  fc.assert(
    fc.property(fc.array(fc.tuple(kinds, fc.nat(20), fc.boolean()), { maxLength: 40 }), (program) => {
      const log = [note()];
      const live = new LiveLog();
      for (const [kind, back, look] of program) {
        const named = log.at(-1 - (back % log.length))?.uuid ?? '';
        const data = kind === 'undo' ? { undoes: [named] } : { to: named };
        log.push(kind === 'note' ? note() : note({ subtype: kind, data }));
        if (!look) continue;
        const { entries, undone } = live.of([...log]);
        expect({ entries, undone }).toEqual(liveEntries(log));
      }
    }),
  );
});
