// `-p hello` with a model that nobody knows, at a server that tells nothing about itself, or not in time.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../parts/place.mjs';
import { wholeRun } from '../parts/runs.mjs';
import { lateNotFound, notFound, replyWithText, startServer } from '../parts/server.mjs';

export const rows = [
  { key: 'first', label: 'server answers queries with 404: first request', unit: 'ms', isTime: true },
  { key: 'queries', label: '  queries before it', unit: '', aim: 1 },
  { key: 'lateFirst', label: 'server answers queries late: first request', unit: 'ms', isTime: true },
  { key: 'lateExit', label: '  reply → exit', unit: 'ms', aim: 50, isTime: true },
  { key: 'givenFirst', label: '  first request with --context-window', unit: 'ms', isTime: true },
  { key: 'givenQueries', label: '  queries before it', unit: '', aim: 0 },
];

export async function measure(place) {
  const none = await hello(place, notFound, []);
  const late = await hello(place, lateNotFound, []);
  const given = await hello(place, lateNotFound, ['--context-window', '200000']);
  return {
    first: none.first,
    queries: none.queries,
    lateFirst: late.first,
    lateExit: late.exit,
    givenFirst: given.first,
    givenQueries: given.queries,
  };
}

/** Each time as a first contact: nothing is remembered of the server. */
async function hello(place, answerQuery, args) {
  const home = join(place.env.HOME, `unknown-${Math.random().toString(36).slice(2)}`);
  mkdirSync(home);
  let repliedAt = 0;
  const server = await startServer(
    (_, response) => {
      repliedAt = performance.now();
      replyWithText(response, 'Hello.');
    },
    { answerQuery },
  );
  const there = place.with({ ...server.access, OPENAI_MODEL: 'bench-model', HOME: home });
  // The home's first run compiles everything.
  await wholeRun([program, '--demo', '-p', '/status'], there);
  const startedAt = performance.now();
  await wholeRun([program, '-p', ...args, 'hello'], there);
  const exit = performance.now() - repliedAt;
  await server.stop();
  const [first] = server.arrivals;
  return { first: first - startedAt, queries: server.queries.filter((at) => at < first).length, exit };
}
