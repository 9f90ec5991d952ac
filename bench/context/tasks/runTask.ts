/** Runs one task through the real agent, the real tools and the real context engine under one policy. */

import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createAgent } from '../../../src/agent/Agent.ts';
import { systemClock } from '../../../src/cli/process/clock.ts';
import { reductionOf } from '../../../src/context/history/reductions.ts';
import { ContextManager, newId, PersistentStore, type SummaryModel } from '../../../src/context/index.ts';
import type { ModelInfo } from '../../../src/protocol/models/model.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { builtinTools } from '../../../src/tools/builtinTools.ts';
import type { PriceSheet } from '../cache.ts';
import { Meter } from '../meter.ts';
import { RequestBlocks } from '../real/requestBlocks.ts';
import { extract } from '../retention/extract.ts';
import { createPlayer } from './player.ts';
import type { Task } from './types.ts';

export interface TaskPolicy {
  readonly name: string;
  readonly settings: unknown;
  readonly windowTokens: number;
  /** Without it, what a request no longer shows is gone. */
  readonly recall: boolean;
}

export interface TaskResult {
  readonly passed: boolean;
  readonly steps: number;
  readonly recalls: number;
  /** In prices of one uncached input token, thousands. */
  readonly cost: number;
  readonly summaries: number;
  readonly masks: number;
  readonly removals: number;
  /** Why it ended early. */
  readonly error?: string;
}

export async function runTask(task: Task, policy: TaskPolicy, sheet: PriceSheet): Promise<TaskResult> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-task-')));
  const [root, home] = [join(folder, 'project'), join(folder, 'home')];
  await mkdir(home);
  for (const [path, text] of Object.entries(task.files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const meter = new Meter(sheet, policy.windowTokens);
  const blocks = new RequestBlocks();
  const started = Date.now();
  const minute = (): number => (Date.now() - started) / 60_000;
  const player = createPlayer(meter, blocks, minute);
  const summarize: SummaryModel = async ({ messages }) => {
    const texts = messages.slice(1, -1).map(({ content }) => (typeof content === 'string' ? content : ''));
    const content = `## Primary request and intent\n${extract(texts, 800)}`;
    meter.askBeside(blocks.of(messages), blocks.counter.countText(content), minute());
    return {
      type: 'done',
      reply: { message: { role: 'assistant', content, toolCalls: [] }, finishReason: 'stop' },
    };
  };
  const { id, windowTokens } = { id: 'bench', windowTokens: policy.windowTokens };
  const model: ModelInfo = {
    id,
    windowTokens,
    maxOutputTokens: 4096,
    source: 'setting',
    tokenizer: 'unknown',
  };
  const context = new ContextManager({
    store: new PersistentStore({
      dataRoot: join(folder, 'data'),
      projectRoot: root,
      programVersion: 'bench',
    }),
    root,
    settings: contextSettingsSchema.parse(policy.settings),
    model: () => model,
    summarize,
    isSensitive: () => false,
  });
  const { tools, dispose } = builtinTools({ env: { PATH: process.env.PATH ?? '', HOME: home }, home });
  let error: string | undefined;
  try {
    await context.createSession(undefined, {}, { systemPrompt: 'You are a coding agent.' });
    const offered = tools.filter(({ name }) => policy.recall || name !== 'Recall');
    const agent = createAgent({
      id: 'main',
      context,
      client: player.client,
      model: { current: () => model, select: () => model, costUsd: () => undefined },
      tools: () => offered,
      disposeTools: dispose,
      decide: async () => ({ behavior: 'allow', reason: 'a task may do anything in its folder' }),
      remember: async () => '',
      root,
      cwd: root,
      mode: 'bypassPermissions',
      maxSteps: undefined,
      interactive: false,
      demo: false,
      clock: systemClock,
      newId,
      onError: (bug) => {
        error ??= String(bug);
      },
    });
    agent.subscribe((event) => {
      if (event.type === 'turn_ended' && event.outcome !== 'done')
        error ??= event.error?.message ?? event.outcome;
    });
    for (const [turn, text] of task.prompts.entries()) {
      player.start((first) => task.play(turn, first));
      agent.submit({ type: 'prompt', text });
      await agent.idle();
    }
    const entries = context.entries();
    const count = (kind: string): number =>
      entries.filter((entry) => reductionOf(entry)?.kind === kind).length;
    const checked = spawnSync(task.check, { cwd: root, shell: true, encoding: 'utf8' });
    const result = {
      passed: checked.status === 0,
      steps: player.steps(),
      recalls: player.recalls(),
      cost: meter.figures(1000, { lossy: 0, masks: 0 }).cost,
      summaries: entries.filter(({ isCompactSummary }) => isCompactSummary === true).length,
      masks: count('mask'),
      removals: count('remove'),
      ...(error === undefined ? {} : { error }),
    };
    await agent.close();
    return result;
  } finally {
    await dispose();
    await context.close();
    await rm(folder, { recursive: true, force: true });
  }
}
