/**
 * Results that are too long to show are stored, pointed to, and read again, even on another day.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { textOf } from '../../e2e/support/wire.ts';
import { servePages } from '../support/pages.ts';
import { openProject, use } from '../support/project.ts';

test('a page of 200 kB is offloaded, and any part of it can be read again', async () => {
  const text = Array.from({ length: 20_000 }, (_, n) => `word${String(n).padStart(5, '0')}`).join(' ');
  expect(text.length).toBeGreaterThan(199_000);
  const page = await servePages({ '/long.txt': text, '/short.txt': 'A short page. '.repeat(200) });
  const project = await openProject({ settings: { webFetch: { allowPrivate: true } } });
  const first = await project.run('read the page', {
    replies: [
      { calls: [use('WebFetch', { url: `${page}/long.txt` })] },
      { calls: [use('WebFetch', { url: `${page}/short.txt` })] },
      { text: 'I have it.' },
    ],
  });
  const shown = textOf(first.requests[1]?.messages.at(-1));
  const { _OFFLOADED_: pointer, originalSize } = JSON.parse(shown) as {
    _OFFLOADED_: { memoryId: string; summary: string; preview: string; totalLength: number };
    originalSize: number;
  };
  expect(pointer.memoryId).toMatch(/^[0-9a-f]{8,64}$/);
  expect(pointer.preview.length).toBeLessThanOrEqual(500);
  expect(pointer.summary).toContain('Recall');
  expect(pointer.totalLength).toBeGreaterThanOrEqual(text.length);
  expect(originalSize).toBeGreaterThan(1000);
  expect(textOf(first.requests[2]?.messages.at(-1))).toContain('A short page. '.repeat(200).trim());

  const whole = await project.blob(pointer.memoryId);
  const part = whole.subarray(100_000, 101_000).toString();
  const second = await project.run('and bytes 100 k to 101 k?', {
    resume: first.sessionId,
    replies: [
      { calls: [use('Recall', { id: pointer.memoryId, offset: 100_000, limit: 1000 })] },
      { text: 'Here.' },
    ],
  });
  expect(textOf(second.requests[1]?.messages.at(-1))).toContain(part);
  expect(text).toContain(part);
});
