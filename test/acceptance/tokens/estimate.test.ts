/** The first estimate, before there is an exact count. */
import { expect, test } from 'vitest';
import { estimateTokens, getChineseRatio } from '../../../src/context/index.ts';
import { growth } from '../../cpuTime.ts';

test('an estimate is one token per 1.8 Chinese or 4 other characters', () => {
  expect(estimateTokens('中'.repeat(100))).toBe(56);
  expect(estimateTokens('a'.repeat(400))).toBe(100);
  expect(Math.abs(estimateTokens('中'.repeat(50) + 'b'.repeat(200)) - 78)).toBeLessThanOrEqual(1);
  expect(estimateTokens('')).toBe(0);
  expect([getChineseRatio(''), getChineseRatio('中文ab'), getChineseRatio('abc')]).toEqual([0, 0.5, 0]);
});

test('the time of an estimate grows linearly with any text', () => {
  const prose = 'The scanner 扫描 reads 3,142 files in lib/scan.js — fast. ';
  for (const part of [prose, 'a', '中', '😀', '\n', '{"a":[1,2]}'])
    expect(growth(estimateTokens, part)).toBeLessThan(4);
});
