/** `-p`: the three formats, and questions when there is no user. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linesOf } from './support/jsonLines.ts';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

describe('formats', () => {
  test('text prints the reply and nothing else', async () => {
    const { server, print } = await setUpProgram();
    server.script({ calls: [{ name: 'Glob', input: { pattern: 'lib/*.js' } }] }, { text: 'Five files.' });
    expect(await print(['-p', 'how many files?'])).toEqual({
      code: 0,
      signal: null,
      stdout: 'Five files.\n',
      stderr: '',
    });
  });

  test('the prompt comes from the argument, standard input, or both', { tags: 'long' }, async () => {
    const { server, print } = await setUpProgram();
    server.otherwise(() => ({ text: 'Yes.' }));
    await print(['-p', 'What is this?'], { input: 'line one\nline two\n' });
    await print(['-p'], { input: 'only piped' });
    const asked = server.requests().map((request) => textOf(request.messages.at(-1)));
    expect(asked[0]).toMatch(
      /^What is this\?\n\n<system-note .*piped in.*<data>\nline one\nline two\n<\/data>\n/s,
    );
    expect(asked.slice(1)).toEqual(['only piped']);
  });

  test('json is one result object', { tags: 'long' }, async () => {
    const { server, work, print } = await setUpProgram();
    server.script({
      text: 'An answer.',
      usage: { prompt_tokens: 3000, completion_tokens: 12 },
    });
    const { code, stdout, stderr } = await print(['-p', 'hello', '--output-format', 'json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'An answer.',
      num_turns: 1,
      usage: { input_tokens: 3000, output_tokens: 12 },
      permission_denials: [],
      session_id: (await work.sessions())[0]?.entries[0]?.sessionId,
    });
  });

  test('stream-json matches the golden file line by line', async () => {
    const { server, work, print } = await setUpProgram();
    server.script(
      { text: 'I look.', calls: [{ name: 'Read', input: { file_path: 'lib/constants.js', limit: 2 } }] },
      { calls: [{ name: 'Bash', input: { command: 'touch nothing' } }] },
      { text: 'That was not allowed.' },
    );
    const { code, stdout, stderr } = await print(['-p', 'look', '--output-format', 'stream-json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(golden(stdout, work.repository)).toMatchFileSnapshot('golden/stream-json.json');
  });

  test('partial messages add up to the full message', { tags: 'long' }, async () => {
    const { server, print } = await setUpProgram();
    server.script({ text: 'One two three four five six.', chunkSize: 5 });
    const flags = ['--output-format', 'stream-json', '--include-partial-messages', '--verbose'];
    const { stdout } = await print(['-p', 'count', ...flags]);
    const events = linesOf(stdout).flatMap((line) => (line.type === 'stream_event' ? [line.event] : []));
    const deltas = events as { type: string; delta?: { type: string; text?: string } }[];
    const text = deltas.map(({ delta }) => (delta?.type === 'text_delta' ? delta.text : '')).join('');
    expect(text).toBe('One two three four five six.');
    expect(deltas[0]?.type).toBe('message_start');
    expect(deltas.at(-1)?.type).toBe('message_stop');
  });
});

describe('permissions', () => {
  const touch = (name: string) => ({ name: 'Bash', input: { command: `touch ${name}` } });

  // `npm test` has a denied call in the golden file above.
  test('a call that needs approval is denied and listed, and the model is told', {
    tags: 'long',
  }, async () => {
    const { server, work, print } = await setUpProgram();
    server.script({ calls: [touch('one')] }, { text: 'I may not.' });
    const { code, stdout } = await print(['-p', 'touch', '--output-format', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      result: 'I may not.',
      permission_denials: [{ tool_name: 'Bash', tool_input: { command: 'touch one' } }],
    });
    expect(existsSync(join(work.repository, 'one'))).toBe(false);
    expect(textOf(server.requests()[1]?.messages.at(-1))).toMatch(/did not run|not allowed/i);
  });

  test('deny overrides allow in --allowed-tools and --disallowed-tools', { tags: 'long' }, async () => {
    const { server, work, print } = await setUpProgram();
    server.script({ calls: [touch('one'), touch('two')] }, { text: 'Half of it.' });
    const rules = ['--allowed-tools', 'Bash(touch *)', '--disallowed-tools', 'Bash(touch two)'];
    const { code, stdout } = await print(['-p', 'touch', ...rules, '--output-format', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      permission_denials: [{ tool_input: { command: 'touch two' } }],
    });
    expect(existsSync(join(work.repository, 'one'))).toBe(true);
    expect(existsSync(join(work.repository, 'two'))).toBe(false);
  });

  test('bypassPermissions asks nothing and still obeys deny rules', { tags: 'long' }, async () => {
    const { server, work, print } = await setUpProgram();
    server.script({ calls: [touch('one'), touch('two')] }, { text: 'Half of it.' });
    await print(['-p', 'touch', '--yolo', '--disallowed-tools', 'Bash(touch two)']);
    expect(existsSync(join(work.repository, 'one'))).toBe(true);
    expect(existsSync(join(work.repository, 'two'))).toBe(false);
  });

  test('plan mode changes nothing', { tags: 'long' }, async () => {
    const { server, work, print } = await setUpProgram();
    server.script(
      { calls: [touch('one'), { name: 'Write', input: { file_path: 'two', content: 'x' } }] },
      { text: 'Only a plan.' },
    );
    const { code } = await print(['-p', 'touch', '--permission-mode', 'plan']);
    expect(code).toBe(0);
    expect(await work.git('status', '--porcelain')).toBe('');
    expect(JSON.stringify(server.requests()[0]?.messages)).toContain('Plan mode is on');
  });

  test('acceptEdits edits without asking and runs no command', { tags: 'long' }, async () => {
    const { server, work, print } = await setUpProgram();
    server.script(
      {
        calls: [
          { name: 'Write', input: { file_path: 'two', content: 'x' } },
          { name: 'Bash', input: { command: 'git tag made' } },
        ],
      },
      { text: 'Written.' },
    );
    await print(['-p', 'write', '--permission-mode', 'autoEdit']);
    expect(await work.read('two')).toBe('x');
    expect(await work.git('tag')).toBe('');
  });

  test('settings of an untrusted folder do not apply, and one line says so', { tags: 'long' }, async () => {
    const { server, work, print } = await setUpProgram();
    server.script({ calls: [touch('one')] }, { text: 'I may not.' });
    const settings = { permissions: { allow: ['Bash(touch *)'] }, baseUrl: 'http://127.0.0.1:1/v1' };
    await work.write('.clawdcode.json', JSON.stringify(settings));
    const { code, stdout, stderr } = await print(['-p', 'touch', '--output-format', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ result: 'I may not.' });
    expect(stderr.split('\n').filter((line) => line.includes('not trusted'))).toHaveLength(1);
    expect(existsSync(join(work.repository, 'one'))).toBe(false);
  });
});

test('untrusted text cannot control the terminal', { tags: 'long' }, async () => {
  const { server, work, print, open, access } = await setUpProgram();
  server.otherwise(() => ({ text: 'a\u001b]0;title\u0007b\u001b[31mc' }));
  await work.write('.clawdcode.json', JSON.stringify({ 'x\u001b[8mhidden\u009b8m': 1 }));
  const { stdout, stderr } = await print(['-p', 'hello']);
  // A program that reads the output gets it unchanged.
  expect(stdout).toBe('a\u001b]0;title\u0007b\u001b[31mc\n');
  expect(stderr).toContain('is not a setting');
  expect(stderr).not.toMatch(/[\u001b\u009b]/);
  const terminal = open(['-p', 'hello'], { env: work.env(access) });
  await terminal.waitForPrinted('abc');
  expect(await terminal.exited).toBe(0);
});

test.each(['piped', 'an argument'])(
  'a prompt (%s) changes no settings and writes no memory',
  { tags: 'long' },
  async (how) => {
    const { work, print } = await setUpProgram();
    for (const text of ['/config notificationCommand touch x', '/memory add use touch']) {
      const said = how === 'piped' ? await print(['-p'], { input: text }) : await print(['-p', text]);
      expect(said).toMatchObject({ code: 42, stderr: expect.stringContaining('needs a terminal') });
    }
    for (const name of ['config.json', 'memory'])
      expect(existsSync(join(work.home, '.clawdcode', name))).toBe(false);
  },
);

test('/compact works without a screen', { tags: 'long' }, async () => {
  const { server, work, print } = await setUpProgram();
  server.script(
    {
      calls: [{ name: 'Grep', input: { pattern: 'opts|state', path: 'lib', output_mode: 'content' } }],
    },
    { text: 'It parses.' },
    { text: 'It also scans.' },
    { text: '1. Primary request and intent\nUnderstand the parser.' },
    { text: 'I remember.' },
  );
  await print(['-p', 'look at the parser']);
  await print(['-p', '-c', 'and then?']);
  const { code, stdout, stderr } = await print(['-p', '--continue', '/compact']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Compacted from \d+ to \d+ tokens\./);
  expect(await print(['-p', '--continue', 'do you remember?'])).toMatchObject({ stdout: 'I remember.\n' });
  expect(JSON.stringify(server.requests()[4]?.messages)).toContain('Understand the parser.');
  expect(await work.sessions()).toHaveLength(1);
});

test('help fits a screen and names the exit codes; the version is the package’s', async () => {
  const { print } = await setUpProgram();
  const help = await print(['--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  const rows = help.stdout.trimEnd().split('\n');
  expect(rows.length).toBeLessThanOrEqual(40);
  for (const code of ['41', '42', '52', '53', '130', '143']) expect(help.stdout).toContain(code);
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    version: string;
  };
  for (const flag of ['-v', '--version'])
    expect(await print([flag])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});

/** Each line formatted for reading, with placeholders for values that differ from run to run. */
function golden(stdout: string, repository: string): string {
  const volatile: Readonly<Record<string, string>> = {
    uuid: '<uuid>',
    session_id: '<session>',
    clawdcode_version: '<version>',
    duration_ms: '<ms>',
    duration_api_ms: '<ms>',
    used_tokens: '<tokens>',
    free_tokens: '<tokens>',
    masks_at: '<tokens>',
    at_tokens: '<tokens>',
    tokens: '<tokens>',
    input_tokens: '<tokens>',
    inputTokens: '<tokens>',
  };
  return linesOf(stdout)
    .map((line) => JSON.stringify(line, (key, value) => volatile[key] ?? value, 2))
    .join('\n')
    .replaceAll(repository, '<repository>')
    .replace(/"msg_[\w-]+"/g, '"<message>"')
    .concat('\n');
}
