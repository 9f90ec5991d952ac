/** Carries out one operation of a program, and checks the invariants of that operation. */

import { appendFile } from 'node:fs/promises';
import { isPrompt } from '../../src/context/history/atoms.ts';
import type { NewEntry } from '../../src/protocol/entries.ts';
import { madeUpNewEntry } from '../madeUpEntry.ts';
import { bytesNow, bytesOfAll, demand, difference, sameBytes } from './check.ts';
import type { Counts } from './counts.ts';
import { checkLarge } from './large.ts';
import type { Operation } from './program.ts';
import { compact, forgetPins, preview, redo, rewind, steer, undo } from './reductions.ts';
import { bulk, crash, manyCalls, recallStep, reply, step } from './replies.ts';
import { textOf } from './texts.ts';
import { modelOf, type World } from './World.ts';

export async function apply(world: World, op: Operation, counts: Counts): Promise<void> {
  const { context } = world;
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
      const report = await context.uncompact(world.options);
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
      return void (await context.refine(world.tools));
  }
}

/** A 1×1 pixel image. */
const IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export async function prompt(world: World, texts: readonly string[], image: boolean): Promise<void> {
  const drafts = texts.map((text): NewEntry => {
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
  const before = bytesNow(world);
  await world.context.close();
  if (torn) await appendFile(file, '{"v":1,"seq":99,"uuid":"torn","message":{"ro');
  await world.reopen(id);
  counts.reopened++;
  demand(sameBytes(bytesNow(world), before), 'A resumed session has the same request, to the byte.', () =>
    difference(before, bytesNow(world)),
  );
  await checkLarge(world, counts);
}

async function fork(world: World, op: Extract<Operation, { do: 'fork' }>): Promise<void> {
  const entries = world.entries();
  // A session without a prompt has nothing to send.
  const first = entries.findIndex(isPrompt);
  const upto = op.pick === null ? undefined : entries[first + (op.pick % (entries.length - first))];
  const before = bytesNow(world);
  const id = await world.context.forkSession(upto?.uuid);
  if (upto === undefined)
    demand(sameBytes(bytesOfAll(await world.peek(id)), before), 'A fork begins as its original is.');
  demand(sameBytes(bytesNow(world), before), 'A fork changes nothing in its original.');
  if (!op.shouldContinue) return;
  await world.reopen(id);
  await world.reload();
  world.recalledUpTo = world.seen.length;
  world.pinned.clear();
  if (upto !== undefined) world.sent = undefined;
}

function noteDraft(subtype: string, content: string): NewEntry {
  const role = subtype === 'nudge' ? 'user' : 'system';
  return madeUpNewEntry({ type: role, subtype, message: { role, content } });
}

function toolSchema(index: number) {
  const description = `Does one thing or another, number ${index}. `.repeat(1 + index);
  return { name: `Tool${index}`, description, parameters: { type: 'object', properties: {} } };
}
