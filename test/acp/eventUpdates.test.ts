import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { createEventUpdates } from '../../src/acp/eventUpdates.ts';
import { state } from '../headless/scriptedAgent.ts';
import { type MadeUpFields, madeUpEntry } from '../madeUpEntry.ts';

/** The texts of the messages that an entry sends to a client, which can show compactions or not. */
function messagesFor(entry: MadeUpFields, compaction = false): readonly string[] {
  const sent: SessionUpdate[] = [];
  createEventUpdates({
    agent: { state: () => state },
    link: { update: async (update) => void sent.push(update) },
    abilities: { compaction, notices: false, forms: false },
    onChoice: () => undefined,
    log: () => undefined,
  }).handle({ type: 'entry', entry: madeUpEntry(entry) });
  return sent.flatMap((update) =>
    update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
      ? [update.content.text]
      : [],
  );
}

const compaction = (trigger: 'auto' | 'manual'): MadeUpFields => ({
  ...{ type: 'system', subtype: 'compact_boundary' },
  compactMetadata: { trigger, preTokens: 100_000, postTokens: 20_000 },
});

test('an automatic compaction is a message, unless the client shows compactions itself', () => {
  expect(messagesFor(compaction('auto'))).toEqual([
    '\n\n> ◇ Conversation compacted: 100k → 20k tokens · automatic\n\n',
  ]);
  expect(messagesFor(compaction('auto'), true)).toEqual([]);
  // /compact has its own reply.
  expect(messagesFor(compaction('manual'))).toEqual([]);
});

test('reports only those other entries that concern hooks or the context', () => {
  const hook = { type: 'system', subtype: 'hook', message: { role: 'system', content: 'Blocked.' } } as const;
  expect(messagesFor(hook)).toEqual(['\n\n> Blocked.\n\n']);
  expect(messagesFor({ type: 'system', subtype: 'mode', data: { mode: 'plan' } })).toEqual([]);
});
