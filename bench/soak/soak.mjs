// One session in a terminal, turn after turn; what it costs is looked at ten times on the way.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { treeMemory } from '../parts/memory.mjs';
import { mean, median, quantile } from '../parts/numbers.mjs';
import { treeCpu } from '../parts/processes.mjs';
import { openTerminal } from '../parts/terminal.mjs';
import { submit } from '../parts/typist.mjs';
import { endOf, startSoakServer } from './server.mjs';

const SAMPLES = 10;
/** Keys typed into the empty composer at each look. */
const KEYS = 30;

/** `program` is the launcher, `strategy` the one of the context; a sample is told as soon as it is there. */
export async function soak(program, place, turns, { strategy = 'auto', onSample = () => {} } = {}) {
  const server = await startSoakServer(place.file);
  const there = place.with({ ...server.access, OPENAI_MODEL: 'soak-model' });
  // A window that fills many times over: what is left out of requests is part of what is to stay cheap.
  const args = ['--context-window', '24000'];
  const config = join(place.env.HOME, '.clawdcode');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.json'), JSON.stringify({ context: { strategy } }));
  const terminal = openTerminal(program, { ...there, args, columns: 100, rows: 30 });
  const samples = [];
  try {
    await terminal.shows(/context ~?\d+%/);
    let cpu = treeCpu(terminal.pid);
    let turnMs = [];
    for (let turn = 1; turn <= turns; turn++) {
      const printed = terminal.printed(endOf(turn));
      const sentAt = await submit(terminal, `Prompt ${turn}: read on.`);
      turnMs.push((await printed) - sentAt);
      if (turn % Math.ceil(turns / SAMPLES) !== 0) continue;
      const now = treeCpu(terminal.pid);
      const echoes = await type(terminal);
      const sample = {
        turn,
        memory: treeMemory(terminal.pid) / 1e6,
        cpuMs: ((now - cpu) / turnMs.length) * 1000,
        stepMs: mean(server.stepMs.slice(-turnMs.length)),
        turnMs: mean(turnMs),
        echoMs: median(echoes),
        echoP95: quantile(echoes, 0.95),
      };
      samples.push(sample);
      onSample(sample);
      cpu = treeCpu(terminal.pid);
      turnMs = [];
    }
    const entries = entriesBelow(place.env.HOME);
    return { samples, entries, bodies: server.sizes.at(-1), summaries: server.summaries() };
  } finally {
    await terminal.end();
    await server.stop();
  }
}

/** Milliseconds from key to screen, while nothing runs; the composer is empty after. */
async function type(terminal) {
  const echoes = [];
  for (let count = 1; count <= KEYS; count++) {
    const text = 'x'.repeat(count);
    const pressedAt = performance.now();
    terminal.write('x');
    echoes.push((await terminal.shows(new RegExp(`^❯ ${text}$`, 'm'))) - pressedAt);
  }
  terminal.write('\u0015');
  await terminal.shows(/^❯ (?!x)/m);
  return echoes;
}

function entriesBelow(home) {
  const projects = join(home, '.clawdcode/projects');
  return readdirSync(projects, { recursive: true })
    .filter((name) => name.endsWith('.jsonl'))
    .reduce((sum, name) => sum + readFileSync(join(projects, name), 'utf8').split('\n').length - 1, 0);
}
