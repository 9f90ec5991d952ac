import { expect, test } from 'vitest';
import { ByteCollector } from '../../../src/protocol/text/byteCollector.ts';

test('pieces of any size are collected in order, and what was taken stays as it is', () => {
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, at) => at % 251));
  for (const size of [1, 2, 1023, 1024, 1025, 5000]) {
    const collector = new ByteCollector();
    const collect = (): Uint8Array => {
      for (let at = 0; at < bytes.length; at += size) collector.add(bytes.subarray(at, at + size));
      expect(collector.length).toBe(bytes.length);
      return collector.take();
    };
    const first = collect();
    expect(collector.length).toBe(0);
    collector.add(Buffer.from('other'));
    expect(Buffer.from(collector.take()).toString()).toBe('other');
    collect();
    expect(Buffer.from(first).equals(bytes)).toBe(true);
  }
});

test('ten million bytes in pieces of two take little more memory than their size', () => {
  const collector = new ByteCollector();
  const piece = Buffer.from('ab');
  const before = process.memoryUsage();
  for (let at = 0; at < 5_000_000; at += 1) collector.add(piece);
  const after = process.memoryUsage();
  expect(collector.length).toBe(10_000_000);
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(60_000_000);
});
