import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redact } from '../../src/redact/redact.ts';
import { redactDeep } from '../../src/redact/redactDeep.ts';
import { kindCount, syntheticSecrets } from './syntheticSecrets.ts';

const token = `ghp_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`;

test('the same secret gets the same mark, another another', () => {
  const [first, again, other] = redact(`${token} ${token} ${token.replace('a', 'z')}`).split(/(?<=\]) /);
  expect(first).toBe(again);
  expect(other).not.toBe(first);
});

test('what was redacted is not redacted again', () => {
  for (const { text } of syntheticSecrets(kindCount, 'again')) {
    const once = redact(text);
    expect(redact(once)).toBe(once);
  }
});

test('text without secrets stays as it is, to the character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
      expect(redact(text)).toBe(text);
    }),
  );
});

test('every replacement is reported', () => {
  const marks: string[] = [];
  const text = redact(`a ${token} b ${token}`, { onRedacted: (mark) => marks.push(mark) });
  expect(marks).toHaveLength(2);
  for (const mark of marks) expect(text).toContain(mark);
});

test('in a value every string is redacted, names of fields too, and nothing else changes', () => {
  const value = { list: [1, token, { deep: `x ${token}` }], [token]: null, flag: true };
  expect(JSON.stringify(redactDeep(value))).not.toContain(token);
  expect(redactDeep(value)).toMatchObject({
    list: [1, expect.stringMatching(/^\[redacted/), {}],
    flag: true,
  });
});

test('a value without secrets is handed back, not copied', () => {
  const value = { a: [1, { b: 'c' }] };
  expect(redactDeep(value)).toBe(value);
});

test('the name of a field can tell that its value is a password', () => {
  expect(redactDeep({ dbPassword: 'hT7#kq2Lm9x' })).toEqual({
    dbPassword: expect.stringMatching(/^\[redacted/),
  });
  expect(redactDeep({ password: 'the user’s own', api_key: 'your-key' })).toEqual({
    password: 'the user’s own',
    api_key: 'your-key',
  });
});

test('JSON text stays JSON', () => {
  for (const { text } of syntheticSecrets(kindCount, 'json')) {
    expect(() => JSON.parse(redact(JSON.stringify({ text: `\n${text}\n` })))).not.toThrow();
  }
});

test('pictures are left alone, what only calls itself one is not', () => {
  const image = { type: 'image', mediaType: 'image/png', data: `${'iVBORw0KGgo'.repeat(9)}=` };
  expect(redactDeep({ content: [image] })).toEqual({ content: [image] });
  const other = { type: 'image', data: `see ${token}`, password: 'hT7#kq2Lm9x' };
  expect(JSON.stringify(redactDeep(other))).not.toMatch(/ghp_|hT7/);
});
