/**
 * An idle session writes nothing and, apart from garbage collection, uses no CPU.
 *
 * @module-tag long
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { long } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';

/** Deferred work (the index of sessions, garbage) takes some of them; a timer would take all of them. */
const WINDOWS = 15;
const WINDOW_MS = 3000;

test('after a turn, no timer runs and nothing is written', long, async () => {
  const { server, ready } = await setUpProgram();
  server.script({ text: 'Done.' });
  const terminal = await ready();
  await terminal.submit('hello');
  await terminal.waitForPrinted('Done.');
  await terminal.waitForIdle();
  const look = () => ({ ...usedBy(terminal.pid), bytes: terminal.bytes().length });
  const windows: ReturnType<typeof look>[] = [];
  while (windows.length < WINDOWS && !windows.some(isQuiet)) {
    const before = look();
    await pause(WINDOW_MS);
    const after = look();
    windows.push({
      ticks: after.ticks - before.ticks,
      writes: after.writes - before.writes,
      bytes: after.bytes - before.bytes,
    });
  }
  expect(windows.at(-1)).toEqual({ ticks: 0, writes: 0, bytes: 0 });
});

const isQuiet = (used: { ticks: number; writes: number; bytes: number }): boolean =>
  used.ticks + used.writes + used.bytes === 0;

/** Ticks of 10 ms and calls that wrote something; both 0 without /proc. */
function usedBy(pid: number): { ticks: number; writes: number } {
  if (process.platform !== 'linux') return { ticks: 0, writes: 0 };
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const writes = /^syscw: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1];
  return { ticks: Number(fields[11]) + Number(fields[12]), writes: Number(writes ?? 0) };
}
