/**
 * Ready within three keys; mistakes are reported before anything is saved; doctor, completion and /init in the program.
 */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { lmStudio, ollama, type Route, saying, sendJson, startLocalServer } from './support/localServers.ts';
import { long } from './support/long.ts';
import { serve, settled } from './support/onboarding.ts';
import { program } from './support/program.ts';
import { setUpProgram } from './support/testProgram.ts';

test('with local servers one key press is enough: the best model replies, and is kept', async () => {
  const { work, open } = await setUpProgram();
  const one = await serve(lmStudio([{ id: 'gpt-oss-20b', maxContext: 131_072 }]));
  const two = await serve(
    ollama([{ name: 'qwen3-coder:30b', maxContext: 262_144, running: 65_536 }], {
      chat: saying('Hello, local.'),
    }),
  );
  const env = work.env({ CLAWDCODE_LOCAL_SERVERS: `${one.origin} ${two.origin}` });
  const terminal = open([], { env });
  await terminal.waitFor('Found on this machine: Ollama, LM Studio with 2 models.');
  // Details may come a moment later.
  await settled(terminal, '❯ 1. qwen3-coder:30b · Ollama\n     65.5k tokens · calls tools · in memory');
  await terminal.press(keys.enter);
  await terminal.waitFor(/qwen3-coder:30b · (?:no sandbox · )?context/);
  await terminal.submit('hello');
  await terminal.waitFor('Hello, local.');
  expect(JSON.parse(await readFile(join(work.data, 'config.json'), 'utf8'))).toEqual({
    baseUrl: two.baseUrl,
    model: 'qwen3-coder:30b',
  });
  // No unrequested prompt was sent to any server.
  expect(one.asked.filter(({ path }) => path.includes('chat'))).toEqual([]);
});

test('a wrong key is reported and corrected, and the right one is saved', long, async () => {
  const { work, open } = await setUpProgram();
  const withKey =
    (route: Route): Route =>
    (response, asked) => {
      const isRight = asked.headers.authorization === 'Bearer sk-right-one';
      if (!isRight) sendJson(response, { error: { message: 'Incorrect API key' } }, 401);
      else if (typeof route === 'function') route(response, asked);
      else sendJson(response, route);
    };
  const server = await serve({
    '/v1/models': withKey({ object: 'list', data: [{ id: 'small' }, { id: 'large-coder' }] }),
    '/v1/chat/completions': withKey(saying('Proven.')),
  });
  const terminal = open([], { env: work.env({ CLAWDCODE_LOCAL_SERVERS: 'none' }) });
  await settled(terminal, 'Paste a key');
  await terminal.press(keys.paste('sk-wrong-one'));
  await settled(terminal, 'Not an OpenAI key?');
  await terminal.press(keys.enter, keys.ctrl('u'), keys.paste(server.baseUrl), keys.enter);
  await settled(terminal, 'rejected the API key');
  await terminal.press('1');
  await terminal.waitFor('Endpoint:');
  await terminal.press(keys.ctrl('u'), keys.paste('sk-right-one'), keys.enter, keys.enter);
  await terminal.waitFor('Which model?');
  await terminal.press(keys.enter);
  await terminal.waitFor(/large-coder · (?:no sandbox · )?context/);
  expect(terminal.bytes()).not.toMatch(/sk-(?:right|wrong)-one/);
  expect(JSON.parse(await readFile(join(work.data, 'config.json'), 'utf8'))).toEqual({
    baseUrl: server.baseUrl,
    apiKey: 'sk-right-one',
    model: 'large-coder',
  });
  expectTried(terminal, 'form:submit');
});

test('a variable that points nowhere does not override the choice, and a message says so', long, async () => {
  const { work, open } = await setUpProgram();
  const server = await serve(
    ollama([{ name: 'qwen3:8b', maxContext: 40_960, running: 40_960 }], { chat: saying('Here I am.') }),
  );
  const gone = await startLocalServer({});
  await gone.close();
  const env = work.env({ CLAWDCODE_LOCAL_SERVERS: server.origin, OPENAI_BASE_URL: gone.baseUrl });
  const terminal = open([], { env, columns: 80 });
  await settled(terminal, 'Found on this machine: Ollama with 1 model.');
  await terminal.waitFor('connection refused');
  await terminal.press(keys.enter);
  await terminal.waitFor(/qwen3:8b · (?:no sandbox · )?context/);
  await terminal.waitFor('OPENAI_BASE_URL overrides it at the next start');
  await terminal.submit('hello');
  await terminal.waitFor('Here I am.');
});

test('doctor checks terminal, server and model, and leaves nothing behind', long, async () => {
  const { work, open, print } = await setUpProgram();
  const server = await serve(
    ollama([{ name: 'qwen3:8b', maxContext: 40_960, running: 4096 }], { chat: saying('Hi.') }),
  );
  const env = work.env({ OPENAI_BASE_URL: server.baseUrl, OPENAI_MODEL: 'qwen3:8b' });
  const terminal = open(['doctor'], { env });
  expect(await terminal.exited).toBe(0);
  const shown = terminal.everything();
  expect(shown).toMatch(/^Sending two short prompts to qwen3:8b \(--offline skips this\)\.\n+ClawdCode \d/);
  expect(shown).toMatch(/✓ Answers +first token after/);
  expect(shown).toContain('✓ Wide letters');
  expect(shown).toMatch(/✓ Endpoint +http:\/\/127\.0\.0\.1:\d+\/v1 answers in \d+ ms · ollama/);
  expect(shown).toMatch(/! Window +4\.1k of at most 41k tokens \(reported by the server\)/);
  expect(shown).toContain('→ The server runs qwen3:8b with a context window of');
  // The samples were removed from the line on which they were drawn.
  expect(shown).not.toMatch(/[漢👍]/u);
  const json = await print(['doctor', '--json', '--offline'], { env });
  expect(json.code).toBe(0);
  expect(JSON.parse(json.stdout)).toMatchObject({ ok: true, notes: ['--offline: no server was contacted.'] });
  const without = await print(['doctor'], { env: work.env() });
  expect(without.code).toBe(1);
  expect(without.stdout).toContain('✗ Endpoint');
  expect(without.stdout).toContain('→ Run clawdcode');
  expect((await print(['doctor', '--deep'], { env })).code).toBe(42);
});

test('bash completes existing sessions', long, async () => {
  const { server, work, print, access } = await setUpProgram();
  server.script({ text: 'Done.' });
  const env = work.env(access);
  await print(['-p', 'count the planets'], { env });
  const [session] = await work.sessions();
  const id = session?.entries[0]?.sessionId ?? '';
  const [node = '', path = ''] = program();
  const script = (await print(['completion', 'bash'], { env })).stdout;
  const code = `eval "$1"; clawdcode() { ${JSON.stringify(node)} ${JSON.stringify(path)} "$@"; }
    COMP_WORDS=(clawdcode --resume "$2"); COMP_CWORD=2; _clawdcode; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const offered = (word: string): string =>
    execFileSync('bash', ['--norc', '-c', code, 'bash', script, word], {
      cwd: work.repository,
      env,
      encoding: 'utf8',
    }).trim();
  expect(offered(id.slice(0, 3))).toBe(id);
  expect(offered('count')).toBe('count\\ the\\ planets');
});

test(
  '/init gathers facts, and writing the file needs approval; /doctor does not disturb the screen',
  long,
  async () => {
    const { server, work, ready } = await setUpProgram();
    await work.write('CLAUDE.md', 'Run the tests with npm test.');
    server.script(
      {
        calls: [
          { name: 'Write', input: { file_path: join(work.repository, 'AGENTS.md'), content: '# Agents\n' } },
        ],
      },
      { text: 'AGENTS.md is written.' },
    );
    const terminal = await ready();
    await terminal.submit('/init mind the globs');
    await terminal.waitFor(/─ Write .*\?/);
    expect(terminal.everything()).toContain('> /init mind the globs');
    await terminal.answer('y');
    await terminal.waitFor('AGENTS.md is written.');
    await terminal.waitForIdle();
    expect(await work.read('AGENTS.md')).toBe('# Agents\n');
    const asked = JSON.stringify(server.requests()[0]?.messages);
    for (const fact of ['JavaScript', 'package.json', 'CLAUDE.md', 'The user adds: mind the globs'])
      expect(asked).toContain(fact);

    await terminal.submit('/doctor');
    await terminal.waitForPrinted(/✓ Endpoint +http/);
    await terminal.waitForPrinted('Not checked inside a session');
    await terminal.type('still here');
    await terminal.waitFor('❯ still here');
    expect(server.left()).toBe(0);
  },
);
