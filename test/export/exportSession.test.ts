import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { Marked } from 'marked';
import { expect, test } from 'vitest';
import { exportSession } from '../../src/export/exportSession.ts';
import { exportFormats } from '../../src/export/types.ts';
import type { PathChange } from '../../src/protocol/checkpoints.ts';
import type { JSONLEntry, NewEntry } from '../../src/protocol/entries.ts';
import { madeUpNewEntry } from '../madeUpEntry.ts';
import { kindCount, syntheticSecrets } from '../redact/syntheticSecrets.ts';
import { ended, entriesOf, exported, meta, prompt, reply, result, use } from './session.ts';

const talk: readonly NewEntry[] = [
  prompt('Why does `login` fail?'),
  reply('I look at it.', 'Perhaps the clock.'),
  use('c1', 'Read', { path: 'src/login.ts' }),
  use('c2', 'Grep', { pattern: 'token' }),
  result('c2', '3 matches', { title: 'Grep token', summary: '3 matches' }),
  result('c1', '1  const a = "x";\n```\nfence\n```', { title: 'src/login.ts', summary: '4 lines' }),
  reply(
    '## Cause\n\nThe clock is **late**: `now()` — see [docs](https://host.io/a).\n\n```ts\nconst a = 1;\n```',
  ),
  ended,
  prompt('修正してください\n\nمرحبا'),
  reply('Done.'),
  use('c3', 'Edit', { path: 'a.ts' }),
  result('c3', 'ok', { title: 'Edit a.ts', diff: '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-old\n+new' }),
];

test('JSONL exports the entries unchanged', async () => {
  const text = await exported(talk, { format: 'jsonl' });
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(entriesOf(talk));
});

test('JSON is one object with turns, each call with its result', async () => {
  const whole = JSON.parse(await exported(talk, { format: 'json' }));
  expect(whole).toMatchObject({
    format: 'clawdcode-export',
    session: { title: 'Fix the login', sessionId: 's1', project: '/srv/app' },
    totals: { turns: 2, calls: 3 },
  });
  expect(whole.turns.map((turn: { number: number; prompt?: string }) => [turn.number, turn.prompt])).toEqual([
    [0, undefined],
    [1, 'Why does `login` fail?'],
    [2, '修正してください\n\nمرحبا'],
  ]);
  expect(
    whole.turns[1].items.map((item: { type: string; title?: string }) => item.title ?? item.type),
  ).toEqual(['reply', 'Grep token', 'src/login.ts', 'reply', 'end']);
});

test('Markdown folds calls, and no fence inside ends one', async () => {
  const text = await exported(talk, { format: 'md' });
  const html = String(new Marked().parse(text));
  const { document } = parseHTML(`<html><body>${html}</body></html>`);
  expect([...document.querySelectorAll('h2')].map((one) => one.textContent)).toEqual([
    '1. Why does `login` fail?',
    'Cause',
    '2. 修正してください',
  ]);
  expect(document.querySelectorAll('details')).toHaveLength(4);
  expect(
    [...document.querySelectorAll('pre code')].some((one) => one.textContent?.includes('```\nfence\n```')),
  ).toBe(true);
});

test('the page is self-contained: no script, nothing external, and a strict policy', async () => {
  const { document } = parseHTML(await exported(talk, { format: 'html' }));
  expect(document.querySelectorAll('script, link, iframe, object, embed, form, base, svg')).toHaveLength(0);
  expect(document.querySelector('meta[http-equiv]')?.getAttribute('content')).toMatch(
    /^default-src 'none'; img-src data:; style-src 'sha256-[A-Za-z0-9+/=]{44}'/,
  );
  const style = document.querySelector('style')?.textContent ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(document.querySelector('meta[http-equiv]')?.getAttribute('content')).toContain(`'sha256-${hash}'`);
  for (const element of document.querySelectorAll('*'))
    for (const { name } of element.attributes) expect(name).not.toMatch(/^on|^style$/);
});

test('a removed line that looks like the name of a file is shown and counted as removed', async () => {
  const diff = '--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n select 1;\n--- old comment\n+++ x\n';
  const entries = [prompt('Tidy'), use('c1', 'Edit', { path: 'q.sql' })];
  const edited = [...entries, result('c1', 'ok', { title: 'q.sql', diff })];
  const { document } = parseHTML(await exported(edited, { format: 'html' }));
  const texts = (selector: string): string[] =>
    [...document.querySelectorAll(selector)].map(({ textContent }) => textContent ?? '');
  expect(texts('.diff .del')).toEqual(['--- old comment']);
  expect(texts('.diff .add')).toEqual(['+++ x']);
  expect(texts('.diff .at')).toContain('--- a/q.sql');
  expect(texts('summary .plus, summary .minus')).toEqual(['+1', '−1']);
});

test('the page has an anchor for each turn and a table of contents for all of them', async () => {
  const { document } = parseHTML(await exported(talk, { format: 'html' }));
  const links = [...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href'));
  expect(links).toEqual(['#turn-1', '#turn-2']);
  for (const link of links) expect(document.querySelector(String(link))).not.toBeNull();
  expect(document.querySelectorAll('main details')).toHaveLength(4);
  expect(document.querySelector('.diff .add')?.textContent).toBe('+new');
  expect(document.querySelector('.reply strong')?.textContent).toBe('late');
  expect(document.querySelector('.reply pre .k')?.textContent).toBe('const');
});

const attacks = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</pre></details></main><iframe src="https://evil.io"></iframe>',
  '[x](javascript:alert(1)) ![i](https://evil.io/p.png) <a href="javascript:x">y</a>',
  '[x](data:text/html;base64,PHNjcmlwdD4=) <javascript:alert(1)> [a]: javascript:x',
  '```html\n</code></pre><script>alert(1)</script>\n```',
  '`</code><script>alert(1)</script>`',
  '| a |\n|---|\n| <script>x</script> |',
  '<!--<style>*{display:none}</style>-->',
  '&lt;script&gt;',
  '\u001b]0;title\u0007\u001b[31mred\u202eesrever\ud800\u0000',
  '- [x] <b onclick=x>b</b>\n\n# <h1>t</h1>\n\n> <q>',
  '<details open><summary>x</summary>',
];

test('no message becomes markup on the page', { tags: 'long' }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...attacks), { minLength: 1, maxLength: 3 }), async (parts) => {
      const bad = parts.join('\n');
      const drafts = [
        prompt([
          { type: 'text', text: bad },
          { type: 'image', mediaType: bad, data: bad },
        ]),
        reply(bad, bad),
        use('c1', bad, { [bad]: bad }),
        result('c1', bad, { title: bad, summary: bad, diff: `+${bad}` }),
        {
          type: 'user',
          subtype: 'shell',
          message: { role: 'user', content: bad },
          data: { command: bad, outputAt: 0 },
        },
        { type: 'system', subtype: 'mode', message: { role: 'system', content: bad }, data: { mode: bad } },
        { ...ended, data: { outcome: bad, steps: 1 } },
      ] satisfies NewEntry[];
      const html = await exported(drafts, {
        format: 'html',
        meta: { ...meta, title: bad, sessionId: bad, project: bad },
      });
      const { document } = parseHTML(html);
      expect(document.querySelectorAll('script, iframe, svg, object, form, img, b[onclick], q')).toHaveLength(
        0,
      );
      expect(document.querySelectorAll('style')).toHaveLength(1);
      expect(document.querySelectorAll('main')).toHaveLength(1);
      for (const link of document.querySelectorAll('a'))
        expect(link.getAttribute('href')).toMatch(/^(?:#|https?:|mailto:)/);
      expect(html.isWellFormed()).toBe(true);
      expect(/[\u0000-\u0008\u001b\u202e]/.test(html)).toBe(false);
      for (const format of ['md', 'json'] as const) {
        const text = await exported(drafts, { format });
        expect(text.includes('\u001b')).toBe(false);
        if (format === 'json') expect(JSON.parse(text).turns).toHaveLength(2);
      }
    }),
    { numRuns: 40 },
  );
});

test.each(['md', 'html'] as const)(
  '%s hides no characters, and marks look-alikes in commands',
  async (format) => {
    const hidden = 'a\u200bb\u{e0041}c\ufe0fd\u2060e\u00ade\u202ef';
    const drafts = [
      prompt(`do ${hidden}`),
      reply(`said ${hidden}`),
      use('c1', 'Bash', { command: 'p\u0430ypal \u200b', [hidden]: hidden }),
      result('c1', hidden, { title: 'p\u0430ypal \u200b', summary: hidden }),
      {
        type: 'user',
        subtype: 'shell',
        message: { role: 'user', content: `$ p\u0430ypal\n\n${hidden}` },
        data: { command: 'p\u0430ypal', outputAt: 10 },
      },
      ended,
    ] satisfies NewEntry[];
    const text = await exported(drafts, { format, meta: { ...meta, title: hidden } });
    expect(text).not.toMatch(/\u200b|\u{e0041}|\ufe0f|\u2060|\u00ad|\u202e/u);
    expect(text).toContain('said a‹U+200B›b‹U+E0041›c‹U+FE0F›d‹U+2060›e‹U+00AD›e‹U+202E›f');
    // In titles, inputs and commands.
    expect(text.match(/p‹U\+0430 like a›ypal/g)?.length).toBeGreaterThanOrEqual(4);
    // Ordinary text is unchanged.
    const plain = '日本語 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 naïve « oui\u00a0» فارسی‌ها क्‍ष ❤️ 1️⃣';
    expect(await exported([prompt(plain), reply(plain), ended], { format })).toContain(plain);
  },
);

test('the text that the reader sees is the original text', async () => {
  const text = 'a < b && c > "d" \'e\' &amp; &lt;b&gt; © é 値 😀';
  const { document } = parseHTML(await exported([prompt(text), reply(text)], { format: 'html' }));
  expect(document.querySelector('.prompt')?.textContent).toBe(text);
  // In Markdown an entity stands for its character.
  expect(document.querySelector('.reply')?.textContent?.trim()).toBe(
    'a < b && c > "d" \'e\' & <b> © é 値 😀',
  );
});

test('images in a prompt are on the page, other data is not', async () => {
  const image = (mediaType: string) => ({ type: 'image', mediaType, data: 'iVBORw0KGgo=' });
  const { document } = parseHTML(
    await exported([prompt([image('image/png'), image('image/svg+xml')])], { format: 'html' }),
  );
  expect([...document.querySelectorAll('img')].map((img) => img.getAttribute('src'))).toEqual([
    'data:image/png;base64,iVBORw0KGgo=',
  ]);
});

test.each(exportFormats)('without outputs and reasoning, %s contains neither', async (format) => {
  const drafts = [
    prompt('p'),
    reply('said', 'thought'),
    use('c1', 'Read', {}),
    result('c1', 'answered', { title: 'R' }),
  ];
  const all = await exported(drafts, { format });
  expect(all).toContain('thought');
  expect(all).toContain('answered');
  const less = await exported(drafts, { format, toolOutputs: false, reasoning: false });
  expect(less).toContain('said');
  expect(less).not.toContain('thought');
  expect(less).not.toContain('answered');
});

test.each(exportFormats)(
  '%s contains none of two hundred secrets from all parts of a session',
  { tags: 'long' },
  async (format) => {
    const secrets = syntheticSecrets(200, 'export');
    const drafts = secrets.flatMap(({ text }, index): NewEntry[] => [
      prompt(`Use this: ${text}`),
      reply(`You said:\n\n${text}\n`, `Hm, ${text}`),
      use(`c${index}`, 'Bash', { command: `echo '${text}'` }),
      result(`c${index}`, `out\n${text}\n`, { title: `echo ${text}`, summary: text, diff: `+${text}` }),
      { type: 'user', message: { role: 'user', content: `Summary: ${text}` }, isCompactSummary: true },
    ]);
    let marks = 0;
    const own = ['my-very-own-key'];
    const text = await exported([...drafts, prompt('my-very-own-key')], {
      format,
      own,
      onRedacted: () => marks++,
      meta: { ...meta, title: secrets[0]?.text ?? '' },
    });
    for (const { secret } of secrets) expect(text).not.toContain(secret);
    expect(text).not.toContain(own[0]);
    expect(marks).toBeGreaterThan(200 * 5);
    expect(kindCount).toBeGreaterThan(100);
  },
);

test('secrets are included only on request', async () => {
  const [one] = syntheticSecrets(1, 'asked');
  const text = await exported([prompt(one?.text ?? '')], { format: 'jsonl', redact: false });
  expect(text).toContain(one?.secret);
});

test('a changed entry loses its checksum, an unchanged one keeps it', async () => {
  const [one] = syntheticSecrets(1, 'crc');
  const lines = (await exported([prompt('plain'), prompt(one?.text ?? '')], { format: 'jsonl' }))
    .trim()
    .split('\n');
  expect(lines.map((line) => 'crc' in JSON.parse(line))).toEqual([true, false]);
});

test('a long session is written while it is being read', { tags: 'long' }, async () => {
  let read = 0;
  let written = 0;
  async function* entries(): AsyncGenerator<JSONLEntry> {
    const drafts = [
      prompt('again'),
      reply('yes'),
      use('c', 'Read', {}),
      result('c', 'x'.repeat(10_000), { title: 'R' }),
      ended,
    ];
    const some = entriesOf(drafts);
    for (let index = 0; index < 500; index++) {
      for (const entry of some) {
        read++;
        yield entry;
      }
      // Everything read before has been written by now, except for one step that waits.
      expect(written).toBeGreaterThan((index - 1) * 10_000);
    }
  }
  for await (const piece of exportSession(entries(), { format: 'html', meta })) written += piece.length;
  expect(read).toBe(2500);
});

test('a rewind of files only is not described as a rewind of the conversation', async () => {
  const went = (content: string): NewEntry => ({
    type: 'system',
    subtype: 'rewind',
    message: { role: 'system', content },
    data: { scope: 'files' },
  });
  const text = await exported([prompt('One'), reply('Done.'), went('The files are as before “One”')], {
    format: 'md',
  });
  expect(text).toContain('The files are as before “One”');
  expect(text).not.toContain('no longer part of the conversation');
});

test('changes are counted as what they are: files and folders', async () => {
  const file = { type: 'file', mode: 0o644, bytes: 1 } as const;
  const folder = { type: 'folder', mode: 0o755 } as const;
  const changed = (...changes: PathChange[]): NewEntry => ({
    type: 'system',
    subtype: 'checkpoint',
    message: { role: 'system', content: '' },
    data: { cause: 'call', changes },
  });
  const text = await exported(
    [
      prompt('One'),
      changed({ path: '/a', before: file, after: file }, { path: '/d', after: folder }),
      changed({ path: '/e', before: folder }, { path: '/f', before: folder }),
      changed({ path: '/d', before: folder, after: file }),
    ],
    { format: 'json' },
  );
  const [, turn] = JSON.parse(text).turns;
  expect(turn.items.map((item: { text: string }) => item.text)).toEqual([
    '1 file and 1 folder changed.',
    '2 folders changed.',
    '1 file changed.',
  ]);
});

test('an image shown to the model by a tool is named', async () => {
  const shown: NewEntry = {
    type: 'user',
    subtype: 'image',
    message: { role: 'user', content: [{ type: 'text', text: 'The image /p/a.png:' }] },
    data: { path: '/p/a.png' },
  };
  const markdown = await exported([prompt('Look'), reply('So.'), shown], { format: 'md' });
  expect(markdown).toContain('Image shown to the model: /p/a.png');
});

test('a reply with endlessly nested quotes, or with only markup, is still rendered', async () => {
  const talk = [prompt('Look'), reply('>'.repeat(50_000)), reply('_a'.repeat(20_000))];
  const { document } = parseHTML(await exported(talk, { format: 'html' }));
  expect(document.querySelectorAll('blockquote').length).toBe(30);
  expect(document.body.textContent).toContain('_a'.repeat(20_000));
});

test('notices appear as on screen, in full, and without parts meant for the screen only', async () => {
  const by = (subtype: string, content: string, data: object): NewEntry =>
    madeUpNewEntry({ type: 'system', subtype, message: { role: 'system', content }, data });
  const text = await exported(
    [
      prompt('One'),
      by('mode', 'You plan.', { mode: 'plan' }),
      by('instructions', 'Use tabs.', { path: '/srv/app/lib/AGENTS.md', hash: 'h' }),
      by('reduction', '', { kind: 'drop', reason: '', removed: ['u0'], preTokens: 9000, postTokens: 8000 }),
      by('pin', '', { uuid: 'u0', pinned: true }),
      by('telepathy', 'of tomorrow', { any: 1 }),
      by('notice', 'For the reader.', {}),
    ],
    { format: 'json' },
  );
  const [, turn] = JSON.parse(text).turns;
  expect(turn.items).toEqual([
    { type: 'note', kind: 'mode', text: 'Mode: plan', seq: 1 },
    { type: 'note', kind: 'instructions', text: 'Instructions: lib/AGENTS.md', body: 'Use tabs.', seq: 2 },
    { type: 'note', kind: 'reduction', text: 'Left out 1 item as you asked (9k → 8k tokens)', seq: 3 },
  ]);
});

test('JSONL keeps unknown kinds and fields', async () => {
  const message = { role: 'system', content: '' } as const;
  const drafts = [
    madeUpNewEntry({
      type: 'system',
      subtype: 'telepathy',
      message,
      data: { original: 7, any: [{ of: 'all' }] },
    }),
    madeUpNewEntry({ type: 'system', subtype: 'pin', message, data: { uuid: 'u', later: { of: 'pin' } } }),
  ];
  const lines = (await exported(drafts, { format: 'jsonl' })).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).data)).toEqual(drafts.map(({ data }) => data));
});
