import { afterEach, expect, test } from 'vitest';
import { localDay, localIso, localTime } from '../../../src/protocol/text/localTime.ts';

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

test.each([
  ['UTC', '2026-11-21T23:03:07+00:00'],
  ['Europe/Berlin', '2026-11-22T00:03:07+01:00'],
  ['Asia/Kolkata', '2026-11-22T04:33:07+05:30'],
  ['America/St_Johns', '2026-11-21T19:33:07-03:30'],
])('a time in %s has the local clock and its offset', (name, expected) => {
  process.env.TZ = name;
  const date = new Date('2026-11-21T23:03:07.890Z');
  expect(localIso(date)).toBe(expected);
  expect([localDay(date), localTime(date)]).toEqual([expected.slice(0, 10), expected.slice(11, 16)]);
});
