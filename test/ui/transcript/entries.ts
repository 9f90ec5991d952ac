import type { JSONLEntry } from '../../../src/protocol/entries.ts';

/** An entry of a made-up session; a test sets only what it needs. */
export function entry(seq: number, parts: Partial<JSONLEntry> & Pick<JSONLEntry, 'type'>): JSONLEntry {
  return {
    v: 1,
    seq,
    uuid: `u${seq}`,
    parentUuid: seq === 0 ? null : `u${seq - 1}`,
    sessionId: 's',
    timestamp: '2026-01-01T00:00:00.000Z',
    cwd: '/srv/project',
    version: '1.0.0',
    message: { role: parts.type === 'assistant' ? 'assistant' : 'user', content: '' },
    ...parts,
  };
}

export const prompt = (seq: number, text: string): JSONLEntry =>
  entry(seq, { type: 'user', subtype: 'prompt', message: { role: 'user', content: text } });

export const reply = (seq: number, text: string, reasoning?: string): JSONLEntry =>
  entry(seq, {
    type: 'assistant',
    message: {
      role: 'assistant',
      content: text,
      ...(reasoning === undefined ? {} : { reasoning: { field: 'reasoning', text: reasoning } }),
    },
  });

export const call = (seq: number, id: string, name: string, input: unknown): JSONLEntry =>
  entry(seq, { type: 'tool_use', tool: { id, name, input } });

export const result = (
  seq: number,
  id: string,
  output: string,
  more: Partial<NonNullable<JSONLEntry['toolResult']>> = {},
): JSONLEntry => entry(seq, { type: 'tool_result', toolResult: { id, output, ...more } });
