/** Runs one policy over one plan, in a repository in a temporary folder. */
import { randomBytes } from 'node:crypto';
import { mkdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TokenCounter } from '../../../src/context/index.ts';
import { type PriceSheet, sheets } from '../cache.ts';
import { mean } from '../report/table.ts';
import { Bill, type WorkPolicy } from './conversation.ts';
import type { Plan } from './plan.ts';
import { makeRepository, writeRepository } from './repository.ts';
import { Toolbox } from './Toolbox.ts';
import { WorkClock } from './WorkClock.ts';
import { playPlan, type Unmet, type WorkCounts } from './Worker.ts';

export interface WorkResult extends WorkCounts {
  readonly policy: string;
  readonly isOurs: boolean;
  readonly requests: number;
  /** Everything billed, for one token of planned work; by sheet. */
  readonly costs: readonly number[];
  readonly reuse: number;
  /** Over the first 300 requests. */
  readonly earlyReuse: number;
  /** Seconds that the loop waited for summaries. */
  readonly waited: number;
  readonly longestWait: number;
  readonly compactions: number;
  readonly meanRequest: number;
  readonly overflows: number;
}

/** The sheets with a cache. */
export const workSheets: readonly PriceSheet[] = sheets.filter(({ ttlMinutes }) => ttlMinutes > 0);

/** Of system prompt and tools. */
const FIXED_TOKENS = 12_000;

/** Plays the plan under the policy, in a window of `windowTokens`. */
export async function work(plan: Plan, policy: WorkPolicy, windowTokens: number): Promise<WorkResult> {
  const root = await makeFolder();
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
        waited: clock.waits.reduce((sum, seconds) => sum + seconds, 0),
        longestWait: Math.max(0, ...clock.waits),
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

/** A name of letters only: summaries may quote absolute paths, and every run has to count the same tokens. */
async function makeFolder(): Promise<string> {
  const letters = [...randomBytes(8)].map((byte) => String.fromCharCode(97 + (byte % 26)));
  const folder = join(await realpath(tmpdir()), `clawdcode-work-${letters.join('')}`);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** Means of the same policy over several plans; of the longest waits the longest. */
export function average(results: readonly [WorkResult, ...WorkResult[]]): WorkResult {
  const [first] = results;
  const of = (figure: (one: WorkResult) => number): number => mean(results.map(figure));
  const unmet = new Map<Unmet, number>();
  for (const one of results)
    for (const [key, count] of one.unmet) unmet.set(key, (unmet.get(key) ?? 0) + count / results.length);
  return {
    policy: first.policy,
    isOurs: first.isOurs,
    planned: of(({ planned }) => planned),
    extraBefore: of(({ extraBefore }) => extraBefore),
    extraAfter: of(({ extraAfter }) => extraAfter),
    wrongEdits: of(({ wrongEdits }) => wrongEdits),
    recalls: of(({ recalls }) => recalls),
    unmet,
    workTokens: of(({ workTokens }) => workTokens),
    requests: of(({ requests }) => requests),
    costs: first.costs.map((_cost, sheet) => of(({ costs }) => costs[sheet] ?? 0)),
    reuse: of(({ reuse }) => reuse),
    earlyReuse: of(({ earlyReuse }) => earlyReuse),
    waited: of(({ waited }) => waited),
    longestWait: Math.max(...results.map(({ longestWait }) => longestWait)),
    compactions: of(({ compactions }) => compactions),
    meanRequest: of(({ meanRequest }) => meanRequest),
    overflows: of(({ overflows }) => overflows),
  };
}

function systemPromptOf(tokens: number, count: (text: string) => number): string {
  const line = 'You work in the repository of the user and answer in short sentences.\n';
  return line.repeat(Math.floor(tokens / count(line)));
}
