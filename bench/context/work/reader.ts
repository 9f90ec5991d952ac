/**
 * The attentive reader. Before a step that needs an exact text it looks for that text in the request as it is about
 * to be sent, and knows nothing else: neither the policy that built the request nor what an earlier one held.
 *
 * - `shown`: some message holds the text. The step can be done.
 * - `stale`: no message does, but one holds what stood there before, and no later message besides the user's prompts
 *   names the thing. The reader takes the old text for the present one, and goes wrong.
 * - `missing`: neither, but a message names the file, the type, the test or the subject. The reader sees that it has
 *   to look, and looks: a step of its own.
 * - `forgotten`: nothing shows that there was anything. The reader guesses, and goes wrong.
 */
import type { Need } from './plan.ts';
import type { Shown } from './render.ts';

export type Judgement = 'shown' | 'stale' | 'missing' | 'forgotten';

/** What a request says about one need. */
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
