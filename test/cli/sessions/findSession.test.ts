import { expect, test } from 'vitest';
import { findSession } from '../../../src/cli/sessions/locateTarget.ts';
import { record } from '../sessionCommand/records.ts';

const here = [
  record({ id: 'abc123', title: 'Fix the login' }),
  record({ id: 'abd456', title: 'Tidy up' }),
  record({ id: 'xyz', title: 'abc123' }),
  record({ id: 'twin1', title: 'Twins' }),
  record({ id: 'twin2', title: 'twins ' }),
];
const elsewhere = [
  record({ id: 'abc999', title: 'Far away', project: 'other' }),
  record({ id: 'q1', title: 'Tidy up', project: 'other' }),
];
const all = [...here, ...elsewhere];

test.each([
  ['abc123', 'abc123', 'an id beats a title'],
  ['abc1', 'abc123', 'the beginning of an id'],
  ['abc', 'abc123', 'of this project before others'],
  ['abc9', 'abc999', 'of another project'],
  ['fix the LOGIN', 'abc123', 'a title in any case'],
  ['Tidy up', 'abd456', 'a title of this project before the same of another'],
  [' Far away ', 'abc999', 'a title of another project'],
])('%j is %s: %s', (given, id) => {
  expect(findSession(all, given, ['here'])).toMatchObject({ type: 'found', session: { id } });
});

test.each([
  ['ab', ['abc123', 'abd456']],
  ['Twins', ['twin1', 'twin2']],
])('%j is ambiguous', (given, ids) => {
  const found = findSession(all, given, ['here']);
  expect(found.type === 'several' && found.sessions.map(({ id }) => id)).toEqual(ids);
});

test.each(['', '  ', 'nothing', 'Fix the', '../abc123'])('%j matches nothing', (given) => {
  expect(findSession(all, given, ['here'])).toEqual({ type: 'none' });
});
