import { describe, expect, test } from 'vitest';
import { listValue, readFrontMatter, switchValue, textValue } from '../../src/extensions/frontMatter.ts';

describe('readFrontMatter', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['# Title\n---\nx', {}, '# Title\n---\nx'],
    ['---\nname: a\n---\nbody\n', { name: 'a' }, 'body\n'],
    ['\uFEFF---\r\nname: a\r\n---\r\nbody', { name: 'a' }, 'body'],
    ['---\n---\nbody', {}, 'body'],
    ['---\nname: a\nno end', {}, '---\nname: a\nno end'],
    ['---\ndescription: >\n  two\n  lines\n---\n', { description: 'two lines\n' }, ''],
    // A colon that YAML does not allow.
    ['---\nname: a\ndescription: Use it: always\n---\nb', { name: 'a', description: 'Use it: always' }, 'b'],
    ['---\n- a\n- b\n---\nbody', {}, 'body'],
  ])('%j', async (text, values, body) => {
    expect(await readFrontMatter(text)).toEqual({ values, body });
  });

  test('aliases do not expand without limit', async () => {
    const bomb = `---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\nbody`;
    const { values, body } = await readFrontMatter(bomb);
    expect({ c: values.c, body }).toEqual({ c: '[*b, *b]', body: 'body' });
  });

  test('a map in a list, which cannot be written as text, does not stop the program', async () => {
    const { values } = await readFrontMatter('---\nargument-hint: [{ toString: a }, issue]\n---\nbody');
    expect(textValue(values['argument-hint'])).toBe('[issue]');
    expect(listValue(values['argument-hint'])).toEqual(['issue']);
  });

  // Read as YAML, the quotes would be gone.
  test.each([
    ['a thousand brackets', `x: [${'[],'.repeat(1000)}]`],
    ['a thousand levels', `x:\n  ${'- '.repeat(1000)}a`],
    ['a thousand lines', 'x:\n'.padEnd(1000, '\n')],
  ])('%s are read line by line', async (_, yaml) => {
    const { values } = await readFrontMatter(`---\nname: "a"\n${yaml}\n---\nbody`);
    expect(values.name).toBe('"a"');
  });

  test('front matter that is too long is text', async () => {
    const text = `---\nname: ${'x'.repeat(30_000)}\n---\nbody`;
    expect(await readFrontMatter(text)).toEqual({ values: {}, body: text });
  });
});

test.each<[unknown, readonly string[]]>([
  [
    'Bash(git add:*), Bash(git commit -m "a, b"), Read',
    ['Bash(git add:*)', 'Bash(git commit -m "a, b")', 'Read'],
  ],
  ['Read Grep', ['Read', 'Grep']],
  [
    ['Read', ' Bash(npm test) '],
    ['Read', 'Bash(npm test)'],
  ],
  [undefined, []],
])('listValue(%j)', (value, list) => {
  expect(listValue(value)).toEqual(list);
});

test('values have the expected types', () => {
  expect(textValue(['issue'])).toBe('[issue]');
  expect(textValue(' a\n b ')).toBe('a b');
  expect(textValue('')).toBeUndefined();
  expect([switchValue('true'), switchValue(false), switchValue('perhaps')]).toEqual([true, false, undefined]);
});
