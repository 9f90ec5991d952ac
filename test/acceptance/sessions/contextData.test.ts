/** The session in five layers. */
import { expect, test } from 'vitest';
import { ContextManager, PersistentStore } from '../../../src/context/index.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { openProject, runPrint, use } from '../support/project.ts';

test('the system, session, conversation, tool, workspace and metadata layers are filled', async () => {
  const project = await openProject();
  const { work } = project;
  await work.git('remote', 'add', 'origin', 'https://example.com/a.git');
  const calls = [use('Read', { file_path: 'lib/utils.js' }), use('Read', { file_path: 'not-there.js' })];
  const { sessionId } = await project.run('look', { replies: [{ calls }, { text: 'Seen.' }] });
  const manager = new ContextManager({
    store: new PersistentStore({
      dataRoot: work.data,
      projectRoot: work.repository,
      programVersion: '1.0.0',
    }),
    root: work.repository,
    settings: contextSettingsSchema.parse({}),
    model: () => ({
      id: 'mock-1',
      windowTokens: 48_000,
      maxOutputTokens: 4000,
      source: 'assumed',
      tokenizer: 'unknown',
    }),
    summarize: () => Promise.resolve({ type: 'aborted' }),
    isSensitive: () => false,
  });
  await manager.loadSession(sessionId);
  const data = manager.getContext();
  const messages = manager.getMessages();
  await manager.close();
  expect(data?.layers.system).toMatchObject({ nodeVersion: process.version, cwd: work.repository });
  expect(data?.layers.system.osType).not.toBe('');
  expect(data?.layers.session).toMatchObject({ sessionId });
  expect(Math.abs((data?.layers.session.startTime ?? 0) - Date.now())).toBeLessThan(600_000);
  expect(data?.layers.conversation.messages).toEqual(messages);
  expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Seen.' });
  expect(data?.layers.tool.recentCalls).toMatchObject([
    { toolName: 'Read', success: true },
    { toolName: 'Read', success: false },
  ]);
  expect(data?.layers.workspace).toMatchObject({
    projectPath: work.repository,
    gitBranch: 'main',
    gitRemote: 'https://example.com/a.git',
    package: { name: 'picomatch' },
  });
  expect(data?.metadata.totalTokens).toBeGreaterThan(0);
  expect(data?.metadata.lastUpdated).toBe(data?.layers.conversation.lastActivity);
});

test('/context --json shows the layers', { tags: 'long' }, async () => {
  const { again } = await runPrint('hello', { replies: [{ text: 'Hi.' }] });
  const { stdout } = await again('/context --json', { format: 'text' });
  const { layers, metadata } = JSON.parse(stdout);
  expect(Object.keys(layers)).toEqual(['system', 'session', 'conversation', 'tool', 'workspace']);
  expect(layers.workspace).toMatchObject({ gitBranch: 'main', package: { name: 'picomatch' } });
  expect(metadata.totalTokens).toBeGreaterThan(0);
});
