// A reply of 200 kB of Markdown as fast as the server can send it, while somebody types.
import { setTimeout as pause } from 'node:timers/promises';
import { treeMemory } from '../parts/memory.mjs';
import { program } from '../parts/place.mjs';
import { treeCpu } from '../parts/processes.mjs';
import { LAST_WORDS, longReply, pieces } from '../parts/reply.mjs';
import { beginStream, delta, ending, startServer } from '../parts/server.mjs';
import { openTerminal } from '../parts/terminal.mjs';
import { startTyping, submit } from '../parts/typist.mjs';

export const rows = [
  {
    key: 'ms',
    label: '200 kB Markdown reply at full speed',
    unit: 's',
    digits: 2,
    peer: 'burstSeconds',
    aim: 0.6,
  },
  { key: 'cpu', label: '  CPU', unit: 's', digits: 2, peer: 'burstCpu', aim: 0.8 },
  { key: 'stall', label: '  longest keystroke stall', unit: 'ms', peer: 'burstStall', aim: 50 },
  { key: 'memory', label: '  peak memory', unit: 'MB', peer: 'burstMemory', aim: 150 },
  { key: 'written', label: '  kB written to the terminal', unit: 'kB' },
];

/** Characters of an event: about five tokens, as fast servers send them. */
const PIECE = 20;
const KEY_EVERY_MS = 25;
const MEMORY_EVERY_MS = 100;

export async function measure(place) {
  const reply = pieces(longReply(200_000), PIECE).map((content) => delta({ content }));
  const all = Buffer.from([...reply, ...ending('stop')].join(''));
  const server = await startServer((_, response) => beginStream(response).end(all));
  const terminal = openTerminal(program, place.with(server.access));
  await terminal.shows(/context ~?\d+%/);
  await pause(1000);
  const before = { cpu: treeCpu(terminal.pid), bytes: terminal.bytes() };
  let memory = 0;
  const sample = setInterval(() => {
    memory = Math.max(memory, treeMemory(terminal.pid));
  }, MEMORY_EVERY_MS);
  const printed = terminal.printed(LAST_WORDS);
  const sentAt = await submit(terminal, 'go');
  const typist = startTyping(terminal, KEY_EVERY_MS);
  const printedAt = await printed;
  const latencies = await typist.stop();
  await pause(300);
  const result = {
    ms: (printedAt - sentAt) / 1000,
    cpu: treeCpu(terminal.pid) - before.cpu,
    stall: Math.max(...latencies),
    written: (terminal.bytes() - before.bytes) / 1000,
  };
  clearInterval(sample);
  await terminal.end();
  await server.stop();
  return { ...result, memory: memory / 1e6 };
}
