/**
 * What can go wrong in the first hour, in the installed program: each message says what happened and what to do next,
 * in a line or two, with the right exit code. docs/troubleshooting.md has a row for each.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  always,
  type Certificate,
  certificateFor,
  closedPort,
  dying,
  inTurn,
  refusal,
  reply,
  startServer,
} from './support/faultyServers.ts';
import { program } from './support/program.ts';
import { openTerminal, type Terminal } from './support/terminal.ts';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Run {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  /** A shell line in which "$@" is the program. */
  readonly line?: string;
  /** Ends it as soon as standard error matches this. */
  readonly until?: RegExp;
}

let base = '';
let repository = '';
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'clawdcode-errors-'));
  repository = join(base, 'repository');
  await mkdir(join(repository, '.git'), { recursive: true });
});
afterAll(() => rm(base, { recursive: true, force: true }));

/** Each run has its own home. */
async function run({
  args = ['-p', 'hello'],
  env = {},
  cwd = repository,
  input = '',
  line,
  until,
}: Run): Promise<Ended> {
  const home = env.HOME ?? (await mkdtemp(join(base, 'home-')));
  const command = line === undefined ? [...program()] : ['/bin/sh', '-c', line, 'sh', ...program()];
  const [file = '', ...first] = command;
  const child = spawn(file, [...first, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...env, HOME: home },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (until?.test(stderr) === true) child.kill('SIGKILL');
  });
  child.stdin.on('error', () => undefined).end(input);
  return new Promise((done) => child.on('close', (code) => done({ code, stdout, stderr })));
}

function access(baseUrl: string): Readonly<Record<string, string>> {
  return {
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_KEY: 'sk-test-key',
    OPENAI_MODEL: 'mock-1',
    // An assumed window would be reported as well.
    CLAWDCODE_CONTEXT_WINDOW: '48000',
  };
}

/** Starts the test's own server; returns it with the program's environment. */
async function serve(answer: RequestListener, path = '/v1', certificate?: Certificate) {
  const server = await startServer(answer, certificate);
  onTestFinished(() => server.stop());
  const scheme = certificate === undefined ? 'http' : 'https';
  return { server, env: access(`${scheme}://127.0.0.1:${server.port}${path}`) };
}

/** One or two lines, and not a stack. */
function expectSaid({ stderr }: Ended, ...words: readonly RegExp[]): void {
  for (const word of words) expect(stderr).toMatch(word);
  expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr).not.toContain('sk-test-key');
}

describe('a wrong address', () => {
  test('nothing listens on the port', { tags: 'long' }, async () => {
    const ended = await run({ env: access(`http://127.0.0.1:${await closedPort()}/v1`) });
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expectSaid(ended, /Nothing answers at .*connection refused/, /Start the server, or correct the base URL/);
  });

  test('if the address is invalid, nothing is sent elsewhere', { tags: 'long' }, async () => {
    const ended = await run({ env: access('localhost:11434/v1') });
    expect(ended).toMatchObject({ code: 52, stdout: '' });
    expectSaid(ended, /OPENAI_BASE_URL: "baseUrl" is ignored/, /nothing was sent/);
  });

  test('if the file that may name it cannot be read, the default is not used', {
    tags: 'long',
  }, async () => {
    const home = await mkdtemp(join(base, 'home-'));
    await mkdir(join(home, '.clawdcode'));
    await writeFile(join(home, '.clawdcode/config.json'), '{\n  "baseUrl": "https://llm.corp.example/v1" "m');
    const { OPENAI_BASE_URL: baseUrl = '', ...key } = access(`http://127.0.0.1:${await closedPort()}/v1`);
    const ended = await run({ env: { ...key, HOME: home } });
    expect(ended).toMatchObject({ code: 52, stdout: '' });
    expectSaid(ended, /config\.json:2:44: .*Correct it/, /config\.json may name the endpoint.*--base-url/);
    // One certificate for this run is enough.
    expectSaid(await run({ env: { ...key, OPENAI_BASE_URL: baseUrl, HOME: home } }), /connection refused/);
  });

  test('the /v1 is missing', { tags: 'long' }, async () => {
    const { env, server } = await serve(always(404, '404 page not found'), '');
    const ended = await run({ env });
    expect(ended.code).toBe(1);
    expectSaid(ended, new RegExp(`should it be http://127\\.0\\.0\\.1:${server.port}/v1\\?`));
  });

  test('the server returns a web page', { tags: 'long' }, async () => {
    const { env } = await serve(
      always(200, '<!doctype html><html>Welcome</html>', { 'content-type': 'text/html' }),
    );
    const ended = await run({ env });
    expect(ended.code).toBe(1);
    expectSaid(ended, /does not answer like an OpenAI-compatible API\. Check the base URL/);
    expect(ended.stderr).not.toContain('Welcome');
  });

  test('https to a server that speaks http', { tags: 'long' }, async () => {
    const { server } = await serve(reply('Hi.'));
    const ended = await run({ env: access(`https://127.0.0.1:${server.port}/v1`) });
    expect(ended.code).toBe(1);
    expectSaid(ended, /Check whether the base URL should use http or https/);
  });

  test('the host name is unknown', { tags: 'long' }, async () => {
    const ended = await run({ env: access('http://no-such-host.invalid/v1'), until: /DNS/ });
    expectSaid(ended, /host name in http:\/\/no-such-host\.invalid\/v1 .*\(DNS\)\. Check the network/);
  });

  test('the text is not an address', { tags: 'long' }, async () => {
    const ended = await run({ args: ['-p', '--base-url', 'nowhere', 'hello'] });
    expect(ended.code).toBe(52);
    expectSaid(ended, /--base-url/);
  });
});

describe('the network', { tags: 'long' }, () => {
  test('the proxy does not respond', { tags: 'long' }, async () => {
    const proxy = `http://127.0.0.1:${await closedPort()}`;
    const ended = await run({ env: { ...access('http://llm.invalid/v1'), HTTP_PROXY: proxy } });
    expect(ended.code).toBe(1);
    expectSaid(
      ended,
      /The proxy http:\/\/127\.0\.0\.1:\d+ did not forward the request/,
      /Check HTTPS_PROXY and HTTP_PROXY/,
    );
  });

  test('the proxy requires a password', { tags: 'long' }, async () => {
    const { server } = await serve(always(407, '', { 'proxy-authenticate': 'Basic' }));
    const proxy = `http://127.0.0.1:${server.port}`;
    const ended = await run({ env: { ...access('http://llm.invalid/v1'), HTTP_PROXY: proxy } });
    expect(ended.code).toBe(1);
    expectSaid(ended, /requires a user name and password \(407\)\. Add them to HTTPS_PROXY or HTTP_PROXY/);
  });

  test('the server redirects elsewhere: nothing of the conversation is sent there', {
    tags: 'long',
  }, async () => {
    const elsewhere = await serve(reply('Got it.'));
    const location = `http://localhost:${elsewhere.server.port}/v1/chat/completions`;
    const { env } = await serve(always(307, '', { location }));
    const ended = await run({ env });
    expect(ended.code).toBe(1);
    expectSaid(ended, /redirects to .*The conversation was not sent there/);
    expect(elsewhere.server.paths).toEqual([]);
  });
});

describe('a certificate', { tags: 'long' }, () => {
  const own = (): Certificate | undefined => certificateFor(base, 'IP:127.0.0.1');

  test('is trusted only once NODE_EXTRA_CA_CERTS names it', { tags: 'long' }, async ({ skip }) => {
    const certificate = own();
    if (certificate === undefined) return skip();
    const { env } = await serve(inTurn(reply('Hi.')), '/v1', certificate);
    const ended = await run({ env });
    expect(ended.code).toBe(1);
    expectSaid(ended, /certificate of .* is not trusted\. .*NODE_EXTRA_CA_CERTS/);
    const trusting = await run({ env: { ...env, NODE_EXTRA_CA_CERTS: certificate.file } });
    expect(trusting).toMatchObject({ code: 0, stdout: 'Hi.\n' });
  });

  test('for another host name is reported', { tags: 'long' }, async ({ skip }) => {
    const certificate = certificateFor(base, 'DNS:other.example');
    if (certificate === undefined) return skip();
    const { env } = await serve(reply('Hi.'), '/v1', certificate);
    const ended = await run({ env: { ...env, NODE_EXTRA_CA_CERTS: certificate.file } });
    expect(ended.code).toBe(1);
    expectSaid(ended, /is for another host\. Use the name in the certificate/);
  });

  test('http to a server that speaks https', { tags: 'long' }, async ({ skip }) => {
    const certificate = own();
    if (certificate === undefined) return skip();
    const { server } = await serve(reply('Hi.'), '/v1', certificate);
    const ended = await run({ env: access(`http://127.0.0.1:${server.port}/v1`), until: /\n/ });
    expectSaid(ended, /if the server speaks https, the base URL must start with https/);
  });
});

describe('the key', () => {
  test('no key is set', { tags: 'long' }, async () => {
    const ended = await run({});
    expect(ended).toMatchObject({ code: 41, stdout: '' });
    expectSaid(ended, /No model is set up\. Set OPENAI_API_KEY, or OPENAI_BASE_URL/, /--demo/);
  });

  test('no key is set, and the server requires one', { tags: 'long' }, async () => {
    const { env } = await serve(refusal(401, 'You did not provide an API key.'));
    const { OPENAI_API_KEY: _, ...without } = env;
    const ended = await run({ env: without });
    expect(ended.code).toBe(41);
    expectSaid(ended, /needs an API key, and none is set\. .*Set OPENAI_API_KEY/);
  });

  test('the key is wrong', async () => {
    const { env } = await serve(refusal(401, 'Incorrect API key provided: sk-test-key.'));
    const ended = await run({ env });
    expect(ended.code).toBe(41);
    expectSaid(ended, /rejected the API key\. .*Check the key/);
  });

  test('the account is out of credit', { tags: 'long' }, async () => {
    const { env } = await serve(refusal(429, 'You exceeded your current quota.', 'insufficient_quota'));
    const ended = await run({ env });
    expect(ended.code).toBe(1);
    expectSaid(ended, /no credit or quota left\. .*Check plan and billing/);
  });
});

describe('the model and the server', () => {
  test('the model is unknown: the nearest names are suggested', { tags: 'long' }, async () => {
    const { env } = await serve((request, response) => {
      if (request.url?.endsWith('/models') === true)
        always(200, { data: [{ id: 'large' }, { id: 'mock-12' }] })(request, response);
      else refusal(404, 'The model `mock-1` does not exist', 'model_not_found')(request, response);
    });
    const ended = await run({ env });
    expect(ended.code).toBe(1);
    expectSaid(ended, /The model mock-1 was not found at .*Did you mean "mock-12"\?/);
  });

  test('the model does not support tools: they are described in the prompt instead', {
    tags: 'long',
  }, async () => {
    const { env } = await serve(inTurn(refusal(400, 'gemma does not support tools'), reply('Hi.')));
    const ended = await run({ env });
    expect(ended).toMatchObject({ code: 0, stdout: 'Hi.\n' });
    expectSaid(ended, /does not support tools\. They are described in the prompt instead/);
  });

  test('the model is still loading: the request waits', { tags: 'long' }, async () => {
    const { env } = await serve(inTurn(refusal(503, 'Loading model'), reply('Hi.')));
    const ended = await run({ env });
    expect(ended).toMatchObject({ code: 0, stdout: 'Hi.\n' });
    expectSaid(ended, /is still loading on the server\. .*Retrying in 1 s \(attempt 2 of 10\)/);
  });

  test('the server is overloaded: the request is retried', { tags: 'long' }, async () => {
    const { env } = await serve(inTurn(refusal(503, 'Overloaded'), reply('Hi.')));
    const ended = await run({ env });
    expect(ended).toMatchObject({ code: 0, stdout: 'Hi.\n' });
    expectSaid(ended, /is overloaded\. .*Retrying/);
  });

  test('the server dies during the reply: the request is retried', { tags: 'long' }, async () => {
    const { env } = await serve(inTurn(dying, reply('Hi.')));
    const ended = await run({ env });
    expect(ended).toMatchObject({ code: 0, stdout: 'Hi.\n' });
    expectSaid(ended, /ended early\. .*Retrying/);
  });

  test('a rate limit of minutes is reported, not waited for', { tags: 'long' }, async () => {
    const { env } = await serve(refusal(429, 'Rate limit reached. Please try again in 20m.'));
    const ended = await run({ env });
    expect(ended.code).toBe(1);
    expectSaid(ended, /is rate limiting requests\. .*It asks to wait 20 minutes/);
  });

  test('the server sends nothing at all', { tags: 'long' }, async () => {
    const { env } = await serve(reply(''));
    expectSaid(await run({ env }), /returned an empty reply\. Try again, or choose another model/);
  });

  test('the request is larger than the window that the server reports', { tags: 'long' }, async () => {
    const message = "This model's maximum context length is 512 tokens. However, you requested 9000 tokens.";
    const { env } = await serve(refusal(400, message, 'context_length_exceeded'));
    const ended = await run({ env });
    expect(ended.code).toBe(1);
    expectSaid(ended, /larger than (?:its|the) context window|takes 512/);
  });

  test('the window is too small for the system prompt alone', { tags: 'long' }, async () => {
    const { env, server } = await serve(reply('Hi.'));
    const ended = await run({ env, args: ['-p', '--context-window', '1000', 'hello'] });
    expect(ended.code).toBe(1);
    expectSaid(ended, /window of mock-1 is 1,000\. .*choose a model with a larger window/s);
    expect(server.paths.filter((path) => path.includes('completions'))).toEqual([]);
  });
});

describe('settings and the command line', () => {
  const settings = async (text: string): Promise<string> => {
    const home = await mkdtemp(join(base, 'home-'));
    await mkdir(join(home, '.clawdcode'));
    await writeFile(join(home, '.clawdcode', 'config.json'), text);
    return home;
  };

  test('a broken settings file is reported with line and column', { tags: 'long' }, async () => {
    const { env } = await serve(reply('Hi.'));
    const HOME = await settings('{\n  "model": "x",\n  "theme": dark\n}\n');
    const ended = await run({ env: { ...env, HOME } });
    expect(ended).toMatchObject({ code: 0, stdout: 'Hi.\n' });
    expectSaid(ended, /config\.json:3:12: invalid symbol\. Correct it/);
  });

  test('an unknown setting is reported with the nearest name', { tags: 'long' }, async () => {
    const { env } = await serve(reply('Hi.'));
    const HOME = await settings('{\n  "modle": "x"\n}\n');
    expectSaid(
      await run({ env: { ...env, HOME } }),
      /config\.json:2: "modle" is not a setting\. Did you mean "model"\?/,
    );
  });

  test.each([
    { args: ['--contnue'], says: /unknown option '--contnue'\n\(Did you mean --continue\?\)/ },
    { args: ['docter'], says: /there is no "docter"\. Did you mean "clawdcode doctor"\?/ },
    { args: ['session', 'lst'], says: /Did you mean "clawdcode session list"\?/ },
    { args: ['-p', '/modle'], says: /^clawdcode: Unknown command \/modle\. Did you mean \/model\?/ },
    { args: ['-p', '--resume', 'nosuchid', 'hello'], says: /nosuchid/ },
    { args: [], says: /no prompt given/ },
  ])('$args', { tags: 'long' }, async ({ args, says }) => {
    const ended = await run({ args, env: access('http://127.0.0.1:1/v1') });
    expect(ended).toMatchObject({ code: 42, stdout: '' });
    expectSaid(ended, says);
  });
});

describe('the working directory', { tags: 'long' }, () => {
  test('starting in the home folder or the root warns, and in no other folder', {
    tags: 'long',
  }, async () => {
    const { env } = await serve(reply('Hi.'));
    const home = await mkdtemp(join(base, 'home-'));
    const [atHome, atRoot, elsewhere] = await Promise.all([
      run({ env: { ...env, HOME: home }, cwd: home }),
      run({ env, cwd: '/' }),
      run({ env }),
    ]);
    expectSaid(atHome, /This is your home folder: .*Start clawdcode in a project folder/);
    expectSaid(atRoot, /This is the root folder/);
    expect(elsewhere).toEqual({ code: 0, stdout: 'Hi.\n', stderr: '' });
  });

  test('the working directory is gone', { tags: 'long' }, async () => {
    const gone = await mkdtemp(join(base, 'gone-'));
    const ended = await run({ cwd: gone, line: 'rmdir ../"$(basename "$PWD")"; exec "$@"' });
    expect(ended).toMatchObject({ code: 42, stdout: '' });
    expectSaid(ended, /no longer exists: cd to one that does/);
  });

  test('neither a repository nor git is required', { tags: 'long' }, async () => {
    const { env } = await serve(reply('Hi.'));
    const plain = await mkdtemp(join(base, 'plain-'));
    expect(await run({ env: { ...env, PATH: '/nonexistent' }, cwd: plain })).toEqual({
      code: 0,
      stdout: 'Hi.\n',
      stderr: '',
    });
  });

  test('if nothing can be saved, the run says so and continues', { tags: 'long' }, async () => {
    const { env } = await serve(reply('Hi.'));
    const file = join(base, 'a-file');
    await writeFile(file, '');
    const ended = await run({ env: { ...env, CLAWDCODE_HOME: file } });
    expect(ended).toMatchObject({ code: 0, stdout: 'Hi.\n' });
    expectSaid(ended, /is not being saved: .*Check the disk that holds/);
  });

  test('the session is open elsewhere', { tags: 'long' }, async () => {
    const HOME = await mkdtemp(join(base, 'home-'));
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((done) => {
      isAsked = done;
    });
    // Never answers.
    const { env } = await serve(inTurn(() => isAsked()));
    const [file = '', ...first] = program();
    const id = 'openelsewhere';
    const holder = spawn(file, [...first, '-p', '--session-id', id, 'hello'], {
      cwd: repository,
      env: { PATH: process.env.PATH ?? '', ...env, HOME },
      stdio: 'ignore',
    });
    onTestFinished(() => void holder.kill('SIGKILL'));
    await asked;
    const ended = await run({ args: ['-p', '--resume', id, 'hello'], env: { ...env, HOME } });
    expect(ended).toMatchObject({ code: 42, stdout: '' });
    expectSaid(ended, new RegExp(`process ${holder.pid}`), /--fork-session continues in a copy/);
  });
});

describe('standard streams', { tags: 'long' }, () => {
  test('a reader that leaves causes no output', { tags: 'long' }, async () => {
    const { env } = await serve(reply('Hi. '.repeat(50_000)));
    const args = ['-p', '--context-window', '200000', 'hello'];
    const ended = await run({ env, args, line: '{ "$@"; echo "code $?" >&2; } | head -c 5' });
    expect(ended.stdout).toBe('Hi. H');
    expect(ended.stderr).toBe('code 141\n');
  });

  test.each(['--help', '--version'])(
    'a closed pipe for %s is not an error',
    { tags: 'long' },
    async (flag) => {
      const ended = await run({ args: [flag], line: '{ sleep 0.2; "$@"; echo "code $?" >&2; } | true' });
      expect(ended.stderr).toBe('code 141\n');
    },
  );

  test.skipIf(!existsSync('/dev/full'))('the disk behind the pipe is full', { tags: 'long' }, async () => {
    const { env } = await serve(reply('Hi.'));
    const ended = await run({ env, line: '"$@" > /dev/full' });
    expect(ended.code).toBe(1);
    expectSaid(ended, /standard output cannot be written: ENOSPC.*resume with --continue/);
  });

  test('standard input is closed', { tags: 'long' }, async () => {
    const { env } = await serve(reply('Hi.'));
    expect(await run({ env, line: '"$@" <&-' })).toEqual({ code: 0, stdout: 'Hi.\n', stderr: '' });
  });
});

describe('on the screen', () => {
  test('a wrong model is reported with the nearest name, and /model can switch from there', {
    tags: 'long',
  }, async () => {
    const answers = inTurn(
      refusal(404, 'The model `mock-1` does not exist', 'model_not_found'),
      reply('Back at work.'),
    );
    const { env, server } = await serve((request, response) => {
      if (request.url?.endsWith('/models') === true)
        always(200, { data: [{ id: 'mock-12' }] })(request, response);
      else answers(request, response);
    });
    const terminal = await openScreen(env);
    await terminal.submit('hello');
    await terminal.waitFor('Did you mean "mock-12"?');
    await terminal.submit('/model mock-12');
    await terminal.waitFor(/Model: mock-12/);
    await terminal.submit('hello again');
    await terminal.waitFor('Back at work.');
    expect(server.paths.filter((path) => path.endsWith('/chat/completions')).length).toBeGreaterThan(1);
  });

  test('a missing server and a wrong key are reported at the end of the turn, and the prompt stays open', {
    tags: 'long',
  }, async () => {
    const closed = await openScreen(access(`http://127.0.0.1:${await closedPort()}/v1`));
    await closed.submit('hello');
    await closed.waitFor(/connection refused/);
    await closed.waitForIdle();
    const { env } = await serve(refusal(401, 'Incorrect API key provided'));
    const refused = await openScreen(env);
    await refused.submit('hello');
    await refused.waitFor(/rejected the API key/);
    await refused.submit('/status');
    await refused.waitFor(/Endpoint/);
  });

  test('if a file that may name the endpoint cannot be read, the screen opens and the prompt waits', {
    tags: 'long',
  }, async () => {
    const home = await mkdtemp(join(base, 'home-'));
    const config = join(home, '.clawdcode/config.json');
    await mkdir(join(home, '.clawdcode'));
    await writeFile(config, '{ "baseUrl": ');
    const { server, env } = await serve(inTurn(reply('Here I am.')));
    const { OPENAI_BASE_URL: baseUrl, ...key } = env;
    const terminal = openTerminal([...program(), 'are you there'], {
      cwd: repository,
      env: {
        PATH: process.env.PATH ?? '',
        LANG: 'C.UTF-8',
        ...key,
        HOME: home,
        CLAWDCODE_LOCAL_SERVERS: 'none',
      },
    });
    onTestFinished(() => terminal.kill('SIGKILL'));
    await terminal.waitFor(/config\.json:1:14: .*may name the endpoint.*❯ 1\. Reload the settings/s);
    expect(server.paths).toEqual([]);
    await writeFile(config, JSON.stringify({ baseUrl }));
    await terminal.waitForIdle();
    await terminal.answer('\r');
    await terminal.waitFor(/are you there\n.*Here I am\./s);
  });

  async function openScreen(env: Readonly<Record<string, string>>): Promise<Terminal> {
    const home = await mkdtemp(join(base, 'home-'));
    const terminal = openTerminal(program(), {
      cwd: repository,
      env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...env, HOME: home },
    });
    onTestFinished(() => terminal.kill('SIGKILL'));
    await terminal.waitFor(/context ~?\d+%/);
    return terminal;
  }
});
