/** Counts what the engine does to make room. It listens, because the log drops its oldest entries from memory. */
import { reductionOf } from '../../../src/context/history/reductions.ts';
import type { ContextManager } from '../../../src/context/index.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';

export interface Swaps {
  readonly summaries: number;
  readonly removals: number;
  readonly masks: number;
}

export class SwapCounter {
  #summaries = 0;
  #removals = 0;
  #masks = 0;
  #last: unknown;
  #isNew = false;

  constructor(manager: ContextManager) {
    manager.subscribe((entry) => this.#see(entry));
  }

  swaps(): Swaps {
    return { summaries: this.#summaries, removals: this.#removals, masks: this.#masks };
  }

  /** Whether anything was reduced since this was last asked. */
  takeNew(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }

  /** Several reductions of a kind that follow each other are one batch. */
  #see(entry: JSONLEntry): void {
    const { subtype, isCompactSummary } = entry;
    const { kind, reason } = reductionOf(entry) ?? {};
    if (isCompactSummary === true) this.#summaries++;
    if (kind === 'remove' && this.#last !== kind) this.#removals++;
    // Steps that came behind a draft become lines as a part of its compaction.
    if (kind === 'mask' && reason !== 'compaction' && this.#last !== kind) this.#masks++;
    if (isCompactSummary === true || subtype === 'reduction') this.#isNew = true;
    this.#last = kind;
  }
}
