import { createRequire } from 'node:module';
import { mean } from './report.mjs';

const { TokenCounter } = await import('../../src/context/TokenCounter.ts');
const { countExactly } = await import('../../src/context/tokens/exact/countExactly.ts');
const { readVocabulary } = await import('../../src/context/tokens/exact/vocabulary.ts');

const require = createRequire(import.meta.url);
const vocabularies = new Map();

function vocabularyOf(name) {
  let found = vocabularies.get(name);
  if (found === undefined) {
    found = readVocabulary(require(`js-tiktoken/ranks/${name}`));
    vocabularies.set(name, found);
  }
  return found;
}

const SESSIONS = 4;
const STEP = 30_000;

/**
 * Mean errors, as shares, in sessions that grow by 30,000 characters a step, after a server whose vocabulary the
 * counter does not know has reported what the first three requests had: `next` of the fourth request, `fresh` of what
 * is new in it, alone.
 */
export function calibratedError(vocabulary, make) {
  const table = vocabularyOf(vocabulary);
  const sessions = Array.from({ length: SESSIONS }, (_, session) =>
    oneSession(table, make, 13 * (session + 1)),
  );
  return { next: mean(sessions.map(({ next }) => next)), fresh: mean(sessions.map(({ fresh }) => fresh)) };
}

function oneSession(table, make, seed) {
  const text = make(4 * STEP, seed);
  const counter = new TokenCounter();
  const messages = [0, 1, 2, 3].map((step) => ({
    role: 'user',
    content: text.slice(step * STEP, (step + 1) * STEP).toWellFormed(),
  }));
  const served = (request) => request.reduce((sum, { content }) => sum + 4 + countExactly(table, content), 3);
  for (let steps = 1; steps <= 3; steps++) {
    const request = messages.slice(0, steps);
    counter.observe(MODEL, counter.countMessages(request), served(request), counter.featuresOf(request));
  }
  const error = (request) => {
    const predicted = counter.countMessages(request) * counter.ratio(MODEL, counter.featuresOf(request));
    return Math.abs(predicted / served(request) - 1);
  };
  return { next: error(messages), fresh: error(messages.slice(3)) };
}

const MODEL = 'private';
