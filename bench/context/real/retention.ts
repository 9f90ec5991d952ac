/** The same score for the product's own engine; look-ups are real recalls. */
import type { ContextManager } from '../../../src/context/index.ts';
import type { Message } from '../../../src/protocol/messages.ts';
import { createScoring } from '../report/retention.ts';
import type { PlantedTrace } from '../retention/needles.ts';
import { type Score, score } from '../retention/score.ts';

/** Of the facts that a request does not say, one in this many is really looked up: each takes a search. */
const SAMPLED = 30;

export class RealScores {
  readonly scores: Score[] = [];
  readonly #needles: PlantedTrace['needles'];
  readonly #isScored: (event: number) => boolean;

  constructor({ needles, trace }: PlantedTrace) {
    this.#needles = needles;
    this.#isScored = createScoring(trace.events.length);
  }

  readonly onRequest = async (
    messages: readonly Message[],
    event: number,
    manager: ContextManager,
  ): Promise<void> => {
    if (!this.#isScored(event)) return;
    const request = messages.map(textOf).join('\n');
    const known = this.#needles.filter((needle) => needle.event < event);
    const all = await score(known, request, () => undefined);
    const missing = known.filter(({ value }) => !request.includes(value));
    const sample = missing.filter((_needle, index) => index % SAMPLED === 0);
    const found = await score(sample, '', async ({ label }) => {
      const answer = await manager.recall({ query: label }, AbortSignal.timeout(10_000));
      return answer.text;
    });
    const missingShare = missing.length / Math.max(1, known.length);
    this.scores.push({ ...all, reachable: all.verbatimAll + missingShare * found.reachable });
  };
}

function textOf(message: Message): string {
  const content = typeof message.content === 'string' ? message.content : JSON.stringify(message.content);
  if (message.role !== 'assistant') return content;
  return [content, ...message.toolCalls.map((call) => call.arguments)].join('\n');
}
