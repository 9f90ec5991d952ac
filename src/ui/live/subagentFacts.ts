/** What a running subagent is at, as the end of its line. Pure. */
import type { SubagentStatus } from '../../protocol/extensions/subagents.ts';
import { agentToolName } from '../../protocol/toolNames.ts';
import { formatDuration, formatTokens } from '../print/numbers.ts';
import { reveal, sanitizeLine } from '../print/sanitize.ts';
import { textWidth, truncate } from '../print/width.ts';

/** Columns of its title that come before what it is at. */
const TITLE_COLUMNS = 32;
/** Fewer columns say nothing about a call. */
const LEAST_DOING = 8;

/** E.g. `step 3 · Grep(foo) · 12.3k tokens · 41s`, as much of it as fits next to the title. Without `now`, no time. */
export function subagentFacts(
  { step, doing, tokens, startedAtMs }: SubagentStatus,
  title: string,
  width: number,
  now?: number,
): string {
  const time = now === undefined ? [] : [formatDuration(Math.floor((now - startedAtMs) / 1000) * 1000)];
  const seconds = time.map((text) => text.replace('.0s', 's'));
  const steps = step === 0 ? [] : [`step ${step}`];
  const size = tokens === 0 ? [] : [`${formatTokens(tokens)} tokens`];
  const room = width - agentToolName.length - Math.min(textWidth(title), TITLE_COLUMNS) - 6;
  const fixed = [[...steps, ...size, ...seconds], [...steps, ...seconds], [...seconds]];
  const leftBeside = (facts: readonly string[]): number => room - textWidth(facts.join(' · ')) - 3;
  // What it is doing matters more than its size.
  const facts =
    fixed.find((some) => leftBeside(some) >= LEAST_DOING) ??
    fixed.find((some) => leftBeside(some) >= -3) ??
    [];
  const left = leftBeside(facts);
  const what = left < LEAST_DOING ? [] : [truncate(sanitizeLine(reveal(doing)), left)];
  const [first, ...rest] = facts;
  if (first === undefined || first !== steps[0]) return [...what, ...facts].join(' · ');
  return [first, ...what, ...rest].join(' · ');
}
