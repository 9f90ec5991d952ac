import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT } from '../../bench/context/engineStrategies.ts';
import { Bill, type Conversation } from '../../bench/context/workTraces/conversation.ts';
import { ourPolicies } from '../../bench/context/workTraces/engine.ts';
import { makePlan } from '../../bench/context/workTraces/Planner.ts';
import { peerPolicies } from '../../bench/context/workTraces/peers.ts';
import type { Plan, PlanStep } from '../../bench/context/workTraces/plan.ts';
import { type Shown, textOf } from '../../bench/context/workTraces/render.ts';
import { makeRepository, writeRepository } from '../../bench/context/workTraces/repository.ts';
import { project, shortTask } from '../../bench/context/workTraces/run.ts';
import { Toolbox } from '../../bench/context/workTraces/Toolbox.ts';
import { WorkClock } from '../../bench/context/workTraces/WorkClock.ts';
import { playPlan, type WorkCounts } from '../../bench/context/workTraces/Worker.ts';
import { type WorkResult, work } from '../../bench/context/workTraces/work.ts';

const long = makePlan(project, 1);
const small = makePlan({ ...project, files: 40, steps: 60 }, 3);

const stepsOf = (plan: Plan): readonly PlanStep[] => plan.events.filter((event) => event.type === 'step');
const countOf = (text: string): number => Math.ceil(text.length / 4);

/** Shows the newest `kept` messages and has no pointers to the others. */
function forgetful(kept: number): Conversation {
  let messages: readonly Shown[] = [];
  return {
    recall: undefined,
    prompt: async (text) => {
      messages = [...messages, { isPrompt: true, text }];
    },
    request: async () => ({ blocks: [], shown: messages.slice(-kept) }),
    step: async (message, run) => {
      const done = await run();
      const results = done.map(({ call: { id, name }, outcome: { text } }) =>
        textOf({ role: 'tool', toolCallId: id, name, content: text, isError: false }),
      );
      messages = [...messages, ...[textOf(message), ...results].map((text) => ({ isPrompt: false, text }))];
    },
    compactions: () => 0,
    close: async () => {},
  };
}

/** The content of each file according to the plan. */
function plannedTexts(plan: Plan): ReadonlyMap<string, string> {
  const texts = new Map(makeRepository(plan.files, plan.seed).map(({ path, text }) => [path, text]));
  for (const action of stepsOf(plan).flatMap(({ actions }) => actions)) {
    if (action.tool !== 'Edit') continue;
    const { path, oldText, newText } = action;
    texts.set(
      path,
      (texts.get(path) ?? '').replace(oldText, () => newText),
    );
  }
  return texts;
}

describe('a plan', () => {
  test('is the same for the same seed', { tags: 'long' }, () => {
    expect(makePlan(project, 1)).toEqual(long);
    expect(makePlan(project, 2)).not.toEqual(long);
  });

  test('needs texts of every kind from one to more than 250 steps ago', () => {
    const needs = stepsOf(long).flatMap((step) => step.needs);
    expect(new Set(needs.map(({ kind }) => kind)).size).toBe(4);
    const distances = needs.map(({ distance }) => distance);
    expect(Math.min(...distances)).toBe(1);
    expect(Math.max(...distances)).toBeGreaterThan(250);
    expect(distances.filter((distance) => distance > 50).length).toBeGreaterThan(distances.length / 5);
  });
});

describe('the worker', () => {
  let root = '';
  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-work-test-')));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  async function play(conversation: Conversation): Promise<WorkCounts & { readonly requests: number }> {
    const files = makeRepository(small.files, small.seed);
    await writeRepository(files, root);
    const paths = files.map(({ path }) => path);
    const bill = new Bill([], 64_000);
    const toolbox = new Toolbox(root, paths);
    const tools = { conversation, toolbox, clock: new WorkClock(), bill, count: countOf };
    const counts = await playPlan(small, tools);
    for (const [path, text] of plannedTexts(small))
      expect(await readFile(join(root, path), 'utf8')).toBe(text);
    return { ...counts, requests: bill.requests };
  }

  test('a worker that sees everything takes exactly the planned steps', { tags: 'long' }, async () => {
    const counts = await play(forgetful(10_000));
    expect(counts).toMatchObject({ extraBefore: 0, extraAfter: 0, wrongEdits: 0, requests: 60 });
    expect(counts.unmet.size).toBe(0);
  });

  test('a worker that forgets rereads, makes mistakes, and finally corrects them', {
    tags: 'long',
  }, async () => {
    const counts = await play(forgetful(12));
    expect(counts.extraBefore).toBeGreaterThan(10);
    expect(counts.wrongEdits).toBeGreaterThan(0);
    expect(counts.requests).toBe(60 + counts.extraBefore);
    const looked = [...counts.unmet].filter(([key]) => key.endsWith('missing'));
    expect(looked.length).toBeGreaterThan(0);
  });

  test('a worker that forgets more needs more steps for the same plan', { tags: 'long' }, async () => {
    const [much, little] = [await play(forgetful(6)), await play(forgetful(40))];
    expect(much.extraBefore).toBeGreaterThan(little.extraBefore);
    expect(much.planned).toBe(little.planned);
  });
});

describe('all policies on one small plan', { tags: 'long' }, () => {
  const policies = [...peerPolicies, ...ourPolicies()];
  const plan = makePlan({ ...project, files: 60, steps: 90 }, 2);
  const results = new Map<string, WorkResult>();
  beforeAll(async () => {
    for (const policy of policies) results.set(policy.name, await work(plan, policy, 64_000));
  }, 120_000);

  test('each makes all planned steps, for the same work, within the window', () => {
    const tokens = [...results.values()].map(({ workTokens }) => workTokens);
    for (const result of results.values()) {
      const { planned, requests, extraBefore, extraAfter, overflows } = result;
      expect({ planned, overflows }).toEqual({ planned: stepsOf(plan).length, overflows: 0 });
      expect(requests).toBe(planned + extraBefore + extraAfter);
      expect(result.workTokens / Math.min(...tokens)).toBeLessThan(1.02);
    }
  });

  test('other mechanisms summarize, wait for it, and need extra steps only afterwards', () => {
    for (const { name } of peerPolicies) {
      const result = results.get(name);
      expect(result?.extraBefore).toBe(0);
      expect(result?.extraAfter).toBeGreaterThan(0);
      expect(result?.waited).toBeGreaterThanOrEqual(20 * (result?.compactions ?? 0));
      expect(result?.compactions).toBeGreaterThan(0);
    }
  });

  // Without drafts: the engine waits 40 ms for one that is nearly ready, and a busy machine gives other figures.
  test.each([...peerPolicies.slice(0, 1), ...ourPolicies({ threadSummary: 'off' }).slice(0, 1)])(
    '$name: the same plan has the same figures',
    async (policy) => {
      expect(await work(plan, policy, 64_000)).toEqual(await work(plan, policy, 64_000));
    },
  );
});

test('if nothing is reduced, nothing is looked up, and all cost the same', {
  tags: 'long',
}, async () => {
  const plan = makePlan(shortTask, 1);
  const policies = [...peerPolicies, ...ourPolicies().filter(({ name }) => name === DEFAULT)];
  const costs: number[] = [];
  for (const policy of policies) {
    const result = await work(plan, policy, 200_000);
    expect(result).toMatchObject({ extraBefore: 0, extraAfter: 0, wrongEdits: 0, compactions: 0, reuse: 1 });
    costs.push(result.costs[0] ?? 0);
  }
  expect(Math.max(...costs) / Math.min(...costs)).toBeLessThan(1.01);
});
