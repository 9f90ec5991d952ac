// An open session in which nothing happens: what it does with a minute.
import { setTimeout as pause } from 'node:timers/promises';
import { program } from '../parts/place.mjs';
import { treeTicks, treeWritten } from '../parts/processes.mjs';
import { replyWithText, startServer } from '../parts/server.mjs';
import { openTerminal } from '../parts/terminal.mjs';

export const isLong = true;

export const rows = [
  { key: 'ticks', label: 'idle for a minute, once settled: CPU ticks of 10 ms', unit: '', aim: 0 },
  { key: 'percent', label: '  CPU', unit: '%', digits: 2, peer: 'idle', aim: 0 },
  { key: 'written', label: '  bytes written, to whatever', unit: 'B', aim: 0 },
];

/** The index of sessions is brought up to date once, 20 s after the start. */
const UPKEEP_MS = 22_000;
/** What that and the turn left to V8 is done when so long nothing ticks. */
const QUIET_MS = 8000;
const SETTLE_MS = 60_000;

export async function measure(place, { quick }) {
  const server = await startServer((_, response) => replyWithText(response, 'Done.'));
  const terminal = openTerminal(program, { ...place.with(server.access), args: [] });
  await terminal.shows(/context ~?\d+%/);
  terminal.write('hello\r');
  await terminal.shows(/Done\./);
  await pause(UPKEEP_MS);
  await settled(terminal.pid);
  const seconds = quick ? 10 : 60;
  const before = { ticks: treeTicks(terminal.pid), written: treeWritten(terminal.pid) };
  await pause(seconds * 1000);
  const ticks = treeTicks(terminal.pid) - before.ticks;
  const written = treeWritten(terminal.pid) - before.written;
  await terminal.end();
  await server.stop();
  const perMinute = 60 / seconds;
  return { ticks: ticks * perMinute, percent: ticks / seconds, written: written * perMinute };
}

async function settled(pid) {
  const end = performance.now() + SETTLE_MS;
  for (let last = treeTicks(pid), since = performance.now(); performance.now() < end; ) {
    await pause(500);
    const ticks = treeTicks(pid);
    if (ticks !== last) [last, since] = [ticks, performance.now()];
    else if (performance.now() - since > QUIET_MS) return;
  }
}
