/**
 * The attentive reader. Before a step that needs an exact text, it looks for that text in the request that is about to
 * be sent. It knows nothing else: not which policy built the request, nor what an earlier request held.
 *
 * - `shown`: a message contains the text, character for character. The step goes ahead.
 * - `stale`: no message contains it, but one contains an earlier version, and no later message other than a prompt
 *   names the thing. The reader takes the earlier version for the current one and goes wrong.
 * - `missing`: neither of these, but a message names the file, the type, the test or the subject. The reader notices
 *   that it has to look the text up, which costs a step.
 * - `forgotten`: nothing in the request hints at it. The reader guesses and goes wrong.
 */
import type { Need } from './plan.ts';
import type { Shown } from './render.ts';

export type Judgement = 'shown' | 'stale' | 'missing' | 'forgotten';

/** Judges one need by the rules above. */
export function judge(need: Need, request: readonly Shown[]): Judgement {
  if (request.some(({ text }) => text.includes(need.text))) return 'shown';
  const names = ({ text }: Shown): boolean => need.signs.some((sign) => text.includes(sign));
  const stale = request.findLastIndex(({ text }) => need.earlier.some((old) => text.includes(old)));
  if (stale >= 0) {
    const later = request.slice(stale + 1).filter(({ isPrompt }) => !isPrompt);
    return later.some(names) ? 'missing' : 'stale';
  }
  return request.some(names) ? 'missing' : 'forgotten';
}
