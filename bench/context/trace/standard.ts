/** Seeded traces. The standard one has the published parameters: see docs/bench-context.md. */
import { createRandom, type Random } from '../random.ts';
import {
  CALL_TOKENS,
  type Prose,
  type ToolKind,
  type Trace,
  type TraceCall,
  type TraceEvent,
} from './types.ts';

interface Shape {
  readonly name: string;
  readonly steps: number;
  readonly fixedTokens: number;
  readonly prose: Prose;
  /** Chance that a step is preceded by a prompt. */
  readonly promptChance: number;
  readonly promptTokens: number;
  readonly reply: Spread;
  readonly result: Spread;
  /** Most calls of one reply. */
  readonly parallel: number;
  /** Chance and length of a pause before a step. */
  readonly idle: (random: Random) => number;
}

interface Spread {
  readonly median: number;
  readonly sigma: number;
  readonly highest: number;
}

const COLD_MINUTES = 24 * 60;

export const standard: Shape = {
  name: 'standard',
  steps: 3000,
  fixedTokens: 18_000,
  prose: 'english',
  promptChance: 0.05,
  promptTokens: 150,
  reply: { median: 160, sigma: 0.9, highest: 4000 },
  result: { median: 600, sigma: 1.25, highest: 12_500 },
  parallel: 1,
  // One call in a hundred finds a cold cache, whatever the provider keeps.
  idle: (random) => (random.next() < 0.01 ? COLD_MINUTES : 0),
};

export const shortFix: Shape = {
  ...standard,
  name: 'short fix',
  steps: 60,
  fixedTokens: 9000,
  idle: () => 0,
  parallel: 2,
};

export const cjk: Shape = {
  ...standard,
  name: 'CJK project',
  steps: 1200,
  prose: 'chinese',
  promptChance: 0.1,
  promptTokens: 260,
  result: { median: 750, sigma: 1.2, highest: 12_500 },
};

export const ciLogs: Shape = {
  ...standard,
  name: 'CI logs',
  steps: 1000,
  prose: 'log',
  promptChance: 0.02,
  reply: { median: 120, sigma: 0.8, highest: 3000 },
  result: { median: 2200, sigma: 1.4, highest: 12_500 },
};

export const severalDays: Shape = {
  ...standard,
  name: 'several days',
  steps: 1500,
  promptChance: 0.15,
  parallel: 3,
  // A coffee, a meeting, a night.
  idle: (random) => {
    const drawn = random.next();
    if (drawn < 0.01) return 14 * 60;
    if (drawn < 0.03) return 75;
    return drawn < 0.08 ? 12 : 0;
  },
};

export const shapes: readonly Shape[] = [standard, shortFix, cjk, ciLogs, severalDays];

const WINDOW = 200_000;

export function makeTrace(shape: Shape, seed: number, windowTokens = WINDOW): Trace {
  const random = createRandom(seed * 7919 + shape.steps);
  const events: TraceEvent[] = [{ type: 'prompt', tokens: shape.promptTokens }];
  for (let step = 0; step < shape.steps; step++) {
    const minutes = shape.idle(random);
    if (minutes > 0) events.push({ type: 'idle', minutes });
    if (random.next() < shape.promptChance) events.push({ type: 'prompt', tokens: shape.promptTokens });
    events.push(makeStep(shape, random));
  }
  const { name, fixedTokens, prose } = shape;
  return { name, seed, fixedTokens, windowTokens, prose, events };
}

function makeStep(shape: Shape, random: Random): TraceEvent {
  const { median, sigma, highest } = shape.reply;
  const reply = random.lognormal(median, sigma, highest);
  const count = random.between(1, shape.parallel + 1);
  const share = Math.max(0, Math.floor(reply / count) - CALL_TOKENS);
  const calls = Array.from({ length: count }, () => makeCall(shape, random, share));
  const used = calls.reduce((sum, call) => sum + CALL_TOKENS + call.argumentTokens, 0);
  return { type: 'step', proseTokens: Math.max(1, reply - used), calls };
}

/** Of an edit's reply nine tenths are what it writes; of another's a quarter. An assumption, not a measurement. */
const ARGUMENT_SHARE: Readonly<Record<ToolKind, number>> = { edit: 0.9, bash: 0.25, read: 0.1, grep: 0.15 };

function makeCall(shape: Shape, random: Random, share: number): TraceCall {
  const tool = random.pick<ToolKind>(['read', 'read', 'bash', 'edit', 'edit', 'bash', 'grep', 'bash']);
  const { median, sigma, highest } = shape.result;
  return {
    tool,
    title: titleOf(tool, random),
    argumentTokens: Math.floor(share * ARGUMENT_SHARE[tool]),
    resultTokens: random.lognormal(median, sigma, highest),
    failed: tool === 'bash' && random.next() < 0.2,
  };
}

const areas = ['cart', 'order', 'price', 'stock', 'mail', 'auth', 'report', 'sync'];

function titleOf(tool: ToolKind, random: Random): string {
  const path = `src/${random.pick(areas)}/${random.pick(areas)}${random.between(1, 40)}.ts`;
  if (tool === 'bash') return `npm test -- ${path}`;
  return tool === 'grep' ? `"${random.pick(areas)}Total" in src` : path;
}
