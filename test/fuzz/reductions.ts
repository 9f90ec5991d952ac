/** Operations on the context itself: compactions, previews, undoing them, steering. */

import { retainedBy } from '../../src/context/history/compactions.ts';
import { isCorrection, liveEntries } from '../../src/context/history/liveEntries.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { rewindTo, undoReduction } from '../context/anyCorrection.ts';
import { sessionOf } from '../context/sessionOf.ts';
import { bytesNow, demand, difference, sameBytes } from './check.ts';
import type { Counts } from './counts.ts';
import type { Operation } from './program.ts';
import type { World } from './World.ts';

/** Two measurements of the same request may differ by this factor. */
const LITTLE = 1.05;

export async function compact(
  world: World,
  op: Extract<Operation, { do: 'compact' }>,
  counts: Counts,
): Promise<void> {
  const before = bytesNow(world);
  const length = world.entries().length;
  const shownBefore = shownHeads(world);
  const control = new AbortController();
  world.summaries.next(op.behaviour);
  const focus = op.focus ? { focus: 'the errors' } : {};
  const work = world.context.compressCurrentContext({ ...world.optionsWith(control.signal), ...focus });
  if (op.abort) control.abort();
  const report = await world.through(work, () => control.abort());
  const written = world.entries().slice(length);
  const isSame = (): boolean => sameBytes(bytesNow(world), before);
  if (report.outcome === 'refused' || report.outcome === 'cancelled') {
    demand(isSame(), 'A compaction that was not made changes nothing.', () => report.outcome);
    return;
  }
  demand(!op.abort, 'Nothing is compacted after Ctrl+C.');
  // Also compares bytes: a ratio learned from other text can make less text count as more tokens.
  const bytes = (all: readonly string[]): number => all.reduce((sum, one) => sum + one.length, 0);
  demand(
    bytes(bytesNow(world)) < bytes(before) || (report.postTokens ?? 0) < LITTLE * report.preTokens,
    'A compaction makes the request smaller.',
    () => `${report.preTokens} → ${report.postTokens}`,
  );
  checkRetained(world, written, shownBefore);
  if (!op.takeBack || !written.some(({ subtype }) => subtype === 'compact_boundary')) return;
  const back = await world.context.uncompact(world.options);
  if (back.outcome !== 'done') return;
  counts.undone++;
  demand(isSame(), 'A compaction that is taken back leaves no trace in the request.', () =>
    difference(before, bytesNow(world)),
  );
}

function shownHeads(world: World): ReadonlySet<string> {
  const { atoms, instructions } = world.projection.view();
  return new Set([...atoms.map(({ head }) => head), ...instructions].map(({ uuid }) => uuid));
}

/** After a compaction, only entries listed as retained may remain, and none that was hidden before. */
function checkRetained(world: World, written: readonly JSONLEntry[], before: ReadonlySet<string>): void {
  const boundary = written.find(({ subtype }) => subtype === 'compact_boundary');
  if (boundary === undefined) return;
  const retained = retainedBy(boundary, world.entries());
  const { atoms, instructions } = world.projection.view();
  const extra = atoms.find(
    ({ head }) => head.seq < boundary.seq && head.subtype !== 'reduction' && !retained.has(head.uuid),
  );
  demand(extra === undefined, 'What a compaction did not retain is not shown.', () => `#${extra?.head.seq}`);
  const risen = instructions.find(({ uuid }) => !before.has(uuid));
  demand(risen === undefined, 'A compaction brings nothing back.', () => `#${risen?.seq}`);
}

export async function preview(world: World, behaviour: Extract<Operation, { do: 'preview' }>['behaviour']) {
  const before = bytesNow(world);
  const control = new AbortController();
  world.summaries.next(behaviour);
  const work = world.context.preview({ ...world.optionsWith(control.signal) });
  await world.through(work, () => control.abort());
  demand(sameBytes(bytesNow(world), before), 'A preview changes nothing.');
}

export async function undo(
  world: World,
  op: Extract<Operation, { do: 'undo' }>,
  counts: Counts,
): Promise<void> {
  const { context } = world;
  const standing = context.report(world.tools).reductions.filter(({ isUndone }) => !isUndone);
  const target = standing[op.pick % Math.max(1, standing.length)];
  if (target === undefined) return;
  const before = bytesNow(world);
  if (!(await undoReduction(sessionOf(context), target.uuid))) return;
  forgetPins(world, counts);
  if (op.andBack) await takeBackLast(world, before, 'An undo that is undone leaves no trace.');
}

export async function rewind(
  world: World,
  op: Extract<Operation, { do: 'rewind' }>,
  counts: Counts,
): Promise<void> {
  const { context } = world;
  const items = context.items();
  const target = items[op.pick % Math.max(1, items.length)];
  if (target === undefined) return;
  const before = bytesNow(world);
  if (!(await rewindTo(sessionOf(context), target.uuid))) return;
  forgetPins(world, counts);
  if (op.andBack) await takeBackLast(world, before, 'A rewind that is undone leaves no trace.');
}

async function takeBackLast(world: World, before: readonly string[], rule: string): Promise<void> {
  // The cost of a draft in the background may have been recorded after it.
  const last = world.entries().findLast(isCorrection);
  if (last === undefined) return;
  await takeBack(world, last);
  demand(sameBytes(bytesNow(world), before), rule, () => difference(before, bytesNow(world)));
}

/** Undoes an undo or a rewind of any age. */
export async function redo(world: World, pick: number, counts: Counts): Promise<void> {
  const { entries, undone } = liveEntries(world.entries());
  const corrections = entries.filter((entry) => isCorrection(entry) && !undone.has(entry.uuid));
  const target = corrections[pick % Math.max(1, corrections.length)];
  if (target === undefined) return;
  await takeBack(world, target);
  world.isPromptInDoubt = true;
  forgetPins(world, counts);
}

/** Undoes an entry the way a user would. */
async function takeBack(world: World, { uuid }: JSONLEntry): Promise<void> {
  await world.context.undo([uuid], { content: '', data: {} });
}

/** Forgets pins, because entries that are visible again may have been reduced. */
export function forgetPins(world: World, counts: Counts): void {
  world.pinned.clear();
  counts.undone++;
}

export async function steer(world: World, op: Extract<Operation, { do: 'steer' }>): Promise<void> {
  const { context } = world;
  const items = context.items();
  const item = items[op.pick % Math.max(1, items.length)];
  if (item === undefined) return;
  const before = bytesNow(world);
  const refusal = await context.editItem({ action: op.action, uuid: item.uuid }, world.tools);
  const isPin = op.action === 'pin' || op.action === 'unpin';
  if (refusal !== undefined || isPin)
    demand(sameBytes(bytesNow(world), before), 'A pin, or a refusal, changes no byte.', () => op.action);
  if (refusal !== undefined) return;
  // Of an instruction file only the newest text is sent, pinned or not.
  const stays = item.state === 'sent' && item.kind !== 'instructions';
  if (op.action === 'pin' && stays) world.pinned.set(item.uuid, item.tokens);
  if (op.action === 'unpin' || op.action === 'drop') world.pinned.delete(item.uuid);
}
