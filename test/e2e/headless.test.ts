/** `-p`: the three formats, every exit code, and who answers when nobody is there. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive } from './support/processes.ts';
import { type Stage, setStage } from './support/stage.ts';
import { expectPairedCalls, textOf } from './support/wire.ts';

type Line = Record<string, unknown> & { type: string };

const story = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');
const slow = { latency: 60, chunkSize: 6 } as const;

describe('formats', () => {
  test('text prints the answer and nothing else', async () => {
    const { server, print } = await setStage();
    server.script({ calls: [{ name: 'Glob', input: { pattern: 'lib/*.js' } }] }, { text: 'Five files.' });
    expect(await print(['-p', 'how many files?'])).toEqual({
      code: 0,
      signal: null,
      stdout: 'Five files.\n',
      stderr: '',
    });
  });

  test('the prompt, standard input, or both', async () => {
    const { server, print } = await setStage();
    server.otherwise(() => ({ text: 'Yes.' }));
    await print(['-p', 'What is this?'], { input: 'line one\nline two\n' });
    await print(['-p'], { input: 'only piped' });
    const asked = server.requests().map((request) => textOf(request.messages.at(-1)));
    expect(asked).toEqual(['What is this?\n\nline one\nline two', 'only piped']);
  });

  test('json is one result object', async () => {
    const { server, work, print } = await setStage();
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

  test('stream-json is the golden file, line by line', async () => {
    const { server, work, print } = await setStage();
    server.script(
      { text: 'I look.', calls: [{ name: 'Read', input: { file_path: 'lib/constants.js', limit: 2 } }] },
      { calls: [{ name: 'Bash', input: { command: 'touch nothing' } }] },
      { text: 'That was not allowed.' },
    );
    const { code, stdout, stderr } = await print(['-p', 'look', '--output-format', 'stream-json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(golden(stdout, work.repository)).toMatchFileSnapshot('golden/stream-json.json');
  });

  test('partial messages add up to the whole', async () => {
    const { server, print } = await setStage();
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

describe('exit codes', () => {
  test('1: the turn failed; nothing on standard output, the reason on standard error', async () => {
    const { server, print } = await setStage();
    server.script({ error: { status: 400, message: 'I do not like it' } });
    const printed = await print(['-p', 'hello']);
    expect(printed).toMatchObject({ code: 1, stdout: '' });
    expect(printed.stderr).toContain('I do not like it');
  });

  test('1, in json, is a result too', async () => {
    const { server, print } = await setStage();
    server.script({ error: { status: 400, message: 'I do not like it' } });
    const { code, stdout } = await print(['-p', 'hello', '--output-format', 'json']);
    expect(code).toBe(1);
    const result = JSON.parse(stdout) as { errors: string[] };
    expect(result).toMatchObject({ subtype: 'error_during_execution', is_error: true });
    expect(result.errors.join()).toContain('I do not like it');
    expect(result).not.toHaveProperty('result');
  });

  test('41: no key, or one that is refused', async () => {
    const { server, work, print } = await setStage();
    const without = await print(['-p', 'hello'], { env: work.env() });
    expect(without).toMatchObject({ code: 41, stdout: '' });
    expect(without.stderr).toContain('OPENAI_API_KEY');
    server.script({ error: { status: 401, message: 'Incorrect API key provided' } });
    expect(await print(['-p', 'hello'])).toMatchObject({ code: 41, stdout: '' });
  });

  test.each([
    { why: 'no prompt', args: ['-p'] },
    { why: 'an option that does not exist', args: ['-p', '--no-such-option', 'hello'] },
    { why: 'a mode that does not exist', args: ['-p', '--permission-mode', 'wild', 'hello'] },
    { why: 'nothing to continue', args: ['-p', '--continue', 'hello'] },
    { why: 'a session that does not exist', args: ['-p', '--resume', 'nosuchid', 'hello'] },
    { why: 'a command that does not exist', args: ['-p', '/contxt'] },
    { why: 'no terminal and no -p', args: ['hello'] },
  ])('42: $why', async ({ args }) => {
    const { server, print } = await setStage();
    const printed = await print(args);
    expect(printed).toMatchObject({ code: 42, stdout: '' });
    expect(printed.stderr).not.toBe('');
    expect(server.requests()).toEqual([]);
  });

  test('52: a flag whose value makes no sense', async () => {
    const { print } = await setStage();
    const printed = await print(['-p', '--base-url', 'nowhere', 'hello']);
    expect(printed).toMatchObject({ code: 52, stdout: '' });
    expect(printed.stderr).toContain('--base-url');
  });

  test('53: the limit of steps, with valid pairs left behind', async () => {
    const { server, print } = await setStage();
    server.otherwise(() => ({ calls: [{ name: 'Glob', input: { pattern: `*${Math.random()}` } }] }));
    const { code, stdout } = await print(['-p', 'go', '--max-turns', '2', '--output-format', 'json']);
    expect(code).toBe(53);
    expect(JSON.parse(stdout)).toMatchObject({ subtype: 'error_max_turns', num_turns: 2, is_error: true });
    expect(server.requests()).toHaveLength(2);
    await print(['-p', '--continue', 'and?', '--max-turns', '1']);
    const last = server.requests()[2];
    if (last === undefined) throw new Error('no request');
    expectPairedCalls(last);
  });

  test('1: a model that goes in circles is told first, and then the turn is ended', async () => {
    const { server, print } = await setStage();
    server.otherwise(() => ({ calls: [{ name: 'Glob', input: { pattern: '*.js' } }] }));
    const { code, stdout } = await print(['-p', 'go', '--output-format', 'json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ is_error: true, num_turns: 4 });
    const requests = server.requests();
    expect(requests).toHaveLength(4);
    expect(JSON.stringify(requests[2]?.messages)).not.toContain('3 times in a row');
    expect(textOf(requests[3]?.messages.at(-1))).toContain('3 times in a row');
  });

  test.each([
    { signal: 'SIGINT', code: 130 },
    { signal: 'SIGTERM', code: 143 },
  ] as const)(
    '$code: $signal ends the command that runs, and the session goes on',
    async ({ signal, code }) => {
      const stage = await setStage();
      const { server, work } = stage;
      const command = 'sleep 300 & echo $! > child.pid; wait';
      server.script({ text: 'Wait.', calls: [{ name: 'Bash', input: { command } }] }, { text: 'On we go.' });
      const running = stage.startPrint(['-p', 'wait', '--yolo']);
      const child = await pidIn(join(work.repository, 'child.pid'));
      running.kill(signal);
      const ended = await running.ended;
      expect(exitCode(ended)).toBe(code);
      expect(ended.stdout).toBe('');
      await gone(child);
      expect(await stage.print(['-p', '--continue', 'well?'])).toMatchObject({
        code: 0,
        stdout: 'On we go.\n',
      });
      const last = server.requests()[1];
      if (last === undefined) throw new Error('no request');
      expectPairedCalls(last);
    },
  );

  test('130: what had arrived of a reply is kept', async () => {
    const stage = await setStage();
    stage.server.script({ text: story, ...slow });
    const running = stage.startPrint(['-p', 'a story', '--output-format', 'stream-json']);
    await stage.server.waitForRequests(1);
    await new Promise((done) => setTimeout(done, 800));
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(exitCode(ended)).toBe(130);
    expect(linesOf(ended.stdout).at(-1)).toMatchObject({ type: 'result', is_error: true });
    const entries = (await stage.work.sessions())[0]?.entries ?? [];
    const reply = entries.find((entry) => entry.type === 'assistant')?.message;
    expect(reply).toMatchObject({ interrupted: true });
    expect(String(reply?.content)).toMatch(/^word0/);
  });
});

describe('permissions', () => {
  const touch = (name: string) => ({ name: 'Bash', input: { command: `touch ${name}` } });

  test('what nobody can be asked about is refused, told to the model, and listed', async () => {
    const { server, work, print } = await setStage();
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

  test('--allowed-tools and --disallowed-tools: deny beats allow', async () => {
    const { server, work, print } = await setStage();
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

  test('bypassPermissions asks nothing and still heeds deny rules', async () => {
    const { server, work, print } = await setStage();
    server.script({ calls: [touch('one'), touch('two')] }, { text: 'Half of it.' });
    await print(['-p', 'touch', '--yolo', '--disallowed-tools', 'Bash(touch two)']);
    expect(existsSync(join(work.repository, 'one'))).toBe(true);
    expect(existsSync(join(work.repository, 'two'))).toBe(false);
  });

  test('plan mode changes nothing', async () => {
    const { server, work, print } = await setStage();
    server.script(
      { calls: [touch('one'), { name: 'Write', input: { file_path: 'two', content: 'x' } }] },
      { text: 'Only a plan.' },
    );
    const { code } = await print(['-p', 'touch', '--permission-mode', 'plan']);
    expect(code).toBe(0);
    expect(await work.git('status', '--porcelain')).toBe('');
    expect(JSON.stringify(server.requests()[0]?.messages)).toContain('Plan mode is on');
  });

  test('acceptEdits edits without asking and runs no command', async () => {
    const { server, work, print } = await setStage();
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

  test('an untrusted folder has no say: one line tells so', async () => {
    const { server, work, print } = await setStage();
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

test('/compact works without a screen', async () => {
  const { server, work, print } = await setStage();
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

test('help fits a screen and names the exit codes; the version is that of the package', async () => {
  const { print } = await setStage();
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

function linesOf(stdout: string): Line[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Each line spread out to be read; what differs from run to run is replaced by a word. */
function golden(stdout: string, repository: string): string {
  const volatile: Readonly<Record<string, string>> = {
    uuid: '<uuid>',
    session_id: '<session>',
    clawdcode_version: '<version>',
    duration_ms: '<ms>',
    duration_api_ms: '<ms>',
    used_tokens: '<tokens>',
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

/** As a shell reports it: a program that a signal ended counts as 128 and the signal's number. */
function exitCode({ code, signal }: Awaited<ReturnType<Stage['print']>>): number | null {
  if (signal === 'SIGINT') return 130;
  return signal === 'SIGTERM' ? 143 : code;
}

async function pidIn(file: string): Promise<number> {
  for (const deadline = Date.now() + 15_000; Date.now() < deadline; ) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.endsWith('\n')) return Number(text);
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`${file} was never written`);
}

async function gone(pid: number): Promise<void> {
  const deadline = Date.now() + 3000;
  while (isAlive(pid) && Date.now() < deadline) await new Promise((done) => setTimeout(done, 20));
  expect(isAlive(pid)).toBe(false);
}
