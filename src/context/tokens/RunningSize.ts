import { type RequestPart, requestParts } from '../../protocol/contextReport.ts';
import { addTo, noTokens } from './classes.ts';
import type { Measured } from './measured.ts';

/** Tokens of a request that is added up message by message: by part, and by class of characters. */
export class RunningSize {
  readonly #parts = new Map<RequestPart, number>(requestParts.map((name) => [name, 0]));
  readonly #classes = noTokens();
  #exact = true;

  add(part: RequestPart, { tokens, classes, exact }: Measured): void {
    this.#parts.set(part, this.of(part) + tokens);
    addTo(this.#classes, classes);
    this.#exact &&= exact;
  }

  of(part: RequestPart): number {
    return this.#parts.get(part) ?? 0;
  }

  /** False while any of it is an estimate. */
  get exact(): boolean {
    return this.#exact;
  }

  /** Tokens by class, small enough to be stored with a reply. */
  features(): readonly number[] {
    return Array.from(this.#classes, (tokens) => Math.round(tokens));
  }

  copy(): RunningSize {
    const copy = new RunningSize();
    for (const [part, tokens] of this.#parts) copy.#parts.set(part, tokens);
    copy.#classes.set(this.#classes);
    copy.#exact = this.#exact;
    return copy;
  }
}
