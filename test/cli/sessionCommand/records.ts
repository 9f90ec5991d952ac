import type { SessionRecord } from '../../../src/protocol/sessions.ts';

/** A session of the project `here`, as in the catalogue. */
export function record(given: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: 'abc',
    file: '/data/projects/here/abc.jsonl',
    project: 'here',
    root: '/repo',
    isMoved: false,
    title: 'A title',
    titleSource: 'prompt',
    createdAt: new Date('2025-03-01T10:00:00Z'),
    updatedAt: new Date('2025-03-02T10:00:00Z'),
    bytes: 12_345,
    gitBranch: 'main',
    messageCount: 12,
    promptCount: 2,
    model: 'mock-1',
    inputTokens: 1000,
    outputTokens: 200,
    costUsd: undefined,
    isArchived: false,
    isPartial: false,
    forkedFrom: undefined,
    lastLines: [],
    ...given,
  };
}
