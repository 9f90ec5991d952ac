import { expect, test } from 'vitest';
import { type ChoiceField, type FormField, numberIn, problemWith } from '../../src/protocol/forms.ts';

type TextField = Extract<FormField, { readonly type: 'text' }>;

const text = (more: Partial<TextField>): TextField => ({
  type: 'text',
  header: 'A',
  question: 'A?',
  holds: 'text',
  ...more,
});

test.each<[Partial<TextField>, string, boolean]>([
  [{}, 'anything', true],
  [{ minLength: 3 }, 'ab', false],
  [{ maxLength: 2 }, '👍👍', true],
  [{ maxLength: 2 }, 'abc', false],
  [{ holds: 'number' }, '1.5', true],
  [{ holds: 'number' }, 'one', false],
  [{ holds: 'number' }, '', true],
  [{ holds: 'number', isRequired: true }, '', false],
  [{ holds: 'integer' }, '1.5', false],
  [{ holds: 'integer' }, '-3', true],
  [{ holds: 'integer', minimum: 18 }, '17', false],
  [{ holds: 'integer', maximum: 18 }, '19', false],
  [{ format: 'email' }, 'a@b.c', true],
  [{ format: 'email' }, 'a b', false],
  [{ format: 'uri' }, 'https://example.com', true],
  [{ format: 'uri' }, 'example', false],
  [{ format: 'date' }, '2026-02-28', true],
  [{ format: 'date' }, '2026-02-30', false],
  [{ format: 'date' }, '2026-13-01', false],
  [{ format: 'date-time' }, '2026-11-23T09:30:00Z', true],
  [{ format: 'date-time' }, '2026-11-23T09:30:00+01:00', true],
  [{ format: 'date-time' }, '2026-11-23', false],
])('%j accepts %j: %s', (field, typed, isTaken) => {
  const answer = { chosen: [], ...(typed !== '' && { text: typed }) };
  expect(problemWith(text(field), answer) === undefined).toBe(isTaken);
});

test('a choice also has limits', () => {
  const options = ['a', 'b', 'c'].map((label) => ({ label }));
  const head = {
    type: 'choice',
    header: 'A',
    question: 'A?',
    isMultiple: true,
    hasOwnAnswer: false,
  } as const;
  const field: ChoiceField = { ...head, options, minChosen: 2, maxChosen: 2 };
  expect(problemWith(field, { chosen: [] })).toBeUndefined();
  expect(problemWith({ ...field, isRequired: true }, { chosen: [] })).toBe('An answer is needed.');
  expect(problemWith(field, { chosen: [1] })).toBe('Choose at least 2.');
  expect(problemWith(field, { chosen: [0, 1, 2] })).toBe('Choose at most 2.');
  expect(problemWith(field, { chosen: [0, 1] })).toBeUndefined();
});

test.each([
  ['12', 12],
  [' -0.5 ', -0.5],
  ['1e3', 1000],
  ['1,5', undefined],
  ['0x10', undefined],
  ['1e999', undefined],
  ['', undefined],
])('the number in %j is %s', (typed, value) => {
  expect(numberIn(typed)).toBe(value);
});
