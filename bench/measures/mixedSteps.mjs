// The first twenty steps of a session, with everything that is loaded, started or compiled for the first time: reads,
// searches and commands in turn, from a model that answers at once and from one that thinks for half a second.
import { setTimeout as pause } from 'node:timers/promises';
import { mean } from '../parts/numbers.mjs';
import { program } from '../parts/place.mjs';
import { wholeRun } from '../parts/runs.mjs';
import { replyWithCall, replyWithText, startServer } from '../parts/server.mjs';

export const rows = [
  { key: 'early', label: 'reads, searches, commands: first 20 steps', unit: 'ms', digits: 1, isTime: true },
  { key: 'late', label: '  the next 10', unit: 'ms', digits: 1, isTime: true },
  { key: 'thinking', label: '  first 20, model thinks 0.5 s first', unit: 'ms', digits: 1, isTime: true },
];

const EARLY = 20;
const STEPS = 30;
const THINK_MS = 500;

export async function measure(place) {
  const atOnce = await stepsOf(place, 0);
  const thinking = await stepsOf(place, THINK_MS);
  return {
    early: mean(atOnce.slice(0, EARLY)),
    late: mean(atOnce.slice(EARLY)),
    thinking: mean(thinking.slice(0, EARLY)),
  };
}

/** Milliseconds of each step, without what the model took; it thinks before its first reply only. */
async function stepsOf(place, thinkMs) {
  const server = await startServer(async (index, response) => {
    if (index === 0) await pause(thinkMs);
    if (index === STEPS) return replyWithText(response, 'Done.');
    const [name, input] = callAt(index, place);
    return replyWithCall(response, index, name, input);
  });
  await wholeRun(
    [program, '-p', '--permission-mode', 'bypassPermissions', 'work'],
    place.with(server.access),
  );
  await server.stop();
  const { arrivals } = server;
  if (arrivals.length !== STEPS + 1) throw new Error(`${arrivals.length} requests instead of ${STEPS + 1}`);
  return arrivals.slice(1).map((at, index) => at - arrivals[index] - (index === 0 ? thinkMs : 0));
}

function callAt(index, { file }) {
  if (index % 3 === 0) return ['Read', { file_path: file, offset: 1 + index, limit: 20 }];
  if (index % 3 === 1) return ['Grep', { pattern: `total${index}` }];
  return ['Bash', { command: `sed -n ${index}p package.json`, description: 'Print a line' }];
}
