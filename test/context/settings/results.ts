/** How much of a tool's output a request contains. */
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import type { ToolOutcome } from '../../../src/protocol/tools.ts';
import { ask, call, outcome, type TestHome } from '../harness.ts';
import { proof } from './proof.ts';
import { open, text } from './scenes.ts';

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');
const list = JSON.stringify(Array.from({ length: 50 }, (_, index) => ({ name: `item ${index}` })));
const page = Array.from({ length: 200 }, (_, index) => `# Heading ${index}\n\nA paragraph of words.`).join(
  '\n',
);
const windowTokens = 200_000;

export const resultProofs = [
  proof('truncate.maxLines', {
    to: 100,
    windowTokens,
    see: async (home) => (await shown(home, 'Read', lines(3000), 'file')).split('\n').length,
    changes: (changed, byDefault) => {
      expect(byDefault).toBeLessThanOrEqual(2000);
      expect(byDefault).toBeGreaterThan(1900);
      expect(changed).toBeLessThanOrEqual(100);
    },
  }),
  proof('truncate.maxBytes', {
    to: 5000,
    windowTokens,
    see: async (home) => Buffer.byteLength(await shown(home, 'Read', 'word '.repeat(20_000), 'file')),
    changes: (changed, byDefault) => {
      expect(byDefault).toBeLessThanOrEqual(51_200);
      expect(byDefault).toBeGreaterThan(40_000);
      expect(changed).toBeLessThanOrEqual(5000);
    },
  }),
  proof('truncate.direction', {
    to: 'tail',
    windowTokens,
    see: (home) => shown(home, 'Read', lines(3000), 'file'),
    changes: (changed, byDefault) => {
      expect([byDefault.includes('line 0\n'), byDefault.endsWith('line 2999')]).toEqual([true, false]);
      expect([changed.includes('line 0\n'), changed.endsWith('line 2999')]).toEqual([false, true]);
    },
  }),
  proof('truncate.outputDir', {
    to: 'long-outputs',
    windowTokens,
    see: async (home) => {
      const said = await shown(home, 'Read', lines(3000), 'file');
      const path = /or the file (\S+)\]/.exec(said)?.[1];
      return path === undefined ? undefined : readFile(path, 'utf8');
    },
    changes: (changed, byDefault) => expect([changed, byDefault]).toEqual([lines(3000), undefined]),
  }),
  proof('offload.maxListItems', {
    to: 5,
    windowTokens,
    see: async (home) => [...(await shown(home, 'mcp', list, 'list')).matchAll(/item \d+/g)].length,
    changes: (changed, byDefault) => expect([changed, byDefault]).toEqual([5, 20]),
  }),
  proof('offload.maxResultTokens', {
    to: 20_000,
    windowTokens,
    see: async (home) => (await shown(home, 'WebFetch', page, 'document')).length,
    changes: (changed, byDefault) => {
      expect(byDefault).toBeLessThan(page.length / 2);
      expect(changed).toBe(page.length);
    },
  }),
  proof('offload.textPreviewLength', {
    to: 50,
    windowTokens,
    see: async (home) => (await shown(home, 'WebFetch', 'word '.repeat(4000), 'document')).length,
    changes: (changed, byDefault) => expect(byDefault - changed).toBeGreaterThan(400),
  }),
  proof('toolResultCompression', {
    to: false,
    windowTokens,
    see: async (home) => [...(await shown(home, 'mcp', list, 'list')).matchAll(/item \d+/g)].length,
    changes: (changed, byDefault) => expect([changed, byDefault]).toEqual([50, 20]),
  }),
];

/** The part of a result that the model sees. */
async function shown(
  home: TestHome,
  tool: string,
  output: string,
  kind: NonNullable<ToolOutcome['kind']>,
): Promise<string> {
  const context = await open(home);
  await context.addMessage('user', 'look');
  const one = call('call_1', tool);
  await context.appendReply(ask([one]));
  await context.appendToolResult({ call: one, outcome: outcome(output, { kind }) });
  const last = context.getMessages().at(-1);
  // The path of the original differs from test to test.
  return last === undefined ? '' : text(last).replaceAll(/\/\S+\/blobs\/\S+/g, '<blob>');
}
