/** Sends the next request as the agent would: builds it, lets the server count it, and shrinks it if rejected. */
import { reductionOf } from '../../src/context/history/reductions.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { checkProjection, checkReady, demand } from './check.ts';
import { requestTokens } from './counting.ts';
import type { Counts } from './counts.ts';
import { checkRecalls } from './recalls.ts';
import type { World } from './World.ts';

/** Attempts after which a rejected session is considered stuck; each frees at least a tenth. */
const MOST_TRIES = 80;

export async function send(world: World, counts: Counts): Promise<void> {
  for (let tries = 0; ; tries++) {
    demand(tries < MOST_TRIES, 'A session comes out of a server’s refusals.');
    const before = world.entries().length;
    const trueBefore = serverTokens(world);
    const work = world.context.buildRequest(world.options);
    const built = await world.through(work, () => world.context.stopWaiting());
    noteMargin(world, counts, { before, trueBefore });
    await checkRecalls(world, counts);
    if (built.type === 'too_large') {
      counts.tooLarge++;
      return checkProjection(world, counts);
    }
    counts.requests++;
    checkReady(world, built.request.messages, counts);
    const tokens = serverTokens(world);
    world.lastTrueTokens = tokens;
    const { namesWindow, windowShare } = world.program.server;
    const trueWindow = Math.floor(world.model.windowTokens * windowShare);
    const isKnown = world.model.tokenizer !== 'unknown' && windowShare === 1;
    if (isKnown) counts.knownWindow++;
    if (tokens <= trueWindow) return;
    if (isKnown && !world.program.countsExactly) counts.overEstimated++;
    else if (isKnown) {
      counts.overWindow++;
      demand(
        false,
        'Nothing over the true window is sent.',
        () => `${tokens} of ${trueWindow}, counted as ${world.context.measure(world.tools).usedTokens}`,
      );
    } else counts.overUnknown++;
    const error = {
      kind: 'overflow' as const,
      message: 'too long',
      retryable: false,
      ...(namesWindow ? { windowTokens: trueWindow } : {}),
    };
    if (!(await world.context.shrinkAfterOverflow(error, world.options))) return;
  }
}

/** The server's count of the current request. */
export function serverTokens(world: World): number {
  const { tokenizer } = world.model;
  const messages = world.messages();
  if (tokenizer !== 'unknown') return requestTokens(tokenizer, messages, world.tools);
  return Math.floor(requestTokens('o200k_base', messages, world.tools) * world.program.server.factor);
}

interface Before {
  readonly before: number;
  readonly trueBefore: number;
}

/** Records the overestimate that led to a reduction, in thousandths of the window. */
function noteMargin(world: World, counts: Counts, { before, trueBefore }: Before): void {
  const { countsExactly, server } = world.program;
  if (world.model.tokenizer === 'unknown' || !countsExactly || server.usage === 'strange') return;
  if (world.wasMisled) return;
  const later = world.entries().slice(before);
  const usedBefore = later.map(decidedAt).find((tokens) => tokens !== undefined);
  if (usedBefore === undefined) return;
  const { window } = world.projection.budget();
  // Beyond the window nothing is lost: it would have been reduced anyway.
  const margin = Math.max(0, Math.min(usedBefore, window) - Math.min(trueBefore, window));
  const thousandths = Math.round((1000 * margin) / window);
  counts.marginSum += thousandths;
  counts.marginCount++;
  counts.marginMost = Math.max(counts.marginMost, thousandths);
}

/** The size at which an automatic reduction was decided. */
function decidedAt(entry: JSONLEntry): number | undefined {
  const reduction = reductionOf(entry);
  // Reductions that the settings always apply say nothing about the estimate.
  const isAsked = reduction?.strategy === 'sliding-window' || reduction?.strategy === 'filter';
  const isOwn = !isAsked && (reduction?.kind === 'mask' || reduction?.kind === 'remove');
  return isOwn ? reduction.preTokens : entry.compactMetadata?.preTokens;
}
