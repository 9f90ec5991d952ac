/**
 * The published servers `@modelcontextprotocol/server-everything` and `server-filesystem`, driven on the screen; skipped
 * unless both are installed: `npm install -g @modelcontextprotocol/server-everything @modelcontextprotocol/server-filesystem`.
 *
 * @module-tag long
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import type { Terminal } from './support/terminal.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const installed = (program: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));
const everything = installed('mcp-server-everything');
const filesystem = installed('mcp-server-filesystem');

const call = (tool: string, input: object = {}) => ({ name: `mcp__${tool}`, input });
const results = ({ server }: TestProgram): string[] =>
  (server.requests().at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(textOf);

/** Every call is allowed: approvals of MCP tools are tested elsewhere. */
async function started(): Promise<{ setup: TestProgram; terminal: Terminal }> {
  const setup = await setUpProgram();
  const { work } = setup;
  await mkdir(work.data, { recursive: true });
  const mcpServers = {
    all: { command: everything },
    files: { command: filesystem, args: [work.repository] },
  };
  const settings = {
    ...{ mcpServers, permissions: { allow: ['mcp__all', 'mcp__files'] } },
    models: { 'mock-*': { vision: true } },
  };
  await writeFile(join(work.data, 'config.json'), JSON.stringify(settings));
  return { setup, terminal: await setup.ready() };
}

const missing = everything === undefined || filesystem === undefined;

test.skipIf(missing)('tools of every kind, prompts and resources of published servers work', async () => {
  const { setup, terminal } = await started();
  const { server, work } = setup;
  await terminal.submit('/mcp');
  await terminal.waitForPrinted(/all\s+connected, 1\d tools, 4 prompts, 7 resources/);
  await terminal.waitForPrinted(/files\s+connected, 14 tools/);

  server.script(
    {
      calls: [
        call('all__echo', { message: 'hello' }),
        call('all__get-sum', { a: 20, b: 22 }),
        call('all__get-structured-content', { location: 'Chicago' }),
        call('all__get-tiny-image'),
        call('all__get-resource-links', { count: 2 }),
        call('all__get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
        call('all__get-annotated-message', { messageType: 'error', includeImage: true }),
        call('files__write_file', { path: 'from-server.txt', content: 'written' }),
        call('files__read_text_file', { path: 'from-server.txt' }),
        call('files__read_text_file', { path: '/etc/hostname' }),
      ],
    },
    { text: 'All called.' },
  );
  await terminal.submit('call everything');
  await terminal.waitForPrinted('All called.');
  const [echo, sum, structured, image, links, reference, annotated, wrote, read, outside] = results(setup);
  expect([echo, sum]).toEqual(['Echo: hello', expect.stringContaining('42')]);
  expect(JSON.parse(structured ?? '')).toMatchObject({ conditions: expect.anything() });
  expect(image).toContain('An image (PNG');
  expect(links?.match(/\[Resource demo:\/\//g)).toHaveLength(2);
  expect(reference).toContain('[Resource demo://resource/dynamic/text/1]');
  expect(annotated).toContain('An image (PNG');
  expect(JSON.stringify(server.requests().at(-1)).match(/data:image\/png;base64,/g)).toHaveLength(2);
  expect(wrote).toContain('Successfully wrote');
  expect(read).toBe('written');
  expect(outside).toContain('Access denied');
  expect(await readFile(join(work.repository, 'from-server.txt'), 'utf8')).toBe('written');

  server.script({ text: 'Sunny.' });
  await terminal.submit('/mcp__all__args-prompt Paris "Île de France"');
  await terminal.waitForPrinted('Sunny.');
  expect(textOf(server.requests().at(-1)?.messages.at(-1))).toMatch(/weather in Paris, Île de France/);
  server.script({ text: 'I have read it.' });
  await terminal.submit('Look at @all:demo://resource/static/document/features.md please');
  await terminal.waitForPrinted('I have read it.');
  expect(textOf(server.requests().at(-1)?.messages.at(-1))).toContain('# Everything Server');
});

test.skipIf(missing)('progress is shown while a call runs, and Esc cancels it', async () => {
  const { setup, terminal } = await started();
  const long = (duration: number) => ({
    calls: [call('all__trigger-long-running-operation', { duration, steps: 3 })],
  });
  setup.server.script(long(3), { text: 'It took a while.' }, long(600));
  await terminal.submit('be slow');
  await terminal.waitFor('1 of 3');
  await terminal.waitForPrinted('It took a while.');
  expect(results(setup).at(-1)).toContain('Long running operation completed');
  await terminal.submit('be slower');
  await terminal.waitFor('trigger-long-running-operation');
  await terminal.pressUntil(keys.escape, () => /[Ii]nterrupted/.test(terminal.everything()));
  setup.server.script({ calls: [call('all__echo', { message: 'still here' })] }, { text: 'It is.' });
  await terminal.submit('is it there?');
  await terminal.waitForPrinted('It is.');
  expect(results(setup).slice(-2)).toEqual([
    expect.stringContaining('Interrupted by the user before it finished'),
    'Echo: still here',
  ]);
});

test.skipIf(missing)(
  'a form with fields of every kind is filled in, and a page is opened only with consent',
  async () => {
    const { setup, terminal } = await started();
    setup.server.script({ calls: [call('all__trigger-elicitation-request')] }, { text: 'Thank you.' });
    await terminal.submit('let it ask');
    await terminal.waitFor('The MCP server "all" asks');
    const answer = async (question: string, ...strokes: string[]): Promise<void> => {
      await terminal.waitFor(question);
      await terminal.answer(...strokes);
    };
    const typed = (text: string): string[] => [text, keys.enter];
    await answer('Your full, legal name', ...typed('Ada Lovelace'));
    await answer('Agree to the terms', '1');
    await answer('Favorite first line', keys.enter);
    await answer('Your email address', ...typed('nobody'));
    await answer('email', ...typed('@example.com'));
    await answer('Portfolio', ...typed('https://example.com/ada'));
    await answer('Your date of birth', ...typed('1815-12-10'));
    await answer('Your favorite integer', keys.enter);
    await answer('Favorite number', keys.enter);
    await answer('favorite friend', '2');
    await answer('favorite instruments', '2', keys.enter);
    await answer('favorite hero', '3');
    await answer('types of fish', keys.enter);
    await answer('type of pet', '4');
    await answer('Send the answers to all', keys.enter);
    await terminal.waitForPrinted('Thank you.');
    const raw = /Raw result: (\{[\s\S]*\})/.exec(results(setup).at(-1) ?? '')?.[1] ?? '{}';
    expect(JSON.parse(raw)).toEqual({
      action: 'accept',
      content: {
        ...{ name: 'Ada Lovelace', check: true, firstLine: 'It was a dark and stormy night.' },
        ...{ email: 'nobody@example.com', homepage: 'https://example.com/ada', birthdate: '1815-12-10' },
        ...{ integer: 42, number: 3.14, untitledSingleSelectEnum: 'Rachel', legacyTitledEnum: 'pet-4' },
        ...{ untitledMultipleSelectEnum: ['Guitar', 'Piano'], titledSingleSelectEnum: 'hero-3' },
        titledMultipleSelectEnum: ['fish-1'],
      },
    });

    const page = { url: 'https://example.com/log-in', message: 'Log in first.' };
    setup.server.script({ calls: [call('all__trigger-url-elicitation', page)] }, { text: 'As you like.' });
    await terminal.submit('let it send me somewhere');
    await terminal.waitFor('https://example.com/log-in');
    await terminal.pause(300);
    await terminal.press(keys.escape);
    await terminal.waitForPrinted('As you like.');
    expect(results(setup).at(-1)).toMatch(/cancel|declin/i);
  },
);
