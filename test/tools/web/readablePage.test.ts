import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pageType } from '../../../src/tools/web/fetchPage.ts';
import { decodePage, plainPage, readablePage } from '../../../src/tools/web/readablePage.ts';
import { convertPage } from '../../../src/tools/web/readWebPage.ts';

const last = (html: string) => [...readablePage(html, 'https://example.com/docs/page')].at(-1);
const body = (html: string): string => last(`<html><body>${html}</body></html>`)?.text ?? '';

describe('a page becomes Markdown', () => {
  test.each([
    ['headings', '<h1>One</h1><h2>Two <a href="#two">#</a></h2>', '# One\n\n## Two'],
    ['with names unchanged', '<p>a_b * c <code>d_e</code> [x]</p>', 'a_b * c `d_e` [x]'],
    [
      'whole links',
      '<a href="other?x=1">o</a> <a href="/r">r</a>',
      '[o](https://example.com/docs/other?x=1) [r](https://example.com/r)',
    ],
    ['with links inside it as text', '<a href="#part">part</a>', 'part'],
    [
      'without scripts in links',
      '<a href="javascript:alert(1)">x</a> <a href="data:text/html,y">y</a>',
      'x y',
    ],
    [
      'with images that have a description',
      '<img src="a.png" alt="A  graph"><img src="b.png"><img src="data:x" alt="c">',
      '![A graph](https://example.com/docs/a.png)c',
    ],
    [
      'code with its language',
      '<pre><code class="language-ts">let a = 1;\n  b();\n</code></pre>',
      '```ts\nlet a = 1;\n  b();\n```',
    ],
    [
      'code without a code element',
      '<pre class="highlight-source-js"><span>f</span>(<i>x</i>)</pre>',
      '```js\nf(x)\n```',
    ],
    ['with code that contains a fence', '<pre>```\nx\n```</pre>', '````\n```\nx\n```\n````'],
    ['lists', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', '- a\n  - b\n- c'],
    ['numbered lists', '<ol start="3"><li>a<li>b</ol>', '3. a\n4. b'],
    [
      'tables',
      '<table><caption>T</caption><thead><tr><th>a</th><th>b</th></tr></thead><tr><td>1</td><td>x<br>y</td></tr></table>',
      'T\n| a | b |\n| --- | --- |\n| 1 | x y |',
    ],
    [
      'with a layout table as its contents',
      '<table><tr><td><p>one</p></td></tr><tr><td>two</td></tr></table>',
      'one\ntwo',
    ],
    [
      'without hidden parts',
      '<p>seen</p><p hidden>h1</p><p style="color:red; display: none">h2</p><p style="visibility:hidden">h3</p>',
      'seen',
    ],
    [
      'without scripts and forms',
      '<script>a</script><style>b</style><template>c</template><noscript>d</noscript><button>e</button>f',
      'f',
    ],
  ])('%s', (_, html, markdown) => expect(body(html)).toBe(markdown));

  test('with only the article, if there is one, and its title', () => {
    const paragraph =
      '<p>A sentence about parsers, commas, and the patience that they need from everybody.</p>';
    const html = `<html><head><title>Parsers — The Site</title></head><body>
      <nav><ul><li><a href="/1">Menu one</a><li><a href="/2">Menu two</a></ul></nav>
      <article><h1>Parsers</h1>${paragraph.repeat(20)}<pre><code class="language-c">x</code></pre></article>
      <footer>Imprint</footer></body></html>`;
    const page = last(html);
    expect(page?.text).toContain('A sentence about parsers');
    expect(page?.text).toContain('```c\nx\n```');
    expect(page?.text).not.toMatch(/Menu one|Imprint/);
    expect(page?.title).toMatch(/^Parsers/);
  });

  test('in full if the article is only a teaser', () => {
    const links = Array.from(
      { length: 60 },
      (_, index) => `<li><a href="/${index}">Chapter ${index}</a></li>`,
    );
    const page = last(
      `<html><title>Contents</title><body><p>Short.</p><ul>${links.join('')}</ul></body></html>`,
    );
    expect(page?.text).toContain('- [Chapter 59](https://example.com/59)');
    expect(page?.title).toBe('Contents');
  });

  test('with links relative to its base', () =>
    expect(last('<html><head><base href="/b/"></head><body><a href="c">d</a></body></html>')?.text).toBe(
      '[d](https://example.com/b/c)',
    ));
});

describe('a page’s plain text', () => {
  test.each([
    [
      '<title>T &amp; t</title><p>a&nbsp;b&#x41;<br>c</p><script>if (a<b) "</p>"</script>d',
      'T & t',
      'a bA\nc\nd',
    ],
    ['<svg><title>no</title></svg><title>yes</title><td>1<td>2', 'yes', '1 2'],
    ['a < b, 1<2 and <', '', 'a < b, 1<2 and <'],
    ['', '', ''],
    ['<body', '', ''],
    ['&#xd800;&#x110000;', '', '\uFFFD\uFFFD'],
  ])('%s', (html, title, text) => expect(plainPage(html)).toMatchObject({ title, text }));

  test('counts nesting levels, but not elements that need no closing tag', () => {
    expect(plainPage('<div>'.repeat(5000)).depth).toBe(5000);
    expect(plainPage('<ul>'.concat('<li>x'.repeat(5000))).depth).toBe(1);
    expect(plainPage('<p>x<br>'.repeat(5000))).toMatchObject({ depth: 0, elements: 10_000 });
  });
});

test('any page can be read, is well-formed, and its title stays on one line', () => {
  const tag = fc.constantFrom(
    'div',
    'p',
    'table',
    'tr',
    'td',
    'li',
    'ol',
    'ul',
    'pre',
    'a',
    'b',
    'h1',
    'body',
    'html',
    'svg',
    'script',
    'title',
    'frameset',
  );
  const piece = fc.oneof(
    tag.map((name) => `<${name}>`),
    tag.map((name) => `</${name}>`),
    fc.constantFrom(
      'text',
      ' ',
      '\n',
      '<',
      '&',
      '&#xd800;',
      '<!--',
      '-->',
      '<![CDATA[',
      '<a href="http://[">',
      '|',
      '```',
      '\ud800',
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      for (const { title } of readablePage(pieces.join('').toWellFormed(), 'https://example.com/'))
        expect(title).not.toContain('\n');
    }),
    { numRuns: 300 },
  );
});

test.each([
  ['text/html; charset=UTF-8', 'html', 'UTF-8'],
  ['application/xhtml+xml', 'html', undefined],
  ['text/plain', 'text', undefined],
  ['text/markdown; charset="iso-8859-1"', 'text', 'iso-8859-1'],
  ['application/json', 'text', undefined],
  ['application/vnd.api+json', 'text', undefined],
  ['application/rss+xml', 'text', undefined],
  ['image/svg+xml', 'text', undefined],
  ['image/png', 'unsupported', undefined],
  ['application/pdf', 'unsupported', undefined],
  ['application/octet-stream', 'unknown', undefined],
  ['nonsense', 'unknown', undefined],
  [undefined, 'unknown', undefined],
])('content type %s is %s', (header, form, charset) => {
  const type = pageType(header);
  expect([type.form, type.charset]).toEqual([form, charset]);
});

describe('a page is decoded by', () => {
  const bytes = (...values: number[]) => new Uint8Array(values);
  const ascii = (text: string, ...values: number[]) => new Uint8Array([...Buffer.from(text), ...values]);
  test.each([
    ['its header', bytes(0xe9), 'iso-8859-1', 'é'],
    ['its header, for Japanese', bytes(0x93, 0xfa), 'shift_jis', '日'],
    ['its byte order mark, whatever the header says', bytes(0xff, 0xfe, 0x41, 0), 'utf-8', 'A'],
    [
      'its own word',
      ascii('<meta charset="windows-1251">', 0xe9),
      undefined,
      '<meta charset="windows-1251">й',
    ],
    [
      'its own content type',
      ascii('<meta content="text/html; charset=koi8-r">', 0xc1),
      'bogus',
      '<meta content="text/html; charset=koi8-r">а',
    ],
    ['the only possible encoding', Buffer.from('日本'), undefined, '日本'],
    [
      'the only possible encoding, even if its end is missing',
      Buffer.from('日本').subarray(0, 5),
      undefined,
      '日\uFFFD',
    ],
    ['the likely encoding', bytes(0xe9, 0x20), undefined, 'é '],
  ])('%s', (_, data, charset, text) => expect(decodePage(data, charset, true)).toBe(text));
});

test.each([
  ['deep', '<div>'.repeat(1001)],
  ['large', '<p>x'.repeat(400_001)],
])('a page that is too %s is not parsed into a tree', (_, html) => {
  expect([...readablePage(`${html}end`, 'https://example.com/')]).toMatchObject([{ rough: true }]);
});

describe('the reader thread', () => {
  // As long as it takes: another test covers the limit.
  const convert = (html: string, signal = new AbortController().signal, budgetMs = 150_000) =>
    convertPage(
      {
        bytes: new TextEncoder().encode(html),
        charset: undefined,
        form: 'html',
        address: 'https://example.com/',
      },
      signal,
      budgetMs,
    );

  test.each([
    ['deeper than any stack', `${'<div>'.repeat(100_000)}deep`],
    ['deeper than an article', `${'<div>'.repeat(900)}deep`],
    ['without a body', '<frameset>deep'],
  ])('returns the text of a page that is %s', { tags: 'long' }, async (_, html) =>
    expect(await convert(`<html>${html}`)).toMatchObject({ type: 'page', text: 'deep' }),
  );

  test('returns the plain text of a page with very many parts', { tags: 'long' }, async () => {
    const page = await convert(`<html><body>${'<p>x'.repeat(500_000)}`);
    expect(page).toMatchObject({ type: 'page', rough: true });
  });

  test('ends at the timeout, and when the page is no longer needed', async () => {
    expect(await convert('<p>x', undefined, 0)).toMatchObject({ type: 'failed' });
    expect(await convert('<p>x', AbortSignal.abort())).toMatchObject({ type: 'failed' });
  });

  test('leaves out invisible and unprintable characters', { tags: 'long' }, async () =>
    expect(await convert('<p>a\u001b[31mb\u{e0041}c\u0000d')).toMatchObject({ text: 'a[31mbcd' }),
  );
});
