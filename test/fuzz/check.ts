/** The invariants. Each violation is an exception whose message names the rule. */

import { isPrompt } from '../../src/context/history/atoms.ts';
import { liveEntries } from '../../src/context/history/liveEntries.ts';
import { reductionOf } from '../../src/context/history/reductions.ts';
import { validateRequest } from '../../src/context/index.ts';
import { wellFormed } from '../../src/context/tokens/truncate.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import type { Message } from '../../src/protocol/messages.ts';
import type { Counts } from './counts.ts';
import type { World } from './World.ts';

export class Broken extends Error {}

export function demand(holds: boolean, rule: string, detail: () => string = () => ''): void {
  if (!holds) throw new Broken(`${rule} ${detail()}`.trim());
}

const written = new WeakMap<Message, string>();

/** A message as bytes. */
export function bytesOf(message: Message): string {
  const known = written.get(message) ?? JSON.stringify(message);
  written.set(message, known);
  return known;
}

export function bytesOfAll(messages: readonly Message[]): readonly string[] {
  return messages.map(bytesOf);
}

/** The request as it would be sent now. */
export function bytesNow(world: World): readonly string[] {
  return bytesOfAll(world.messages());
}

export function sameBytes(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && startsWith(a, b);
}

function startsWith(longer: readonly string[], shorter: readonly string[]): boolean {
  return shorter.every((one, index) => one === longer[index]);
}

/** Checks any projection, sent or not. */
export function checkProjection(world: World, counts: Counts): void {
  const problems = validateRequest(world.messages());
  if (problems.length > 0) counts.invalid++;
  demand(problems.length === 0, 'Every request is valid.', () => problems.slice(0, 3).join('; '));
  const { parts, usedTokens } = world.context.measure(world.tools);
  const sum = parts.reduce((total, { tokens }) => total + tokens, 0);
  demand(sum === usedTokens, 'The parts of a measurement add up.', () => `${sum} is not ${usedTokens}`);
}

/** Checks a request that is ready to be sent. */
export function checkReady(world: World, messages: readonly Message[], counts: Counts): void {
  checkProjection(world, counts);
  const { usedTokens } = world.context.measure(world.tools);
  const { limit } = world.projection.budget();
  demand(usedTokens <= limit, 'Nothing above the limit is sent.', () => `${usedTokens} > ${limit}`);
  checkGrowth(world, messages, counts);
  if (!world.isPromptInDoubt) checkNewestPrompt(world, messages);
  checkPins(world, messages);
}

const explaining = new Set(['reduction', 'compact_boundary', 'undo', 'rewind', 'session_start']);

/** Between two reductions a request only grows, byte for byte. */
function checkGrowth(world: World, messages: readonly Message[], counts: Counts): void {
  const now = bytesOfAll(messages);
  const { sent } = world;
  const entries = world.entries();
  const returnsReasoning = world.model.returnsReasoning === true;
  const isExplained =
    sent === undefined ||
    sent.returnsReasoning !== returnsReasoning ||
    entries.slice(sent.entries).some(({ subtype }) => explaining.has(subtype ?? ''));
  world.sent = { messages: now, entries: entries.length, returnsReasoning };
  if (isExplained || startsWith(now, sent.messages)) return;
  counts.unexplainedChanges++;
  const at = sent.messages.findIndex((one, index) => one !== now[index]);
  const later = entries.slice(sent.entries).map(({ type, subtype }) => subtype ?? type);
  demand(
    false,
    'A request only grows between reductions.',
    () =>
      `message ${at} was ${sent.messages[at]?.slice(0, 200)} and is ${now[at]?.slice(0, 200)} after ${later}`,
  );
}

/** The newest prompt must be in the request. */
function checkNewestPrompt(world: World, messages: readonly Message[]): void {
  const { entries, undone } = liveEntries(world.entries());
  const prompt = entries.findLast((entry) => isPrompt(entry));
  if (prompt === undefined || isEmpty(prompt.message.content)) return;
  const wasDropped = entries.some((entry) => {
    const reduction = undone.has(entry.uuid) ? undefined : reductionOf(entry);
    return reduction?.kind === 'drop' && reduction.removed?.includes(prompt.uuid) === true;
  });
  demand(
    wasDropped || isShown(prompt, messages),
    'The newest prompt is in the request.',
    () => `#${prompt.seq} ${JSON.stringify(prompt.message.content).slice(0, 100)}`,
  );
}

/** Pinned entries stay as long as they leave room for work. */
function checkPins(world: World, messages: readonly Message[]): void {
  if (world.pinned.size === 0) return;
  const { entries } = liveEntries(world.entries());
  const live = new Set(entries.map(({ uuid }) => uuid));
  const items = world.context.items().filter(({ uuid }) => world.pinned.has(uuid) && live.has(uuid));
  // Counted with the current ratio: calibration may have made them larger.
  const tokens = items.reduce(
    (sum, item) => sum + Math.max(item.tokens, world.pinned.get(item.uuid) ?? 0),
    0,
  );
  const { limit, trigger } = world.projection.budget();
  const parts = world.context.measure(world.tools).parts;
  const fixed = parts
    .filter(
      ({ name }) => name === 'tools' || name === 'system' || name === 'instructions' || name === 'input',
    )
    .reduce((sum, part) => sum + part.tokens, 0);
  if (fixed + tokens > 0.4 * Math.min(limit, trigger)) {
    // Entries that had to be shortened stay so, even if there is room again.
    for (const { uuid, state } of items) if (state !== 'sent') world.pinned.delete(uuid);
    return;
  }
  for (const item of items) {
    if (!item.isPinned) continue;
    demand(item.state === 'sent', 'What is pinned is sent.', () => `#${item.seq} is ${item.state}`);
    const entry = entries.find(({ uuid }) => uuid === item.uuid);
    if (entry?.type === 'user' && isPrompt(entry) && !isEmpty(entry.message.content))
      demand(isShown(entry, messages), 'What is pinned is sent.', () => `#${item.seq}`);
  }
}

const isEmpty = (content: unknown): boolean =>
  typeof content === 'string' ? content === '' : !Array.isArray(content) || content.length === 0;

function isShown({ message: { content } }: JSONLEntry, messages: readonly Message[]): boolean {
  const wanted = typeof content === 'string' ? wellFormed(content) : undefined;
  return messages.some(
    (message) =>
      message.role === 'user' &&
      (wanted === undefined ? Array.isArray(message.content) : message.content === wanted),
  );
}

/** The log contains every acknowledged entry, unchanged. */
export async function checkLog(world: World): Promise<void> {
  const entries = await world.read();
  demand(
    entries.length === world.seen.length,
    'Every entry is still in the log.',
    () => `${entries.length} of ${world.seen.length}`,
  );
  const at = entries.findIndex((entry, index) => JSON.stringify(entry) !== world.seen[index]);
  demand(at === -1, 'No entry ever changes.', () => `#${at}`);
}

/** Shows where two requests start to differ, with some context. */
export function difference(before: readonly string[], after: readonly string[]): string {
  const at = before.findIndex((one, index) => one !== after[index]);
  const [was = '', is = ''] = [before[at], after[at]];
  const same = [...was].findIndex((_, index) => was[index] !== is[index]);
  const from = Math.max(0, (same === -1 ? was.length : same) - 60);
  const part = (text: string): string => text.slice(from, from + 220);
  return `${before.length} and ${after.length} messages; at ${at}, from character ${from}: ${part(was)} and ${part(is)}`;
}
