// A reply of 2,000 tokens a second, ten seconds long, while somebody types.
import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../parts/numbers.mjs';
import { program } from '../parts/place.mjs';
import { treeCpu } from '../parts/processes.mjs';
import { LAST_WORDS, longReply, pieces } from '../parts/reply.mjs';
import { beginStream, delta, ending, startServer } from '../parts/server.mjs';
import { openTerminal } from '../parts/terminal.mjs';
import { startTyping, submit } from '../parts/typist.mjs';

export const isLong = true;

export const rows = [
  {
    key: 'echo',
    label: '2,000 tokens/s for 10 s while typing: echo p95',
    unit: 'ms',
    digits: 1,
    peer: 'pacedEcho',
    aim: 10,
  },
  { key: 'echoMedian', label: '  echo, median', unit: 'ms', digits: 1 },
  { key: 'cpu', label: '  CPU', unit: 's', digits: 2, peer: 'pacedCpu', aim: 2.5 },
  { key: 'written', label: '  kB written to the terminal', unit: 'kB', peer: 'pacedWritten', aim: 267 },
  { key: 'received', label: '  kB of text in the reply', unit: 'kB' },
];

const TOKENS = 20_000;
/** Characters of a token, each in an event of its own. */
const TOKEN = 4;
const TICK_MS = 5;
const SECONDS = 10;
const KEY_EVERY_MS = 97;

export async function measure(place) {
  const text = longReply(TOKENS * TOKEN);
  const tokens = pieces(text, TOKEN).map((content) => delta({ content }));
  const server = await startServer((_, response) => void play(beginStream(response), tokens));
  const terminal = openTerminal(program, place.with(server.access));
  await terminal.shows(/context ~?\d+%/);
  await pause(1000);
  const before = { cpu: treeCpu(terminal.pid), bytes: terminal.bytes() };
  const printed = terminal.printed(LAST_WORDS);
  await submit(terminal, 'go');
  const typist = startTyping(terminal, KEY_EVERY_MS);
  await printed;
  const latencies = await typist.stop();
  await pause(300);
  const result = {
    echo: quantile(latencies, 0.95),
    echoMedian: quantile(latencies, 0.5),
    cpu: treeCpu(terminal.pid) - before.cpu,
    written: (terminal.bytes() - before.bytes) / 1000,
    received: text.length / 1000,
  };
  await terminal.end();
  await server.stop();
  return result;
}

/** Sends what is due since the beginning, at every tick. */
async function play(response, tokens) {
  const startedAt = performance.now();
  for (let sent = 0; sent < tokens.length; ) {
    const due = Math.min(
      tokens.length,
      Math.ceil(((performance.now() - startedAt) / 1000) * (tokens.length / SECONDS)),
    );
    if (due > sent) response.write(tokens.slice(sent, due).join(''));
    sent = due;
    await pause(TICK_MS);
  }
  response.end(ending('stop').join(''));
}
