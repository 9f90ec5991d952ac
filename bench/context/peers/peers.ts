/**
 * Models of other agents' mechanisms, from what is publicly known of their triggers and budgets. They model
 * the mechanism, not the product: a row here says nothing about how good the product is.
 */
import { cutResults, maskStep, sizeOf, summarize, tail } from '../parts.ts';
import type { Change, FileLists, Item, Maker, Moment, Policy, Reducer } from '../policy.ts';

const STUB = 25;

/**
 * Keeps 20k verbatim; a summarizer of its own that reads the conversation with clipped results. Behind the summary
 * stand the paths that were read and modified, of all summaries so far.
 */
export const pi = policy('pi', (items, { tokens, trace }, make) => {
  if (tokens <= trace.windowTokens - 16_384) return undefined;
  const kept = tail(items, 20_000);
  const older = items.slice(0, items.length - kept.length);
  const files = fileLists(older);
  const written = summarize(
    older.map((item) => cutResults(item, 500, make)),
    4000,
    make,
    { text: () => listed(files), tokens: LISTED_TOKENS * (files.read.length + files.modified.length) },
  );
  const calls = [apart(older, 500, make, 4000)];
  return { items: [{ ...written, files }, ...kept], kind: 'summary', calls };
});

/** Keeps a 15k tail with clipped results; the summary rides the cached prefix. */
export const opencode2 = policy('OpenCode V2', (items, { tokens, trace }, make) => {
  // Half of the reserve is for a reply, of which models with small windows give less.
  const reserve = trace.windowTokens < 100_000 ? 20_000 : 32_000;
  if (tokens <= trace.windowTokens - reserve) return undefined;
  const kept = tail(
    items.map((item) => cutResults(item, 500, make)),
    15_000,
  );
  return summary(items.slice(0, items.length - kept.length), kept, 4000, make, [riding(4000)]);
});

/** Prunes at each user turn: protects 40k of results, acts from 20k; summary near the end of the window. */
export const opencode1 = policy('OpenCode V1', (items, moment, make) => {
  const pruned = moment.isPrompt ? pruneResults(items, 40_000, 20_000, make) : undefined;
  if (pruned !== undefined) return pruned;
  if (moment.tokens <= moment.trace.windowTokens - 20_000) return undefined;
  const kept = tail(items, 8000);
  const older = items.slice(0, items.length - kept.length);
  return summary(older, kept, 4000, make, [riding(4000)]);
});

/** Replaces everything by a summary and up to five files, read anew where there are files. */
export const claudeLike = policy('Claude-like', (items, { tokens, trace, readFile }, make) => {
  if (tokens <= 0.835 * trace.windowTokens) return undefined;
  const text = (): string => (readFile === undefined ? lastReads(items) : filesNow(items, readFile));
  const files: Item = {
    kind: 'files',
    covers: 0,
    block: make.block(25_000, text),
    files: { read: touched(items), modified: [] },
  };
  return summary(items, [files], 5000, make, [riding(5000)]);
});

/** Keeps the user's own words up to 20k beside the summary. */
export const codexLike = policy('Codex-like', (items, { tokens, trace }, make) => {
  if (tokens <= 0.9 * 0.95 * trace.windowTokens) return undefined;
  const prompts = tail(
    items.filter(({ kind }) => kind === 'prompt'),
    20_000,
  );
  return summary(items, prompts, 3000, make, [riding(3000)], true);
});

/** Half the window; keeps 30%; asks twice, with a prompt of its own. */
export const geminiLegacy = policy('Gemini legacy', (items, { tokens, trace }, make) => {
  if (tokens <= 0.5 * trace.windowTokens) return undefined;
  const kept = tail(items, 0.3 * sizeOf(items));
  const older = items.slice(0, items.length - kept.length);
  const size = sizeOf(older);
  const twice = [
    { rides: false, inputTokens: size, outputTokens: 2000 },
    { rides: false, inputTokens: size + 2000, outputTokens: 2000 },
  ];
  return summary(older, kept, 2000, make, twice);
});

/** Protects the newest 50k of results, acts when 30k can be had; summary at half the window as above. */
export const geminiMasking = policy('Gemini masking', (items, moment, make) => {
  const masked = pruneResults(items, 50_000, 30_000, make, 120);
  if (masked !== undefined) return masked;
  if (moment.tokens <= 0.8 * moment.trace.windowTokens) return undefined;
  const kept = tail(items, 0.3 * sizeOf(items));
  const older = items.slice(0, items.length - kept.length);
  return summary(older, kept, 4000, make, [apart(older, Number.POSITIVE_INFINITY, make, 4000)]);
});

/** Four fifths of the window; keeps the newest fifth of the messages; reads clipped messages and files anew. */
export const blade = policy('Blade 80/20', (items, { tokens, trace }, make) => {
  if (tokens <= 0.8 * trace.windowTokens) return undefined;
  const kept = items.slice(Math.ceil(items.length * 0.8));
  const older = items.slice(0, items.length - kept.length);
  const call = { ...apart(items, 1250, make, 4000) };
  return summary(older, kept, 4000, make, [{ ...call, inputTokens: call.inputTokens + 30_000 }]);
});

/**
 * Shows only the newest observations, about ten of the median size, and clears one more at each step; the
 * worst that pruning can do to a cache.
 */
export const maskEveryStep = policy('mask every step', (items, moment, make) => {
  if (moment.tokens > 0.8 * moment.trace.windowTokens) {
    const kept = tail(items, 0.2 * moment.trace.windowTokens);
    return summary(items.slice(0, items.length - kept.length), kept, 4000, make, [riding(4000)]);
  }
  return pruneResults(items, 6000, 1, make);
});

/** No reduction until the window is full, then the oldest go: what happens without any design. */
export const raw = policy('raw, oldest removed', (items, { tokens, trace }) => {
  if (tokens <= 0.95 * trace.windowTokens) return undefined;
  return { items: tail(items, 0.85 * trace.windowTokens - trace.fixedTokens), kind: 'summary', calls: [] };
});

export const peers: readonly Policy[] = [
  opencode2,
  codexLike,
  claudeLike,
  pi,
  opencode1,
  geminiLegacy,
  geminiMasking,
  blade,
  maskEveryStep,
  raw,
];

function policy(name: string, reduce: Reducer): Policy {
  return { name, start: () => reduce };
}

function summary(
  older: readonly Item[],
  kept: readonly Item[],
  tokens: number,
  make: Maker,
  calls: Change['calls'],
  keptFirst = false,
): Change {
  const written = summarize(older, tokens, make);
  return { items: keptFirst ? [...kept, written] : [written, ...kept], kind: 'summary', calls };
}

const riding = (outputTokens: number): Change['calls'][number] => ({
  rides: true,
  inputTokens: 0,
  outputTokens,
});

function apart(
  items: readonly Item[],
  clip: number,
  make: Maker,
  outputTokens: number,
): Change['calls'][number] {
  const inputTokens = sizeOf(items.map((item) => cutResults(item, clip, make)));
  return { rides: false, inputTokens, outputTokens };
}

/** Masks the results beyond the newest `protect` tokens of results when at least `least` can be had. */
function pruneResults(
  items: readonly Item[],
  protect: number,
  least: number,
  make: Maker,
  stub = STUB,
): Change | undefined {
  let seen = 0;
  let gain = 0;
  const due = new Set<Item>();
  for (const item of items.toReversed()) {
    if (item.kind !== 'step') continue;
    const size = item.results.reduce((sum, { tokens }) => sum + tokens, 0);
    if (!item.isMasked && seen > protect) {
      due.add(item);
      gain += size;
    }
    if (!item.isMasked) seen += size;
  }
  if (gain < least) return undefined;
  const masked = items.map((item) =>
    item.kind === 'step' && due.has(item) ? maskStep(item, stub, make) : item,
  );
  return { items: masked, kind: 'mask', calls: [] };
}

/** Tokens of a path in a list. */
const LISTED_TOKENS = 12;

/** Of everything that `items` stand for; a modified file is not in the list of those that were only read. */
function fileLists(items: readonly Item[]): FileLists {
  const of = (tool: 'read' | 'edit', list: keyof FileLists): string[] =>
    items.flatMap((item) => {
      if (item.kind === 'prompt') return [];
      if (item.kind !== 'step') return item.files?.[list] ?? [];
      return item.step.calls.filter((call) => call.tool === tool).map(({ title }) => title);
    });
  const modified = new Set(of('edit', 'modified'));
  return {
    read: [...new Set(of('read', 'read'))].filter((path) => !modified.has(path)),
    modified: [...modified],
  };
}

/** Files that were read or edited, each once, newest last. */
function touched(items: readonly Item[]): readonly string[] {
  const paths = items.flatMap((item) => {
    if (item.kind === 'prompt') return [];
    if (item.kind !== 'step') return item.files?.read ?? [];
    return item.step.calls.filter(({ tool }) => tool === 'read' || tool === 'edit').map(({ title }) => title);
  });
  return [...new Set(paths.toReversed())].reverse();
}

function listed({ read, modified }: FileLists): string {
  return `<read-files>\n${read.join('\n')}\n</read-files>\n<modified-files>\n${modified.join('\n')}\n</modified-files>`;
}

/** About 5k tokens of each of the five files that were read last, as they are now. */
function filesNow(items: readonly Item[], readFile: (path: string) => string | undefined): string {
  const paths = touched(items).slice(-5);
  return paths.map((path) => `${path}\n${(readFile(path) ?? '').slice(0, 16_000)}`).join('\n');
}

/** The newest five files that were read, 5k each. */
function lastReads(items: readonly Item[]): string {
  const reads = items
    .filter((item) => item.kind === 'step')
    .filter(({ step }) => step.calls[0]?.tool === 'read');
  return reads
    .slice(-5)
    .flatMap(({ results }) => results.map((block) => block.text().slice(0, 20_000)))
    .join('\n');
}

export type { Moment };
