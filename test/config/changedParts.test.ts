import { expect, test } from 'vitest';
import { changedGrants } from '../../src/config/changedParts.ts';

const long = 'a'.repeat(2000);

test('a change in the middle of a long text is shown with its surroundings', () => {
  const changed = (before: string, now: string): readonly string[] => {
    const grant = { kind: 'hooks', source: 'f' };
    return changedGrants([{ ...grant, text: before }], [{ ...grant, text: now }]);
  };
  expect(changed(`${long}true${long}`, `${long}touch /tmp/x${long}`)).toEqual([
    `f: hooks: …${'a'.repeat(59)}t[was: rue] [now: ouch /tmp/x]${'a'.repeat(60)}…`,
  ]);
  expect(changed(`${long} npm test`, `${long} npm test; id`)).toEqual([
    `f: hooks: …${'a'.repeat(51)} npm test[was: ] [now: ; id]`,
  ]);
  expect(changed('one', `other ${long}`)).toEqual([]);
});

test('a grant is compared with those of its kind and file', () => {
  const grant = { kind: 'hooks', source: 'f', text: `${long}true${long}` };
  const now = { ...grant, text: `${long}false${long}` };
  expect(changedGrants([{ ...grant, source: 'g' }, grant], [now])).toEqual([
    expect.stringMatching(/^f: hooks: …a+\[was: tru\] \[now: fals\]ea+…$/),
  ]);
  expect(changedGrants([{ ...grant, kind: 'env' }], [now])).toEqual([]);
});
