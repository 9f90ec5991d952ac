// `npm run bench:tokens [-- --megabytes N]`: counting, over many kinds of content. How far the estimate is from exact
// o200k_base; how far after three replies of a server with another vocabulary; how long the event loop stands still
// while a megabyte is counted; how fast the exact count is. Everything comes from a seed or from installed packages.
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { longestBlock } from './blocks.mjs';
import { calibratedError } from './calibrated.mjs';
import { contents } from './contents.mjs';
import { mean, percent, table } from './report.mjs';

const { TokenCounter } = await import('../../src/context/TokenCounter.ts');
const { WorkerEncoder } = await import('../../src/context/tokens/ExactCounts.ts');

const { values } = parseArgs({ options: { megabytes: { type: 'string', default: '1' } } });
const length = Math.max(0.1, Number.parseFloat(values.megabytes) || 1) * 1_000_000;
const entry = new URL('../../src/context/tokens/exact/worker.ts', import.meta.url);
const encoder = new WorkerEncoder(() => new Worker(entry, { execArgv: [] }));
// What making the texts left behind is cleared away before anything is measured.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const rows = [];
const errors = { estimate: [], cl100k: [], cl100kFresh: [], p50k: [], p50kFresh: [] };
const blocks = [];

await encoder.count('o200k_base', ['warm']);
// The first text of each kind of string is read by code that is not compiled yet; it does not count.
for (const kind of ['mixed', 'emoji']) await measure(contents[kind](length, 99).slice(0, length));
for (const [kind, make] of Object.entries(contents)) {
  const text = make(length, 7).slice(0, length).toWellFormed();
  const { exact, estimate, block, megabytesPerSecond } = await measure(text);
  const cl100k = calibratedError('cl100k_base', make);
  const p50k = calibratedError('p50k_base', make);
  errors.estimate.push(Math.abs(estimate / exact - 1));
  errors.cl100k.push(cl100k.next);
  errors.cl100kFresh.push(cl100k.fresh);
  errors.p50k.push(p50k.next);
  errors.p50kFresh.push(p50k.fresh);
  blocks.push(block);
  rows.push([
    kind,
    exact.toLocaleString('en-US'),
    percent(estimate / exact - 1),
    percent(cl100k.next),
    percent(cl100k.fresh),
    percent(p50k.next),
    percent(p50k.fresh),
    block.cpuMs.toFixed(1),
    block.wallMs.toFixed(1),
    megabytesPerSecond.toFixed(1),
  ]);
}
rows.push([
  'mean',
  '',
  percent(mean(errors.estimate)),
  percent(mean(errors.cl100k)),
  percent(mean(errors.cl100kFresh)),
  percent(mean(errors.p50k)),
  percent(mean(errors.p50kFresh)),
  Math.max(...blocks.map(({ cpuMs }) => cpuMs)).toFixed(1),
  Math.max(...blocks.map(({ wallMs }) => wallMs)).toFixed(1),
  '',
]);
const heads = ['content', 'o200k', 'estimate', 'cl100k', 'new', 'p50k', 'new', 'cpu ms', 'block ms', 'MB/s'];
console.log(table(heads, rows));
console.log(`
o200k: exact tokens of ${length / 1e6} MB. estimate: its error before any usage.
cl100k, p50k: mean error of the next request's estimate over four sessions, after a server with that vocabulary
  has reported usage three times; new: of what is new in that request, alone.
block: the longest stop of the event loop while the text is counted, first by samples, then exactly; cpu: what
  this thread computed at most between two turns of the loop. The last row has means, and the longest of all.`);
await encoder.close();

async function measure(text) {
  const counter = new TokenCounter({ encoder });
  counter.setModel({ tokenizer: 'o200k_base' });
  const message = { role: 'user', content: text };
  const whole = new TokenCounter();
  const estimate = (await whole.countTextAsync(text)).tokens;
  collectGarbage();
  const { result, tookMs, ...block } = await longestBlock(async () => {
    counter.countMessage(message);
    return counter.countTextAsync(text);
  });
  if (!result.exact) throw new Error('the thread did not count');
  return { exact: result.tokens, estimate, block, megabytesPerSecond: text.length / 1000 / tookMs };
}
