import { describe, expect, test } from 'vitest';
import { boundOutput } from '../../../src/context/results/boundOutput.ts';
import { BlobStore } from '../../../src/context/storage/BlobStore.ts';
import { estimateTokens, HIGH } from '../../../src/context/tokens/estimate.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { testLogs } from './logs/logs.ts';

const limits = { maxLines: 2000, maxBytes: 51_200, maxTokens: 2000 };
const cut = async (text: string, blobs: BlobStore) => boundOutput({ text, kind: 'command' }, limits, blobs);

describe('a log of a build or test tool, cut to 2,000 tokens', () => {
  test.each(testLogs().map((log) => [log.tool, log] as const))('of %s keeps what decides', async (_, log) => {
    const blobs = new BlobStore(temporaryFolder());
    expect(estimateTokens(log.text, HIGH)).toBeGreaterThan(2 * limits.maxTokens);
    const { text, partial, original } = await cut(log.text, blobs);
    expect(partial).toBe(true);
    expect(estimateTokens(text, HIGH)).toBeLessThanOrEqual(limits.maxTokens);
    expect(text).toMatch(/^\[Output truncated: .*Recall\("[0-9a-f]{12}"\)\]\n/);
    expect(text.endsWith(`\n${log.status}`)).toBe(true);
    expect(text).toContain(log.firstError.trim());
    expect(text).toContain(log.lastError.trim());
    expect(log.places.filter((place) => !text.includes(place))).toEqual([]);
    expect((await blobs.read({ hash: original?.hash ?? '' }))?.toString()).toBe(log.text);
  });

  test('keeps at least 98 of 100 places over all of them', async () => {
    const blobs = new BlobStore(temporaryFolder());
    let all = 0;
    let kept = 0;
    for (const { text, places } of testLogs()) {
      const shown = (await cut(text, blobs)).text;
      all += places.length;
      kept += places.filter((place) => shown.includes(place)).length;
    }
    expect(all).toBeGreaterThan(80);
    expect(kept / all).toBeGreaterThanOrEqual(0.98);
  });
});
