/** Who writes a summary, when, of what length, and what is kept next to it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ContextManager } from '../../../src/context/index.ts';
import { ask, call, failure, outcome, type Step, summary, type TestHome } from '../harness.ts';
import { proof } from './proof.ts';
import {
  always,
  longPrompts,
  open,
  reductions,
  round,
  shownPrompts,
  text,
  toolStep,
  words,
} from './scenes.ts';

export const compactionProofs = [
  proof('strategy', {
    to: 'middle-removal',
    settings: { summary: 'simple' },
    see: async (home) => reductions(await longPrompts(home)).map(({ kind }) => kind),
    changes: (changed, byDefault) => {
      expect(byDefault).toContain('summary');
      expect(changed).toEqual(['remove']);
    },
  }),
  proof('compact.auto', {
    to: false,
    settings: { strategy: 'summary', summary: 'simple' },
    see: (home) => strategies(home, 35),
    changes: (changed, byDefault) => {
      expect(byDefault).toContain('summary');
      expect(changed).toEqual([]);
    },
  }),
  proof('summary', {
    to: 'simple',
    settings: { strategy: 'summary', threadSummary: 'off' },
    see: async (home) => {
      always(home);
      const kinds = await strategies(home, 40);
      const ended = home.events.flatMap((event) =>
        event.type === 'compaction_ended' ? [event.report.outcome] : [],
      );
      return { kinds, asked: home.summaries.requests.length, ended: [...new Set(ended)] };
    },
    changes: (changed, byDefault) => {
      expect(byDefault.asked).toBeGreaterThan(0);
      // No failure and no notice: it was the user's choice.
      expect(changed.ended).toEqual(['done']);
      expect(changed).toEqual({ ...changed, asked: 0, kinds: byDefault.kinds });
    },
  }),
  proof('threadSummary', {
    to: 'off',
    settings: { strategy: 'summary' },
    see: async (home) => {
      always(home);
      const context = await open(home);
      await context.addMessage('user', 'do it all');
      for (let index = 0; home.summaries.requests.length === 0 && index < 60; index++)
        await toolStep(context, home, `s${index}`, 400);
      const { usedTokens, triggerTokens } = context.measure([]);
      return { usedTokens, triggerTokens, kinds: reductions(context).map(({ kind }) => kind) };
    },
    changes: (changed, byDefault) => {
      expect(byDefault.kinds).toEqual([]);
      expect(byDefault.usedTokens).toBeLessThan(byDefault.triggerTokens);
      expect(changed.usedTokens).toBeLessThan(byDefault.usedTokens);
      expect(changed.kinds).toEqual(['summary']);
    },
  }),
  proof('compact.retain', {
    to: 0.05,
    see: async (home) => (await compacted(home)).length,
    changes: (changed, byDefault) => expect(changed).toBeLessThan(byDefault),
  }),
  proof('compact.fallbackRetain', {
    to: 0.05,
    see: async (home) => (await compacted(home, () => Promise.reject(new Error('no such device')))).length,
    changes: (changed, byDefault) => expect(changed).toBeLessThan(byDefault),
  }),
  proof('minRetainRounds', {
    to: 10,
    windowTokens: 64_000,
    see: async (home) => (await compacted(home, undefined, 2000)).length,
    changes: (changed, byDefault) => {
      expect(byDefault).toBeLessThan(10);
      expect(changed).toBe(10);
    },
  }),
  proof('compact.maxFailures', {
    to: 1,
    settings: { strategy: 'summary', threadSummary: 'on' },
    see: async (home) => {
      always(home, failure());
      await strategies(home, 60);
      return home.summaries.requests.length;
    },
    changes: (changed, byDefault) => expect([changed, byDefault]).toEqual([1, 3]),
  }),
  proof('compact.maxFiles', {
    to: 2,
    windowTokens: 200_000,
    see: async (home) => (await quoted(home)).files.length,
    changes: (changed, byDefault) => expect([changed, byDefault]).toEqual([2, 5]),
  }),
  proof('compact.maxFileLines', {
    to: 10,
    windowTokens: 200_000,
    see: async (home) => {
      const { sent } = await quoted(home, 1);
      return [...sent.matchAll(/(\d+) of file0/g)].map(([, line]) => Number(line)).at(-1);
    },
    changes: (changed, byDefault) => expect([changed, byDefault]).toEqual([9, 999]),
  }),
  proof('compact.maxMessageCharacters', {
    to: 1000,
    see: async (home) => {
      const tooLong: Step = {
        type: 'failed',
        error: { kind: 'overflow', message: 'too long', retryable: false, windowTokens: 16_000 },
      };
      home.summaries.expect(tooLong, summary('## 1. Primary request and intent\nfoxes'));
      const context = await open(home);
      await context.addMessage('user', 'do it all');
      for (const name of ['a', 'b', 'c', 'd']) await toolStep(context, home, name, 2200);
      await context.compressCurrentContext({ ...home.options() });
      const lengths = home.summaries.requests.map(({ messages }) =>
        Math.max(...messages.filter(({ role }) => role === 'tool').map((message) => text(message).length)),
      );
      return lengths;
    },
    changes: (changed, byDefault) => {
      expect(changed[0]).toBe(byDefault[0]);
      expect(byDefault[1]).toBeLessThanOrEqual(5100);
      expect(byDefault[1]).toBeGreaterThan(4000);
      expect(changed[1]).toBeLessThanOrEqual(1100);
    },
  }),
];

/** The kinds of reductions within this many steps. */
async function strategies(home: TestHome, steps: number): Promise<readonly string[]> {
  const context = await open(home);
  await context.addMessage('user', 'do it all');
  for (let index = 0; index < steps; index++) await toolStep(context, home, `s${index}`, 500);
  return reductions(context).map(({ kind }) => kind);
}

/** The prompts that remain after `/compact`. */
async function compacted(home: TestHome, answer?: Step, tokens = 500): Promise<readonly string[]> {
  always(home, answer);
  const context = await open(home);
  for (let index = 0; index < 20; index++) await round(context, `p${index}`, tokens);
  const report = await context.compressCurrentContext({ ...home.options() });
  expect(report.outcome).toBe(answer === undefined ? 'done' : 'fallback');
  return shownPrompts(context);
}

async function quoted(
  home: TestHome,
  count = 8,
): Promise<{ readonly files: readonly string[]; readonly sent: string }> {
  always(home);
  const context = await open(home);
  await writeFiles(home, count, 1200);
  await context.addMessage('user', 'read all files');
  for (let index = count - 1; index >= 0; index--) await mention(context, `src/file${index}.ts`);
  await context.addMessage('user', `go on ${words(50_000)}`);
  await round(context, 'p', 100);
  const report = await context.compressCurrentContext({ ...home.options() });
  expect(report.outcome).toBe('done');
  const sent = context.getMessages().map(text).join('\n');
  const boundary = context.entries().find(({ subtype }) => subtype === 'compact_boundary');
  return { files: boundary?.compactMetadata?.filesIncluded ?? [], sent };
}

async function writeFiles(home: TestHome, count: number, lines: number): Promise<void> {
  await mkdir(join(home.root, 'src'), { recursive: true });
  for (let index = 0; index < count; index++) {
    const content = Array.from({ length: lines }, (_, line) => `${line} of file${index}`).join('\n');
    await writeFile(join(home.root, `src/file${index}.ts`), content);
  }
}

/** Records a file that a call named. */
async function mention(context: ContextManager, path: string): Promise<void> {
  const one = call(`read_${path}`, 'Read', { file_path: path });
  await context.appendReply(ask([one]));
  await context.appendToolResult({ call: one, outcome: outcome(`read ${words(1500)}`) });
}
