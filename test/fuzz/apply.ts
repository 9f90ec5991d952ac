/** Carries out one operation of a program, with what has to hold of that operation itself. */
import { appendFile } from 'node:fs/promises';
import { isPrompt } from '../../src/context/history/atoms.ts';
import { liveEntries } from '../../src/context/history/live.ts';
import type { EntryDraft, JSONLEntry } from '../../src/protocol/entries.ts';
import { bytesOfAll, demand, sameBytes } from './check.ts';
import type { Counts } from './counts.ts';
import type { Operation } from './program.ts';
import { bulk, crash, manyCalls, recallStep, reply, step } from './replies.ts';
import { textOf } from './texts.ts';
import { modelOf, type World } from './World.ts';

const now = (world: World): readonly string[] => bytesOfAll(world.messages());

export async function apply(world: World, op: Operation, counts: Counts): Promise<void> {
  const { context } = world;
  const { session } = context;
  switch (op.do) {
    case 'prompt':
      return prompt(world, op.texts.map(textOf), op.image);
    case 'reply':
      return reply(world, op);
    case 'step':
      return step(world, op, (text) => prompt(world, [text], false));
    case 'bulk':
      return bulk(world, op);
    case 'many calls':
      return manyCalls(world, op);
    case 'recall':
      return recallStep(world, op.pick);
    case 'shell':
      await context.appendShell('ls', {
        status: 'ok',
        kind: 'command',
        text: textOf(op.text),
        display: { title: 'ls' },
      });
      return;
    case 'note':
      return void (await context.append(noteDraft(op.subtype, textOf(op.text))));
    case 'crash':
      await crash(world, op.answered);
      return reopen(world, counts, op.torn);
    case 'reopen':
      return reopen(world, counts, false);
    case 'model':
      world.model = modelOf(op.model);
      world.lastTrueTokens = undefined;
      return void (await context.append(noteDraft('model', world.model.id)));
    case 'tools':
      world.tools = Array.from({ length: op.count }, (_, index) => toolSchema(index));
      return;
    case 'compact':
      return compact(world, op, counts);
    case 'preview':
      return preview(world, op.behaviour);
    case 'uncompact': {
      const report = await session.uncompact(world.options);
      if (report.outcome === 'done') forgetPins(world, counts);
      return;
    }
    case 'undo':
      return undo(world, op, counts);
    case 'redo':
      return redo(world, op.pick, counts);
    case 'rewind':
      return rewind(world, op, counts);
    case 'steer':
      return steer(world, op);
    case 'fork':
      return fork(world, op);
    case 'overflow': {
      const { usedTokens } = context.measure(world.tools);
      world.wasMisled = true;
      const windowTokens = Math.floor(usedTokens * (op.grows ? 1.5 : 0.9));
      const error = { kind: 'overflow' as const, message: 'too long', retryable: false };
      await context.shrinkAfterOverflow(op.named ? { ...error, windowTokens } : error, world.options);
      return;
    }
    case 'idle':
      world.clockOffsetMs += op.hours * 3_600_000;
      return;
    case 'memories':
      world.memories = op.texts.map(textOf);
      return;
    case 'instructions':
      world.instructionFile = op.text === null ? undefined : textOf(op.text);
      return;
    case 'summaries':
      return world.summaries.next(...op.behaviours);
    case 'refine':
      return void (await session.refine(world.tools));
  }
}

/** One by one a pixel. */
const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export async function prompt(world: World, texts: readonly string[], image: boolean): Promise<void> {
  const drafts = texts.map((text): EntryDraft => {
    const picture = { type: 'image', mediaType: 'image/png', data: IMAGE };
    const content = image ? [{ type: 'text', text }, picture] : text;
    return { type: 'user', subtype: 'prompt', message: { role: 'user', content } };
  });
  const entries = await world.context.appendPrompts(drafts, world.options);
  const prompts = entries.filter(({ subtype }) => subtype === 'prompt');
  demand(prompts.length === texts.length, 'Every prompt is recorded.');
  world.isPromptInDoubt = false;
  if (!image) for (const [index, entry] of prompts.entries()) world.raw.set(entry.uuid, texts[index] ?? '');
}

async function reopen(world: World, counts: Counts, torn: boolean): Promise<void> {
  const id = world.context.getCurrentSessionId() ?? '';
  const file = world.context.filePath() ?? '';
  const before = now(world);
  await world.context.close();
  if (torn) await appendFile(file, '{"v":1,"seq":99,"uuid":"torn","message":{"ro');
  await world.reopen(id);
  counts.reopened++;
  demand(sameBytes(now(world), before), 'A resumed session has the same request, to the byte.', () =>
    difference(before, now(world)),
  );
}

/** By this much two measurements of the same request may differ. */
const LITTLE = 1.05;

async function compact(
  world: World,
  op: Extract<Operation, { do: 'compact' }>,
  counts: Counts,
): Promise<void> {
  const before = now(world);
  const length = world.context.entries().length;
  const control = new AbortController();
  world.summaries.next(op.behaviour);
  const focus = op.focus ? { focus: 'the errors' } : {};
  const work = world.context.compact({ ...world.optionsWith(control.signal), trigger: 'manual', ...focus });
  if (op.abort) control.abort();
  const report = await world.through(work, () => control.abort());
  const written = world.context.entries().slice(length);
  const isSame = (): boolean => sameBytes(now(world), before);
  if (report.outcome === 'refused' || report.outcome === 'cancelled') {
    demand(isSame(), 'A compaction that was not made changes nothing.', () => report.outcome);
    return;
  }
  demand(!op.abort, 'Nothing is compacted after Ctrl+C.');
  // In bytes too: a ratio that was learnt for another mixture of characters makes less text count as more.
  const bytes = (all: readonly string[]): number => all.reduce((sum, one) => sum + one.length, 0);
  demand(
    bytes(now(world)) < bytes(before) || (report.postTokens ?? 0) < LITTLE * report.preTokens,
    'A compaction makes the request smaller.',
    () => `${report.preTokens} → ${report.postTokens}`,
  );
  if (!op.takeBack || !written.some(({ subtype }) => subtype === 'compact_boundary')) return;
  const back = await world.context.session.uncompact(world.options);
  if (back.outcome !== 'done') return;
  counts.undone++;
  demand(isSame(), 'A compaction that is taken back leaves no trace in the request.', () =>
    difference(before, now(world)),
  );
}

async function preview(world: World, behaviour: Extract<Operation, { do: 'preview' }>['behaviour']) {
  const before = now(world);
  const control = new AbortController();
  world.summaries.next(behaviour);
  const work = world.context.session.preview({ ...world.optionsWith(control.signal), trigger: 'manual' });
  await world.through(work, () => control.abort());
  demand(sameBytes(now(world), before), 'A preview changes nothing.');
}

async function undo(world: World, op: Extract<Operation, { do: 'undo' }>, counts: Counts): Promise<void> {
  const { session } = world.context;
  const standing = session.report(world.tools).reductions.filter(({ isUndone }) => !isUndone);
  const target = standing[op.pick % Math.max(1, standing.length)];
  if (target === undefined) return;
  const before = now(world);
  if (!(await session.undoReduction(target.uuid))) return;
  forgetPins(world, counts);
  if (op.andBack) await takeBackLast(world, before, 'An undo that is undone leaves no trace.');
}

async function rewind(world: World, op: Extract<Operation, { do: 'rewind' }>, counts: Counts): Promise<void> {
  const { context } = world;
  const items = context.session.items();
  const target = items[op.pick % Math.max(1, items.length)];
  if (target === undefined) return;
  const before = now(world);
  if (!(await context.session.rewind(target.uuid))) return;
  forgetPins(world, counts);
  if (op.andBack) await takeBackLast(world, before, 'A rewind that is undone leaves no trace.');
}

async function takeBackLast(world: World, before: readonly string[], rule: string): Promise<void> {
  const last = world.context.entries().at(-1);
  if (last === undefined) return;
  await takeBack(world, last);
  demand(sameBytes(now(world), before), rule, () => difference(before, now(world)));
}

/** Takes an undo or a rewind of any age back. */
async function redo(world: World, pick: number, counts: Counts): Promise<void> {
  const { entries, undone } = liveEntries(world.context.entries());
  const corrections = entries.filter(
    ({ subtype, uuid }) => (subtype === 'undo' || subtype === 'rewind') && !undone.has(uuid),
  );
  const target = corrections[pick % Math.max(1, corrections.length)];
  if (target === undefined) return;
  await takeBack(world, target);
  world.isPromptInDoubt = true;
  forgetPins(world, counts);
}

/** Undoes an entry, as whoever writes an undo has to: the snippets of what counts then are read. */
async function takeBack(world: World, { uuid }: JSONLEntry): Promise<void> {
  const draft: EntryDraft = {
    type: 'system',
    subtype: 'undo',
    message: { role: 'system', content: '' },
    data: { undoes: [uuid] },
  };
  await world.context.append(draft);
  await world.projection.loadSnippets(world.context.entries());
}

/** What was pinned before may have been reduced in what now counts again. */
function forgetPins(world: World, counts: Counts): void {
  world.pinned.clear();
  counts.undone++;
}

async function steer(world: World, op: Extract<Operation, { do: 'steer' }>): Promise<void> {
  const { session } = world.context;
  const items = session.items();
  const item = items[op.pick % Math.max(1, items.length)];
  if (item === undefined) return;
  const before = now(world);
  const refusal = await session.steer({ action: op.action, uuid: item.uuid }, world.tools);
  const isPin = op.action === 'pin' || op.action === 'unpin';
  if (refusal !== undefined || isPin)
    demand(sameBytes(now(world), before), 'A pin, or a refusal, changes no byte.', () => op.action);
  if (refusal !== undefined) return;
  // Of an instruction file the newest text counts, pinned or not.
  const stays = item.state === 'sent' && item.kind !== 'instructions';
  if (op.action === 'pin' && stays) world.pinned.add(item.uuid);
  if (op.action === 'unpin' || op.action === 'drop') world.pinned.delete(item.uuid);
}

async function fork(world: World, op: Extract<Operation, { do: 'fork' }>): Promise<void> {
  const entries = world.context.entries();
  // A session without a prompt has nothing to send.
  const first = entries.findIndex(isPrompt);
  const upto = op.pick === null ? undefined : entries[first + (op.pick % (entries.length - first))];
  const before = now(world);
  const id = await world.context.forkSession(upto?.uuid);
  if (upto === undefined)
    demand(sameBytes(bytesOfAll(await world.peek(id)), before), 'A fork begins as its original is.');
  demand(sameBytes(now(world), before), 'A fork changes nothing in its original.');
  if (!op.goesOn) return;
  await world.reopen(id);
  world.seen = world.context.entries().map((entry) => JSON.stringify(entry));
  world.recalledUpTo = world.seen.length;
  world.pinned.clear();
  if (upto !== undefined) world.sent = undefined;
}

function noteDraft(subtype: string, content: string): EntryDraft {
  if (subtype === 'nudge') return { type: 'user', subtype, message: { role: 'user', content } };
  return { type: 'system', subtype, message: { role: 'system', content } };
}

function toolSchema(index: number) {
  const description = `Does one thing or another, number ${index}. `.repeat(1 + index);
  return { name: `Tool${index}`, description, parameters: { type: 'object', properties: {} } };
}

function difference(before: readonly string[], after: readonly string[]): string {
  const at = before.findIndex((one, index) => one !== after[index]);
  return `${before.length} and ${after.length} messages; at ${at}: ${before[at]?.slice(0, 160)} and ${after[at]?.slice(0, 160)}`;
}
