// `-p`: from spawn to the first request at the server, the cost of one step (a reply, a Read, its result), from the last
// reply to the exit, and what stands in the first request besides the prompt.
import { slope } from '../parts/numbers.mjs';
import { program } from '../parts/place.mjs';
import { wholeRun } from '../parts/runs.mjs';
import { replyWithCall, replyWithText, startServer } from '../parts/server.mjs';

export const rows = [
  {
    key: 'first',
    label: '-p hello: spawn → first request',
    unit: 'ms',
    peer: 'first',
    aim: 150,
    isTime: true,
  },
  { key: 'step', label: 'one tool step', unit: 'ms', digits: 1, peer: 'step', aim: 5, isTime: true },
  { key: 'exit', label: 'last reply → exit', unit: 'ms', aim: 50, isTime: true },
  { key: 'prompt', label: 'system prompt + tool schemas, characters', unit: '', peer: 'prompt', aim: 12_000 },
];

const STEPS = 45;
/** In which everything is loaded: they do not count. */
const WARM_STEPS = 5;

export async function measure(place) {
  let first = '';
  let repliedAt = 0;
  const server = await startServer((index, response, body) => {
    if (index === 0) first = body();
    const input = { file_path: place.file, offset: 1 + index, limit: 20 };
    if (index < STEPS) replyWithCall(response, index, 'Read', input);
    else {
      repliedAt = performance.now();
      replyWithText(response, 'Done.');
    }
  });
  const startedAt = performance.now();
  await wholeRun([program, '-p', 'hello'], place.with(server.access));
  const exit = performance.now() - repliedAt;
  await server.stop();
  const { arrivals } = server;
  if (arrivals.length !== STEPS + 1) throw new Error(`${arrivals.length} requests instead of ${STEPS + 1}`);
  return {
    first: arrivals[0] - startedAt,
    step: slope(arrivals.slice(WARM_STEPS)),
    exit,
    prompt: promptSize(JSON.parse(first)),
  };
}

function promptSize({ messages, tools }) {
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  return system.reduce((sum, { content }) => sum + content.length, 0) + JSON.stringify(tools).length;
}
