import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryStore, trimAtAtoms } from '../../../src/context/storage/MemoryStore.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { makeEntry } from './madeUpLog.ts';

/** `u` prompt, `a` reply, `N` reply with N calls and their results (a notice between), `h` header, `s` boundary and summary. */
function conversation(steps: readonly (string | number)[]): JSONLEntry[] {
  const entries: JSONLEntry[] = [];
  const add = (fields: Partial<JSONLEntry>): void => {
    entries.push({ ...makeEntry(entries.length), subtype: '', ...fields } as JSONLEntry);
  };
  for (const step of steps) {
    if (step === 'u') add({ subtype: 'prompt' });
    else if (step === 'a') add({ type: 'assistant' });
    else if (step === 'h') add({ type: 'system', subtype: 'session_start' });
    else if (step === 's') {
      const compactMetadata = {
        trigger: 'auto' as const,
        preTokens: 1,
        retained: entries.slice(-2).map((entry) => entry.uuid),
      };
      add({ type: 'system', subtype: 'compact_boundary', compactMetadata });
      add({ isCompactSummary: true, compactMetadata });
    } else {
      const ids = Array.from({ length: Number(step) }, (_, index) => `call${entries.length}.${index}`);
      add({ type: 'assistant' });
      for (const id of ids) add({ type: 'tool_use', tool: { id, name: 'Read', input: {} } });
      if (ids.length > 2) add({ type: 'system', subtype: 'notice' });
      for (const id of ids.toReversed()) add({ type: 'tool_result', toolResult: { id, output: '' } });
    }
  }
  return entries;
}

const step = fc.oneof(fc.constantFrom('u', 'a', 'h', 's'), fc.integer({ min: 1, max: 4 }));

test('keeps 800 to 1,000 of 1,200 messages in memory: the newest, the header and the summary', () => {
  const store = new MemoryStore();
  const entries = conversation(['h', 'u', 'a', 's', ...Array.from({ length: 299 }, () => ['u', 1]).flat()]);
  expect(entries).toHaveLength(1201);
  for (const entry of entries) store.addMessage(entry);
  expect(store.getMessageCount()).toBeGreaterThanOrEqual(800);
  expect(store.getMessageCount()).toBeLessThanOrEqual(1000);
  expect(store.getTotalCount()).toBe(1201);
  const resident = store.getMessages();
  // Header, the two that the summary retained, boundary and summary, then an unbroken end.
  expect(resident.slice(0, 5)).toEqual(entries.slice(0, 5));
  expect(resident.slice(5)).toEqual(entries.slice(-(resident.length - 5)));
});

test('trimming never separates a call from its result or reply, and keeps the newest atom and pins', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), fc.nat(20), (steps, target) => {
      const entries = conversation(steps);
      const kept = trimAtAtoms(entries, target);
      const retained = new Set(
        entries.findLast((entry) => entry.isCompactSummary)?.compactMetadata?.retained ?? [],
      );
      const free = kept.filter((entry) => !retained.has(entry.uuid));
      const calls = new Set(kept.flatMap((entry) => entry.tool?.id ?? []));
      for (const { toolResult } of free) if (toolResult) expect(calls.has(toolResult.id)).toBe(true);
      for (const entry of free.filter(({ type }) => type === 'tool_use')) {
        const reply = entries.slice(0, entry.seq).findLast(({ type }) => type === 'assistant');
        expect(kept).toContain(reply);
      }
      expect(kept.at(-1)).toBe(entries.at(-1));
      const pins = (list: readonly JSONLEntry[]): string[] =>
        list.filter((entry) => entry.subtype === 'session_start').map((entry) => entry.uuid);
      expect(pins(kept)).toEqual(pins(entries));
      expect(kept.findLast((entry) => entry.isCompactSummary)).toBe(
        entries.findLast((entry) => entry.isCompactSummary),
      );
      if (entries.length <= target) expect(kept).toEqual(entries);
    }),
  );
});

test('a reply and its running calls stay, however small the limit', () => {
  const entries = conversation(['u', 'u', 3]).slice(0, 6);
  const store = new MemoryStore(1);
  for (const entry of entries) store.addMessage(entry);
  expect(store.getMessages().map((entry) => entry.type)).toEqual([
    'assistant',
    'tool_use',
    'tool_use',
    'tool_use',
  ]);
});

test('a call that never got its result does not keep everything after it', () => {
  const crashed = conversation(['u', 1]).slice(0, -1);
  const entries = [...crashed, ...conversation(['a', 'u', 'a', 'u', 'a'])];
  expect(trimAtAtoms(entries, 2)).toEqual(entries.slice(-2));
});

test('lists and entries are copied in and out', () => {
  const store = new MemoryStore();
  const entry = makeEntry(0);
  store.setMessages([entry]);
  entry.message.content = 'changed';
  store.getMessages().pop();
  expect(store.getMessages()[0]?.message.content).toBe('message 0');
  expect(() => Object.assign(store.getMessages()[0]?.message ?? {}, { content: '' })).toThrow(TypeError);
  store.clear();
  expect([store.getMessageCount(), store.getTotalCount(), store.getMessages()]).toEqual([0, 0, []]);
});
