// What is measured, each once: numbers in milliseconds, or in bytes where the name says so.
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import pty from '@lydell/node-pty';
import headless from '@xterm/headless';
import { treeMemory } from './memory.mjs';
import { startServer } from './server.mjs';

/** Tool steps of one run; the first few, in which everything is loaded, do not count. */
const STEPS = 45;
const WARM_STEPS = 5;
const PATIENCE = 120_000;

/** How long a command takes from spawn to exit. */
export async function wholeRun(args, { cwd, env }) {
  const start = performance.now();
  await ended(spawn(process.execPath, args, { cwd, env, stdio: 'ignore' }));
  return performance.now() - start;
}

/** Memory of a Node that does nothing, after the same three seconds as the program's. */
export async function emptyMemory({ cwd, env }) {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { cwd, env, stdio: 'ignore' });
  await pause(3000);
  const bytes = treeMemory(child.pid);
  child.kill();
  await ended(child, true);
  return bytes;
}

/**
 * Opens the program in a pseudo-terminal and types as soon as there is a composer. Gives the time from spawn to
 * the character on the screen, to what is `ready` there (a pattern; absent for none), and the memory of the process
 * tree three seconds later.
 */
export async function interactiveStart(program, { cwd, env, args = [], ready }) {
  const screen = new headless.Terminal({ cols: 100, rows: 30, allowProposedApi: true });
  const start = performance.now();
  const child = pty.spawn(process.execPath, [program, ...args], {
    name: 'xterm-256color',
    cols: 100,
    rows: 30,
    cwd,
    env,
  });
  const exited = new Promise((done) => child.onExit(done));
  screen.onData((reply) => child.write(reply));
  const waiting = new Set();
  const lookAgain = () => {
    for (const look of waiting) look();
  };
  child.onData((data) => screen.write(data, lookAgain));
  const shows = (wanted) =>
    within(
      new Promise((done) => {
        const look = () => wanted.test(textOf(screen)) && done();
        waiting.add(look);
        look();
      }),
      () => `the screen never showed ${wanted}:\n${textOf(screen)}`,
    );
  await shows(/^❯ /m);
  child.write('z');
  await shows(/^❯ z/m);
  const typedMs = performance.now() - start;
  if (ready !== undefined) await shows(ready);
  const readyMs = performance.now() - start;
  await pause(3000);
  const bytes = treeMemory(child.pid);
  child.kill();
  await exited;
  return { typedMs, readyMs, bytes };
}

/** From spawn to the first request at the server, and the cost of one step: a reply, a Read, its result. */
export async function headlessRun(program, { cwd, env, file }) {
  const read = (index) => ({ file_path: file, offset: 1 + index, limit: 20 });
  const server = await startServer(STEPS, { name: 'Read', input: read });
  const access = { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'bench', OPENAI_MODEL: 'gpt-4.1' };
  const start = performance.now();
  const args = [program, '-p', 'hello'];
  const child = spawn(process.execPath, args, { cwd, env: { ...env, ...access }, stdio: 'ignore' });
  await ended(child);
  await server.stop();
  const { arrivals } = server;
  if (arrivals.length !== STEPS + 1) throw new Error(`${arrivals.length} requests instead of ${STEPS + 1}`);
  return { firstRequestMs: arrivals[0] - start, stepMs: slope(arrivals.slice(WARM_STEPS)) };
}

/** Least squares: milliseconds from one request to the next. */
function slope(times) {
  const middle = (times.length - 1) / 2;
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const over = times.reduce((sum, time, index) => sum + (index - middle) * (time - mean), 0);
  return over / times.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
}

function ended(child, killed = false) {
  return within(
    new Promise((done, fail) => {
      child.on('error', fail);
      child.on('exit', (code) => (code === 0 || killed ? done() : fail(new Error(`exit code ${code}`))));
    }),
    () => `${child.spawnargs.join(' ')} did not end`,
  );
}

function textOf(screen) {
  const { active } = screen.buffer;
  const line = (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '';
  return Array.from({ length: screen.rows }, line).join('\n');
}

async function within(promise, message) {
  const cancel = new AbortController();
  const late = pause(PATIENCE, undefined, { signal: cancel.signal }).then(() => {
    throw new Error(message());
  });
  late.catch(() => undefined);
  await Promise.race([promise, late]);
  cancel.abort();
}
