/**
 * WebFetch in the installed program: what asks, what is rejected, and what the model gets to read.
 *
 * @module-tag long
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { page, redirect, servePages } from '../tools/web/pageServer.ts';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

async function withPages() {
  const setup = await setUpProgram();
  const pages = await servePages({
    '/guide': page(
      'text/html',
      '<title>Guide</title><nav hidden>x</nav><h2>Install</h2><pre><code class="language-sh">make all</code></pre>',
    ),
    '/moved': redirect('http://elsewhere.example/guide'),
  });
  onTestFinished(() => pages.close());
  const allowPrivate = async (): Promise<void> => {
    await mkdir(setup.work.data, { recursive: true });
    await writeFile(join(setup.work.data, 'config.json'), '{ "webFetch": { "allowPrivate": true } }');
  };
  const call = (path: string) => ({ name: 'WebFetch', input: { url: `${pages.origin}${path}` } });
  const result = (): string => textOf(setup.server.requests().at(-1)?.messages.at(-1));
  return { ...setup, pages, allowPrivate, call, result };
}

const allowed = ['--allowed-tools', 'WebFetch(domain:127.0.0.1)'];

test('a page allowed by a rule and the setting reaches the model as Markdown', { tags: 'long' }, async () => {
  const { server, print, pages, allowPrivate, call, result } = await withPages();
  await allowPrivate();
  server.script({ calls: [call('/guide')] }, { text: 'Run make all.' });
  expect(await print(['-p', 'how do I install it?', ...allowed])).toMatchObject({
    code: 0,
    stdout: 'Run make all.\n',
    stderr: '',
  });
  expect(result()).toMatch(/^\[From the web: http:\/\/127\.0\.0\.1:\d+\/guide \(text\/html, \d+ bytes\)\./);
  expect(result()).toContain('# Guide\n\n## Install\n\n```sh\nmake all\n```');
  expect(pages.requests.map(({ url }) => url)).toEqual(['/guide']);
});

test('a redirect to another host is reported to the model and not followed', { tags: 'long' }, async () => {
  const { server, print, allowPrivate, call, result } = await withPages();
  await allowPrivate();
  server.script({ calls: [call('/moved')] }, { text: 'It has moved.' });
  await print(['-p', 'look', ...allowed]);
  expect(result()).toContain('redirects to http://elsewhere.example/guide, which is another site');
});

test('without the setting, nothing is fetched from this machine, whatever the rules allow', {
  tags: 'long',
}, async () => {
  const { server, print, pages, call, result } = await withPages();
  server.script({ calls: [call('/guide')] }, { text: 'I may not.' });
  await print(['-p', 'look', ...allowed]);
  expect(result()).toContain('webFetch.allowPrivate');
  expect(pages.requests).toEqual([]);
});

test('without a rule nothing is fetched, since approval is impossible', { tags: 'long' }, async () => {
  const { server, print, pages, allowPrivate, call } = await withPages();
  await allowPrivate();
  server.script({ calls: [call('/guide')] }, { text: 'I may not.' });
  const { stdout } = await print([
    '-p',
    'look',
    '--permission-mode',
    'acceptEdits',
    '--output-format',
    'json',
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ permission_denials: [{ tool_name: 'WebFetch' }] });
  expect(pages.requests).toEqual([]);
});

test('the dialog shows the address, and "always" is remembered for the host', {
  tags: 'long',
}, async () => {
  const { server, work, ready, pages, allowPrivate, call } = await withPages();
  await allowPrivate();
  server.script({ calls: [call('/guide')] }, { calls: [call('/guide?again')] }, { text: 'Read twice.' });
  server.script({ calls: [call('/guide?cleared')] }, { text: 'Read after /clear.' });
  const terminal = await ready();
  await terminal.submit('read the guide');
  await terminal.waitFor(`GET ${pages.origin}/guide`);
  await terminal.waitFor("don't ask again for 127.0.0.1");
  // Keys already on their way when the question appeared do not answer it.
  await terminal.answer('2');
  await terminal.waitForPrinted('Read twice.');
  expect(pages.requests.map(({ url }) => url)).toEqual(['/guide', '/guide?again']);
  expect(JSON.parse(await work.read('.clawdcode.local.json'))).toMatchObject({
    permissions: { allow: ['WebFetch(domain:127.0.0.1)'] },
  });
  await terminal.submit('/clear');
  await terminal.waitForPrinted('New session.');
  await terminal.submit('read it again');
  await terminal.waitForPrinted('Read after /clear.');
});
