/** Drafting the next summary at the end of a turn pays off only if the user continues. */

import { expect, test } from 'vitest';
import { sessionOf } from '../context/sessionOf.ts';
import { says } from './scriptedModel.ts';
import { startAgent } from './testAgent.ts';

const long = 'The quick brown fox jumps over the lazy dog. '.repeat(640);

test.each([
  ['in an interactive session, the next summary is drafted while the user reads', true, 'ready'],
  ['in a run with a single prompt, no summary is drafted', false, 'none'],
])('at the end of a turn %s', async (_, interactive, state) => {
  const { context, ask } = await startAgent({
    windowTokens: 10_000,
    interactive,
    settings: { threadSummary: 'on' },
    answers: [says(long), ...(interactive ? [says('1. Primary request and intent\nFoxes.')] : [])],
  });
  await ask('Tell me of foxes');
  const { usedTokens, triggerTokens } = context.measure([]);
  expect(usedTokens).toBeGreaterThan(0.8 * triggerTokens);
  expect(usedTokens).toBeLessThan(triggerTokens);
  await sessionOf(context).thread.settled();
  expect(context.draft()).toBe(state);
});
