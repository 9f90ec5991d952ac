/** The context engine as a separate module: usage examples without Ink and without the agent. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as context from '../../../src/context/index.ts';
import { planRemoval } from '../../../src/context/strategies/removalStrategies.ts';
import type { Message } from '../../../src/protocol/messages.ts';
import type { ModelInfo, ModelRequest } from '../../../src/protocol/models/model.ts';
import {
  type ContextSettings,
  contextSettingsSchema,
} from '../../../src/protocol/settings/contextSettings.ts';

const model: ModelInfo = {
  id: 'gpt-4.1',
  windowTokens: 8000,
  maxOutputTokens: 1000,
  source: 'setting',
  tokenizer: 'o200k_base',
};

async function place(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-module-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('the index of context exports every named part', () => {
  const parts = [
    ...['estimateTokens', 'getChineseRatio', 'truncateToTokens', 'TokenBudgetTracker', 'SlidingWindow'],
    ...[
      'convertToStandardMessages',
      'compress',
      'WorkingMemory',
      'estimateTokensCached',
      'estimateMessagesTokens',
    ],
    ...['allocateBudget', 'ContextBuilder', 'DEFAULT_CONTEXT_CONFIG', 'ThreadSummary', 'LongTermMemory'],
    ...[
      'extractGoalFromMessage',
      'generateStatusSummary',
      'HistoryManager',
      'estimateRounds',
      'findRoundBoundaries',
    ],
    ...[
      'truncateObservation',
      'TokenCounter',
      'MiddleRemovalStrategy',
      'OldestRemovalStrategy',
      'HybridStrategy',
    ],
    ...[
      'adaptiveCompress',
      'assignMessagePriorities',
      'checkAndCompress',
      'strategyForModel',
      'compressionHistory',
    ],
    ...['ContextManager', 'MemoryStore', 'PersistentStore', 'CacheStore', 'JSONLStore', 'analyzeFiles'],
    ...[
      'readFilesContent',
      'CompactionService',
      'filterOrphanToolMessages',
      'getStorageRoot',
      'getProjectStoragePath',
    ],
    ...['detectGitBranch', 'detectGitRemote', 'validateRequest', 'projectMessages'],
  ];
  expect(parts.filter((name) => !(name in context))).toEqual([]);
});

test('nothing in context imports the screen, the agent or the command line', async () => {
  const folder = resolve(import.meta.dirname, '../../../src/context');
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(50);
  for (const file of files) {
    const imports = (await readFile(join(folder, file), 'utf8')).match(/from '[^']+'/g) ?? [];
    expect([
      file,
      imports.filter((one) => /'(ink|react)['/]|\/(agent|ui|cli|tools|model|commands|headless)\//.test(one)),
    ]).toEqual([file, []]);
  }
});

test('on its own it counts, truncates and budgets', () => {
  const text = '这是一个长句子。包含多个分句。每个分句都有意义。';
  expect(context.estimateTokens(text)).toBeGreaterThan(10);
  expect(context.estimateTokens(context.truncateToTokens(text, 10))).toBeLessThanOrEqual(10);
  const tracker = new context.TokenBudgetTracker(10_000);
  expect([
    tracker.allocate('system', 2000),
    tracker.allocate('messages', 8000),
    tracker.allocate('more', 1),
  ]).toEqual([true, true, false]);
  expect(tracker.getBreakdown()).toEqual({ system: 2000, messages: 8000 });
});

test('on its own it turns a large document into a pointer that can be read again', async () => {
  const blobs = new context.BlobStore(await place());
  const memory = new context.WorkingMemory(blobs);
  const settings: ContextSettings['offload'] = contextSettingsSchema.parse({}).offload;
  const content = 'A sentence of a long document. '.repeat(2000);
  const document = { id: 'doc-1', title: 'Large Document', content, outline: ['One'] };
  const { text } = await context.compress('getDoc', document, {
    settings,
    memory,
    limits: { maxLines: 2000, maxBytes: 51_200 },
  });
  const shown = JSON.parse(text);
  expect(shown).toMatchObject({ id: 'doc-1', _OFFLOADED_: { totalLength: content.length } });
  expect(text.length).toBeLessThan(3000);
});

test('on its own it builds a context of six parts, and a simple one', () => {
  const builder = new context.ContextBuilder({ totalBudget: 10_000 });
  const messages: readonly Message[] = [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'First.', toolCalls: [] },
  ];
  const built = builder.buildContext({ summary: 'Before.', messages }, 'two', 'Be brief.', {
    includeCurrentInput: true,
  });
  expect(built.tokenStats.total).toBeLessThanOrEqual(10_000);
  expect(built.metadata).toMatchObject({ usedSummary: true, includedMessageCount: 2 });
  expect(context.validateRequest(built.messages)).toEqual([]);
  expect(builder.buildSimpleContext('Be brief.', 'two', messages)).toHaveLength(4);
});

test('on its own it compresses a history, truncates an observation, and removes messages', () => {
  const { preview, truncated } = context.truncateObservation(
    'line\n'.repeat(5000),
    { maxLines: 2000, maxBytes: 51_200 },
    'head_tail',
  );
  expect(truncated).toBe(true);
  expect(preview.split('\n').length).toBeLessThanOrEqual(2000);
  expect(context.strategyForModel('claude-sonnet-4').strategy).toBe('oldest-removal');
  const items = Array.from({ length: 20 }, (_, n) => ({
    ...{ id: `m${n}`, role: 'user' as const, tokens: 100, textTokens: 100, timestamp: n },
    ...{ hasQuestion: false, hasCalls: false, hasResults: false, isPinned: false },
  }));
  const removal = planRemoval(items, 1000, {
    strategy: 'hybrid',
    preserveStart: 2,
    preserveEnd: 4,
    minMessages: 4,
    confidence: 0.6,
  });
  expect(removal?.tokens).toBeLessThanOrEqual(1000);
  expect(context.assignMessagePriorities(items)).toHaveLength(20);
});

test('on its own it takes a session from creation through a compaction to the next day', async () => {
  const folder = await place();
  const asked: ModelRequest[] = [];
  const manager = () =>
    new context.ContextManager({
      store: new context.PersistentStore({ dataRoot: folder, projectRoot: folder, programVersion: '1.0.0' }),
      root: folder,
      settings: contextSettingsSchema.parse({}),
      model: () => model,
      summarize: (request) => {
        asked.push(request);
        const message = {
          role: 'assistant' as const,
          content: '1. Primary request and intent\nCount.',
          toolCalls: [],
        };
        return Promise.resolve({ type: 'done', reply: { message, finishReason: 'stop' } });
      },
      isSensitive: () => false,
    });
  const first = manager();
  const id = await first.createSession('user-1', { language: 'en' }, { systemPrompt: 'Be brief.' });
  await first.addMessage('user', 'Count to three.');
  await first.addMessage('assistant', `One, two, three. ${'And so on. '.repeat(800)}`);
  await first.addMessage('user', 'Thank you.');
  const signal = new AbortController().signal;
  const report = await first.compressCurrentContext({
    tools: [],
    signal,
    emit: () => undefined,
  });
  expect(report.outcome).toBe('done');
  expect(report.postTokens).toBeLessThan(report.preTokens);
  expect(asked).toHaveLength(1);
  const messages = JSON.stringify(first.getMessages());
  expect(messages).toContain('[Previous conversation summary]');
  await first.close();
  const second = manager();
  expect((await second.loadSession(id)).damaged).toEqual([]);
  expect(JSON.stringify(second.getMessages())).toBe(messages);
  expect(second.getContext()?.layers.session).toMatchObject({
    sessionId: id,
    userId: 'user-1',
    preferences: { language: 'en' },
  });
  await second.close();
});
