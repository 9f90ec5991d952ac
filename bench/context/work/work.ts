/** One policy at one plan: a repository in a temporary folder, a conversation, a bill. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TokenCounter } from '../../../src/context/index.ts';
import { type PriceSheet, sheets } from '../cache.ts';
import { Bill, type WorkPolicy } from './conversation.ts';
import type { Plan } from './plan.ts';
import { makeRepository, writeRepository } from './repository.ts';
import { Toolbox } from './Toolbox.ts';
import { WorkClock } from './WorkClock.ts';
import { playPlan, type WorkCounts } from './Worker.ts';

export interface WorkResult extends WorkCounts {
  readonly policy: string;
  readonly isOurs: boolean;
  readonly requests: number;
  /** Of everything billed, for one token of planned work; by sheet. */
  readonly costs: readonly number[];
  readonly reuse: number;
  /** Over the first 300 requests. */
  readonly earlyReuse: number;
  /** Seconds of each wait for a summary. */
  readonly waits: readonly number[];
  readonly compactions: number;
  readonly meanRequest: number;
  readonly overflows: number;
}

/** The sheets with a cache. */
export const workSheets: readonly PriceSheet[] = sheets.filter(({ ttlMinutes }) => ttlMinutes > 0);

/** Of system prompt and tools. */
const FIXED_TOKENS = 12_000;

/** Plays the plan under the policy, in a window of that many tokens. */
export async function work(plan: Plan, policy: WorkPolicy, windowTokens: number): Promise<WorkResult> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-work-')));
  const counter = new TokenCounter();
  const count = (text: string): number => counter.countText(text);
  const clock = new WorkClock();
  const bill = new Bill(workSheets, windowTokens);
  try {
    const files = makeRepository(plan.files, plan.seed);
    await writeRepository(files, root);
    const toolbox = new Toolbox(
      root,
      files.map(({ path }) => path),
    );
    const systemPrompt = systemPromptOf(FIXED_TOKENS, count);
    const conversation = await policy.open({ root, windowTokens, systemPrompt, clock, bill });
    try {
      const counts = await playPlan(plan, { conversation, toolbox, clock, bill, count });
      const figures = bill.figures(counts.workTokens);
      const [first] = figures;
      return {
        ...counts,
        policy: policy.name,
        isOurs: policy.isOurs,
        requests: bill.requests,
        costs: figures.map(({ cost }) => cost),
        reuse: first?.reuse ?? 1,
        earlyReuse: bill.earlyReuse,
        waits: clock.waits,
        compactions: conversation.compactions(),
        meanRequest: first?.averageRequest ?? 0,
        overflows: first?.overflows ?? 0,
      };
    } finally {
      await conversation.close();
    }
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function systemPromptOf(tokens: number, count: (text: string) => number): string {
  const line = 'You work in the repository of the user and answer in short sentences.\n';
  return line.repeat(Math.floor(tokens / count(line)));
}
