import { expect, test } from 'vitest';
import type { SubagentStatus } from '../../../src/protocol/extensions/subagents.ts';
import { liveToolLines } from '../../../src/ui/live/LiveArea.tsx';
import { textWidth } from '../../../src/ui/print/width.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';

const theme = chooseTheme('plain', { noColor: true });
const status: SubagentStatus = {
  callId: 'c1',
  id: 'a1',
  agent: 'explore',
  description: 'find the entry',
  startedAtMs: 0,
  step: 3,
  doing: 'Grep(module.exports)',
  tokens: 12_345,
};
const tool = { callId: 'c1', tool: 'Agent', title: 'explore: find the entry', output: '', subagent: status };

test.each([
  [100, '● Agent(explore: find the entry)  step 3 · Grep(module.exports) · 12.3k tokens · 41s'],
  [70, '● Agent(explore: find the entry)  step 3 · Grep(module.exports) · 41s'],
  [50, '● Agent(explore: find the entry)  Grep(modu… · 41s'],
])('a running subagent on %d columns', (width, expected) => {
  const [line = ''] = liveToolLines([tool], width, 5, theme, 41_000);
  expect(line).toBe(expected);
});

test('the line of a subagent fits every width', { tags: 'long' }, () => {
  for (let width = 20; width <= 200; width += 1)
    for (const doing of ['thinking', '模型'.repeat(80), 'x\u001B[31m\u202E'.repeat(40)]) {
      const lines = liveToolLines([{ ...tool, subagent: { ...status, doing } }], width, 5, theme, 41_000);
      expect(lines).toHaveLength(1);
      expect(textWidth(lines[0] ?? '')).toBeLessThanOrEqual(width);
      expect(lines[0]).not.toMatch(/[\u001B\u202E]/);
    }
});
