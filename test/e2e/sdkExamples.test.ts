/** The package's examples, and a program that uses its types, as they run for someone who has installed it. */
import { execFile, spawn } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packageFolder } from './support/sdk.ts';
import type { WireRequest } from './support/server.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';

const run = promisify(execFile);
const checkout = resolve(import.meta.dirname, '../..');

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script in the repository. */
function runScript(
  { work, access }: TestProgram,
  file: string,
  args: readonly string[] = [],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [file, ...args], {
    cwd: work.repository,
    env: work.env({ ...access, ...env }),
  });
  const ran = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ran.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ran.stderr += text;
  });
  child.stdin.end(input);
  return new Promise((done) => child.on('close', (code) => done({ code, ...ran })));
}

const example = (name: string): string => join(packageFolder(), 'examples/sdk', name);

/** The folder of a program that has installed the package. */
async function consumer({ work }: TestProgram): Promise<string> {
  const folder = join(work.temporary, 'consumer');
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
  await symlink(packageFolder(), join(folder, 'node_modules/clawdcode'));
  await symlink(join(checkout, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  await symlink(join(checkout, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'));
  await symlink(join(checkout, 'node_modules/zod'), join(folder, 'node_modules/zod'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}

test('one prompt, with the host’s own tool and a decision about every call', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  setup.server.script(
    { calls: [{ name: 'mcp__sdk__headcount', input: { city: 'Oslo' } }] },
    { calls: [{ name: 'Bash', input: { command: 'touch made' } }] },
    { text: 'Twelve.', usage: { prompt_tokens: 10, completion_tokens: 4 } },
  );
  const { code, stdout, stderr } = await runScript(setup, example('one-question.mjs'));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.split('\n');
  expect(lines[0]).toBe('calls mcp__sdk__headcount {"city":"Oslo"}');
  expect(lines[1]).toBe('calls Bash {"command":"touch made"}');
  expect(lines[2]).toMatch(/^denied: Bash /);
  expect(lines[3]).toBe('Twelve.');
  expect(lines[4]).toMatch(/^\d+ tokens, unknown US dollars$/);
  const told = setup.server.requests().map(({ messages }) => JSON.stringify(messages.at(-1)));
  expect(told[1]).toContain('12 people work in Oslo.');
  expect(told[2]).toContain('This program only looks.');
});

test('a session continues in a second process, and replies with JSON', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const answer = { about: 'globs', mainFile: 'index.js' };
  setup.server.script(
    { text: 'It matches globs.' },
    { text: 'index.js' },
    { calls: [{ name: 'StructuredOutput', input: answer }] },
  );
  const first = await runScript(setup, example('two-processes.mjs'));
  expect(first).toMatchObject({ code: 0, stderr: 'It matches globs.\nindex.js\n' });
  const second = await runScript(setup, example('two-processes.mjs'), [first.stdout.trim()]);
  expect(second).toEqual({ code: 0, stderr: '', stdout: `${JSON.stringify(answer)}\n` });
  expect(JSON.stringify(setup.server.requests()[2]?.messages)).toContain('It matches globs.');
});

test('the context engine alone compacts with a summary by the host, and continues from its file', async () => {
  const setup = await setUpProgram();
  const isSummary = ({ messages }: WireRequest): boolean =>
    JSON.stringify(messages.at(-1)).includes('create a summary of the conversation');
  const summary =
    '1. Primary request and intent\nSUMMARY of the notes.\n5. Current work status\nAll are noted.';
  setup.server.otherwise((request) => ({ text: isSummary(request) ? summary : 'Noted.' }));
  const env = { NOTES_FOLDER: join(setup.work.temporary, 'notes'), NOTES_WINDOW: '8000' };
  const note = (number: number): string => `Note ${number}: ${'the fox jumps over the dog '.repeat(60)}\n`;
  const input = Array.from({ length: 20 }, (_, index) => note(index)).join('');
  const first = await runScript(setup, example('own-agent.mjs'), ['notes'], { input, env });
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/^\(compacted from \d+ to \d+ tokens\) $/m);
  expect(first.stdout.match(/^Noted\. \(\d+ of 8000 tokens\)$/gm)).toHaveLength(20);
  const second = await runScript(setup, example('own-agent.mjs'), ['notes'], { input: 'What now?\n', env });
  expect(second).toMatchObject({ code: 0, stderr: '' });
  const last = JSON.stringify(setup.server.requests().at(-1)?.messages);
  expect(last).toContain('SUMMARY of the notes.');
  expect(last).toContain('Note 19:');
  expect(await readdir(join(env.NOTES_FOLDER, 'projects/contexts'))).toContain('notes.jsonl');
});

test('inside another program, output, signals and exit stay the host’s, sessions run in parallel, and no thread is left', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  setup.server.otherwise(({ messages }) => {
    const prompt = messages.findLast(({ role }) => role === 'user');
    // A thread decides about commands.
    const calls = [{ name: 'Bash', input: { command: 'echo hello' } }];
    return messages.at(-1)?.role === 'tool'
      ? { text: `Heard ${JSON.stringify(prompt?.content)}` }
      : { calls };
  });
  const folder = await consumer(setup);
  const file = join(folder, 'host.mjs');
  await writeFile(
    file,
    `import { query } from 'clawdcode';
    const ask = async (prompt) => {
      for await (const event of query({ prompt, options: { runIn: 'process' } }))
        if (event.type === 'result') return event.result;
    };
    const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit', 'uncaughtException', 'unhandledRejection'];
    const before = [process.cwd(), process.exitCode, ...names.map((name) => process.listenerCount(name))];
    const answers = await Promise.all([ask('one'), ask('two'), ask('three')]);
    const after = [process.cwd(), process.exitCode, ...names.map((name) => process.listenerCount(name))];
    const { workers } = process.report.getReport();
    console.log(JSON.stringify({ answers, before, after, threads: workers.length }));`,
  );
  const { code, stdout, stderr } = await runScript(setup, file);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { answers, before, after, threads } = JSON.parse(stdout);
  expect(answers).toEqual([
    expect.stringContaining('one'),
    expect.stringContaining('two'),
    expect.stringContaining('three'),
  ]);
  expect(after).toEqual(before);
  expect(threads).toBe(0);
});

const program = `
import { createSession, query, tool, ClawdCodeError, type SessionEvent, type SessionOptions } from 'clawdcode';
import { createContext, memoryStore, type Context } from 'clawdcode/context';
import * as z from 'zod';

const add = tool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => (a + b).toFixed(),
});
const plain = tool({ name: 'x', description: 'X.', input: { type: 'object' }, run: (input) => String(input.a) });
const options: SessionOptions = {
  tools: [add, plain],
  jsonSchema: z.object({ n: z.number() }),
  canUseTool: async ({ tool, input }) =>
    tool === 'Read' ? { behavior: 'allow', updatedInput: input } : { behavior: 'deny', message: 'No.' },
  hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [(input) => (input.tool_name === 'Bash' ? {} : undefined)] }] },
};
export async function main(): Promise<string> {
  for await (const event of query({ prompt: 'hi', options })) {
    if (event.type === 'system' && event.subtype === 'init') event.tools satisfies readonly string[];
    if (event.type === 'result' && !event.is_error) return event.result;
    if (event.type === 'result' && event.is_error) event.errors satisfies readonly string[];
  }
  const session = createSession(options);
  const result = await session.send({ content: [{ type: 'text', text: 'hi' }] });
  const events: SessionEvent[] = [];
  for await (const event of session.events) events.push(event);
  const context: Context = await createContext({ model: { id: 'm', contextWindow: 8000 }, store: memoryStore() });
  await context.append({ role: 'user', content: 'hi' });
  if (new ClawdCodeError('options', 'x').code === 'ended') throw result;
  // @ts-expect-error: there is no such option
  query({ prompt: 'hi', options: { modle: 'x' } });
  // @ts-expect-error: b is missing
  tool({ name: 'y', description: 'Y.', input: z.object({ a: z.number() }), run: ({ b }) => String(b) });
  return '';
}
`;

test('a program that uses the package, and the examples, compile with strict types and without our sources', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const folder = await consumer(setup);
  await writeFile(join(folder, 'program.ts'), program);
  for (const name of ['one-question.mjs', 'two-processes.mjs', 'own-agent.mjs'])
    await symlink(example(name), join(folder, name));
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true },
    ...{ module: 'nodenext', target: 'es2023', types: ['node'], allowJs: true, checkJs: true },
    ...{ skipLibCheck: false, preserveSymlinks: true, verbatimModuleSyntax: true },
  };
  const files = ['program.ts', 'one-question.mjs', 'two-processes.mjs', 'own-agent.mjs'];
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = join(checkout, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error: Ran) => error);
  expect(stdout).toBe('');
});
