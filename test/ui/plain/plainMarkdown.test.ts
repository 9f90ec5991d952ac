import { expect, test } from 'vitest';
import { loadPlainMarkdown } from '../../../src/ui/plain/plainMarkdown.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';

const render = await loadPlainMarkdown();

test.each([
  ['# Title\n\nText.', 'Heading: Title\n\nText.'],
  ['**bold** and *soft* and `code`', 'bold and soft and `code`'],
  ['[here](https://example.org)', 'here (https://example.org)'],
  ['- one\n- two\n  - three', '- one\n- two\n  - three'],
  ['3. c\n4. d', '3. c\n4. d'],
  ['- [x] made\n- [ ] left', '- done: made\n- open: left'],
  ['```ts\nconst a = 1;\n\nb();\n```', 'Code, ts:\nconst a = 1;\n\nb();\nEnd of code.'],
  ['> said', 'Quote:\nsaid\nEnd of quote.'],
  ['| a | b |\n|---|---|\n| 1 | 2 |\n| 3 |  |', 'Table, 2 rows.\nRow 1. a: 1; b: 2.\nRow 2. a: 3; b: .'],
  ['one\n\n---\n\ntwo', 'one\n\ntwo'],
  ['漢字 and שלום and 👍🏽', '漢字 and שלום and 👍🏽'],
])('%j is read as %j', (markdown, words) => {
  expect(render(markdown, { width: 80, theme: chooseTheme('dark', { noColor: true }) })).toBe(words);
});
