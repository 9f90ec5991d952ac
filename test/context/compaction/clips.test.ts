import { describe, expect, test } from 'vitest';
import { clipResults } from '../../../src/context/compaction/clips.ts';
import { boundOutput, type OutputOptions } from '../../../src/context/results/boundOutput.ts';
import { BlobStore } from '../../../src/context/storage/BlobStore.ts';
import { estimateTokens } from '../../../src/context/tokens/estimate.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

type ToolOutput = Parameters<typeof boundOutput>[0];

const limits = { maxLines: 300, maxBytes: 9000 };
const numbered = (count: number, word = 'row'): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index + 1} of what was printed`).join('\n');

/** A result as it is admitted, then clipped to `tokens`. */
async function clipped(output: ToolOutput, tokens: number, options: OutputOptions = {}): Promise<string> {
  const admitted = await boundOutput(output, limits, new BlobStore(temporaryFolder()), options);
  const { text, original, truncation } = admitted;
  const { kind, display, status } = output;
  const result = {
    seq: 7,
    uuid: 'r',
    toolResult: { id: 'c', output: text, kind, display, status, original, truncation },
  } as unknown as Parameters<typeof clipResults>[0][number]['result'];
  const [clip] = clipResults([{ result, tokens }], estimateTokens);
  expect(estimateTokens(clip?.output ?? '')).toBeLessThanOrEqual(tokens);
  return clip?.output ?? '';
}

/** The numbers of the rows that a text shows, as ranges. */
function shown(text: string): string {
  const numbers = [...text.matchAll(/^row (\d+) of/gm)].map(([, number]) => Number(number));
  const ranges: number[][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => `${from}-${to}`).join(' and ');
}

describe('a clipped result', () => {
  test.each([
    ['complete until now', { kind: 'file' as const }, numbered(200), {}, 200],
    ['cut to its beginning before', { kind: 'file' as const }, numbered(743), {}, 743],
    ['cut to its end before', { kind: 'file' as const }, numbered(743), { direction: 'tail' as const }, 743],
    ['cut to beginning and end before', { kind: 'command' as const }, numbered(743), {}, 743],
  ])('%s says in one notice which lines remain', async (_, facts, text, options, total) => {
    const clip = await clipped({ ...facts, text }, 400, options);
    const [notice, ...rest] = clip.split('\n');
    expect(notice).toMatch(/^\[Output truncated: .* bytes\. All: Recall\("[^"]+"\)\]$/);
    expect(notice).toContain(`: lines ${shown(clip)} of ${total}, `);
    expect(rest.join('\n')).not.toContain('[Output truncated');
  });

  test('names the error lines that are also kept', async () => {
    const lines = numbered(743).split('\n');
    lines[400] = 'src/a.ts(4,2): error TS2322: no';
    const clip = await clipped({ kind: 'command', text: lines.join('\n') }, 400);
    expect(clip).toContain('error TS2322');
    expect(clip.split('\n')[0]).toContain(`: lines ${shown(clip)} of 743, and 1 error line, `);
  });

  test('has no notice of its structure either, and names no lines if they are unknown', async () => {
    const text = Array.from(
      { length: 900 },
      (_, n) => `src/f${n % 30}.ts:${n}: const value${n} = ${n};`,
    ).join('\n');
    const clip = await clipped({ kind: 'search', text }, 300, {
      offload: { minDocumentTokens: 1, maxListItems: 20, maxResultTokens: 2000 } as never,
    });
    expect(clip).not.toContain('_note_');
    expect(clip.split('\n')[0]).toMatch(/^\[Output truncated: beginning and end, \d+ of 900 lines, /);
  });

  test('keeps a first line that only looks like a notice', async () => {
    const clip = await clipped({ kind: 'command', text: `[Output truncated: x]\n${numbered(250)}` }, 400);
    expect(clip.split('\n')[1]).toBe('[Output truncated: x]');
    expect(clip.split('\n')[0]).toMatch(/: lines 1-\d+ and \d+-251 of 251, /);
  });
});

test('code shown by a command is not kept as its error', async () => {
  const code = Array.from({ length: 900 }, (_, n) =>
    n % 9 === 4
      ? "      throw new SyntaxError(syntaxError('opening', '('));"
      : n % 9 === 7
        ? '      const inner = prev.value.slice(1);'
        : ` * Line ${n} of a comment about an error`,
  ).join('\n');
  const display = { title: 'cat lib/parse.js lib/scan.js' };
  for (const facts of [{ kind: 'command' as const, display }, { kind: 'file' as const }]) {
    const clip = await clipped({ ...facts, status: 'ok', text: code }, 400);
    expect(clip.split('\n')[0]).toMatch(/: lines 1-\d+(?: and \d+-900)? of 900, [\d,]+ of/);
    expect(clip.split('\n').filter((line) => line === '…')).toEqual([]);
  }
});
