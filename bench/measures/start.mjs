// From nothing to a program that can be typed into, and what it then takes.
import { setTimeout as pause } from 'node:timers/promises';
import { treeMemory } from '../parts/memory.mjs';
import { program } from '../parts/place.mjs';
import { start, wholeRun } from '../parts/runs.mjs';
import { interactiveStart } from '../parts/screenStart.mjs';

export const rows = [
  { key: 'version', label: '--version', unit: 'ms', peer: 'version', aim: 40, isTime: true },
  {
    key: 'typed',
    label: 'spawn → first typed character on screen',
    unit: 'ms',
    peer: 'typed',
    aim: 100,
    isTime: true,
  },
  { key: 'memory', label: 'memory 3 s later', unit: 'MB', peer: 'memory', aim: 90 },
  { key: 'emptyMemory', label: '  an empty node', unit: 'MB' },
];

export async function measure(place) {
  const version = await wholeRun([program, '--version'], place);
  const { typedMs, bytes } = await interactiveStart(program, place);
  return { version, typed: typedMs, memory: bytes / 1e6, emptyMemory: (await emptyMemory(place)) / 1e6 };
}

/** Memory of a Node that does nothing, after the same three seconds as the program's. */
async function emptyMemory(place) {
  const empty = start(['-e', 'setInterval(() => {}, 1000)'], place);
  await pause(3000);
  const bytes = treeMemory(empty.pid);
  empty.kill('SIGTERM');
  await empty.ended;
  return bytes;
}
