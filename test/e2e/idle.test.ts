/** An open session in which nothing happens: it writes nothing and, but for what V8 tidies up, uses no CPU. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { setStage } from './support/stage.ts';

const SECONDS = 4;

test('after a turn nothing ticks and nothing is written', async () => {
  const { server, ready } = await setStage();
  server.script({ text: 'Done.' });
  const terminal = await ready();
  await terminal.submit('hello');
  await terminal.waitForPrinted('Done.');
  await terminal.waitForIdle();
  await pause(2000);
  const before = { bytes: terminal.bytes().length, used: usedBy(terminal.pid) };
  await pause(SECONDS * 1000);
  const after = { bytes: terminal.bytes().length, used: usedBy(terminal.pid) };
  expect(after.bytes - before.bytes).toBe(0);
  // A timer of 100 ms would be 40 wake-ups and as many writes or ticks.
  expect(after.used.writes - before.used.writes).toBeLessThanOrEqual(10);
  expect(after.used.ticks - before.used.ticks).toBeLessThanOrEqual(12);
});

/** Ticks of 10 ms and calls that wrote something; both 0 where there is no /proc. */
function usedBy(pid: number): { ticks: number; writes: number } {
  if (process.platform !== 'linux') return { ticks: 0, writes: 0 };
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const writes = /^syscw: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1];
  return { ticks: Number(fields[11]) + Number(fields[12]), writes: Number(writes ?? 0) };
}
