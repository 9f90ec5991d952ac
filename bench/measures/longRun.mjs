// 300 tool steps of about 4 kB without a screen; that session taken up in a terminal, and with another prompt.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { mean } from '../parts/numbers.mjs';
import { program } from '../parts/place.mjs';
import { start, wholeRun } from '../parts/runs.mjs';
import { interactiveStart } from '../parts/screenStart.mjs';
import { replyWithCall, replyWithText, startServer } from '../parts/server.mjs';

export const rows = [
  {
    key: 'cpu',
    label: '300 tool steps of ~4 kB, headless: CPU',
    unit: 's',
    digits: 2,
    peer: 'longCpu',
    aim: 4,
  },
  { key: 'early', label: '  memory at 10 % of the run', unit: 'MB', peer: 'longEarly', aim: 110 },
  { key: 'late', label: '  memory at 97 % of the run', unit: 'MB', peer: 'longLate', aim: 110 },
  {
    key: 'first30',
    label: '  step, first 30',
    unit: 'ms',
    digits: 1,
    peer: 'longFirst',
    aim: 4,
    isTime: true,
  },
  { key: 'last30', label: '  step, last 30', unit: 'ms', digits: 1, peer: 'longLast', aim: 4, isTime: true },
  { key: 'body', label: '  last request', unit: 'kB' },
  // The peers' figure is that of a composer that takes a key.
  {
    key: 'typed',
    label: 'resume of that session: ready for a key',
    unit: 'ms',
    peer: 'resume',
    aim: 100,
    isTime: true,
  },
  { key: 'ready', label: '  its transcript and figures on screen', unit: 'ms', isTime: true },
  { key: 'resumed', label: '  -p --continue: spawn → first request', unit: 'ms', isTime: true },
  { key: 'resumedExit', label: '  … last reply → exit', unit: 'ms', aim: 50, isTime: true },
];

const STEPS = 300;
/** Lines of the file that make about 4 kB with their numbers. */
const LINES = 95;
/** In which everything is loaded. */
const WARM_STEPS = 3;
/** As the peers had it; they knew the model. */
const WINDOW = '200000';

export async function measure(place) {
  const home = join(place.env.HOME, `run-${Math.random().toString(36).slice(2)}`);
  mkdirSync(home);
  const memory = {};
  let headless;
  const server = await startServer((index, response) => {
    if (index === Math.round(STEPS * 0.1)) memory.early = headless.bytes();
    if (index === Math.round(STEPS * 0.97)) memory.late = headless.bytes();
    const input = { file_path: place.file, offset: 1 + index * 7, limit: LINES };
    if (index < STEPS) replyWithCall(response, index, 'Read', input);
    else replyWithText(response, 'Done.');
  });
  const there = place.with({ ...server.access, OPENAI_MODEL: 'bench-model', HOME: home });
  headless = start([program, '-p', '--context-window', WINDOW, 'work'], there);
  const { code, cpu, stderr } = await headless.ended;
  await server.stop();
  const { arrivals, sizes } = server;
  if (code !== 0 || arrivals.length !== STEPS + 1)
    throw new Error(`exit code ${code}, ${arrivals.length} requests instead of ${STEPS + 1}:\n${stderr}`);
  const between = arrivals.slice(1).map((at, index) => at - arrivals[index]);
  const args = ['--continue', '--context-window', WINDOW];
  const { typedMs, readyMs } = await interactiveStart(program, { ...there, args, ready: /context ~?\d+%/ });
  const again = await continued(there);
  return {
    cpu,
    early: memory.early / 1e6,
    late: memory.late / 1e6,
    first30: mean(between.slice(WARM_STEPS, 30)),
    last30: mean(between.slice(-30)),
    body: sizes.at(-1) / 1000,
    typed: typedMs,
    ready: readyMs,
    resumed: again.first,
    resumedExit: again.exit,
  };
}

async function continued(there) {
  let repliedAt = 0;
  const server = await startServer((_, response) => {
    repliedAt = performance.now();
    replyWithText(response, 'Done again.');
  });
  const startedAt = performance.now();
  const args = [program, '-p', '--continue', '--context-window', WINDOW, 'go on'];
  await wholeRun(args, there.with({ ...there.env, ...server.access, OPENAI_MODEL: 'bench-model' }));
  const exit = performance.now() - repliedAt;
  await server.stop();
  return { first: server.arrivals[0] - startedAt, exit };
}
