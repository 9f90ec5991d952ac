import { expect, test } from 'vitest';
import { changedGrants, changedPart } from '../../src/config/changedParts.ts';

const long = 'a'.repeat(2000);

test('a change in the middle of a long text is shown with its surroundings', () => {
  expect(changedPart(`${long}true${long}`, `${long}touch /tmp/x${long}`)).toBe(
    `…${'a'.repeat(59)}t[was: rue] [now: ouch /tmp/x]${'a'.repeat(60)}…`,
  );
  expect(changedPart('npm test', 'npm test; id')).toBe('npm test[was: ] [now: ; id]');
  expect(changedPart('one', 'other thing')).toBeUndefined();
});

test('a grant is compared with those of its kind and file', () => {
  const grant = { kind: 'hooks', source: 'f', text: `${long}true${long}` };
  const now = { ...grant, text: `${long}false${long}` };
  expect(changedGrants([{ ...grant, source: 'g' }, grant], [now])).toEqual([
    expect.stringMatching(/^f: hooks: …a+\[was: tru\] \[now: fals\]ea+…$/),
  ]);
  expect(changedGrants([{ ...grant, kind: 'env' }], [now])).toEqual([]);
});
