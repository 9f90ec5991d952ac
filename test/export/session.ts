/** Entries of a made-up session. */

import { exportSession } from '../../src/export/exportSession.ts';
import type { ExportMeta, ExportOptions } from '../../src/export/types.ts';
import type { JSONLEntry, NewEntry } from '../../src/protocol/entries.ts';

export function entriesOf(drafts: readonly NewEntry[]): JSONLEntry[] {
  return drafts.map((draft, seq) => ({
    v: 1,
    seq,
    uuid: `u${seq}`,
    parentUuid: seq === 0 ? null : `u${seq - 1}`,
    sessionId: 's1',
    timestamp: '2026-03-01T10:20:30.000Z',
    cwd: '/srv/app',
    version: '1.0.0',
    crc: '00000000',
    ...draft,
  }));
}

export const prompt = (content: unknown): NewEntry => ({
  type: 'user',
  subtype: 'prompt',
  message: { role: 'user', content },
});

export const reply = (content: string, reasoning?: string): NewEntry => ({
  type: 'assistant',
  message: {
    role: 'assistant',
    content,
    model: 'm-1',
    ...(reasoning === undefined ? {} : { reasoning: { field: 'reasoning', text: reasoning } }),
  },
});

export const use = (id: string, name: string, input: unknown): NewEntry => ({
  type: 'tool_use',
  message: { role: 'assistant', content: '' },
  tool: { id, name, input },
});

export const result = (
  id: string,
  output: string,
  display: { title: string; summary?: string; diff?: string },
): NewEntry => ({
  type: 'tool_result',
  message: { role: 'user', content: '' },
  toolResult: { id, name: 'Read', output, status: 'ok', display },
});

export const ended = {
  type: 'system',
  subtype: 'turn_end',
  message: { role: 'system', content: 'done' },
  data: { outcome: 'done', steps: 2 },
} satisfies NewEntry;

export const meta: ExportMeta = {
  title: 'Fix the login',
  sessionId: 's1',
  project: '/srv/app',
  programVersion: '1.0.0',
  exportedAt: new Date('2026-03-02T00:00:00Z'),
};

export async function exported(
  drafts: readonly NewEntry[],
  options: Partial<ExportOptions> & Pick<ExportOptions, 'format'>,
): Promise<string> {
  let text = '';
  for await (const piece of exportSession(entriesOf(drafts), { meta, ...options })) text += piece;
  return text;
}
