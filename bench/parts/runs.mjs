// Commands without a terminal.
import { spawn } from 'node:child_process';
import { treeMemory } from './memory.mjs';
import { ownCpu } from './processes.mjs';

const PATIENCE = 300_000;
const SAMPLE_MS = 25;

/** Starts a command. `ended` gives its exit code, signal, what it printed, milliseconds and CPU seconds. */
export function start(args, { cwd, env }) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let cpu = 0;
  const sample = setInterval(() => {
    cpu = Math.max(cpu, ownCpu(child.pid));
  }, SAMPLE_MS);
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  const ended = new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) => {
      clearInterval(sample);
      clearTimeout(late);
      done({ code, signal, stdout, stderr, ms: performance.now() - startedAt, cpu });
    });
  });
  return {
    pid: child.pid,
    startedAt,
    ended,
    kill: (signal) => child.kill(signal),
    bytes: () => treeMemory(child.pid),
  };
}

/** Runs a command to its end, which has to be a good one. */
export async function run(args, place) {
  const end = await start(args, place).ended;
  if (end.code !== 0)
    throw new Error(`${args.join(' ')} ended with ${end.code ?? end.signal}:\n${end.stderr}`);
  return end;
}

/** How long a command takes from spawn to exit, in milliseconds; nobody looks at it meanwhile. */
export function wholeRun(args, { cwd, env }) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd, env, stdio: 'ignore' });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('exit', (code) =>
      code === 0 ? done(performance.now() - startedAt) : fail(new Error(`exit code ${code}`)),
    );
  });
}
