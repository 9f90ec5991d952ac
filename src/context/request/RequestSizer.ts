/**
 * Counts the request for a view. Since a request mostly grows at its end and is measured several times per step, the
 * sums for its unchanged prefix are kept.
 */
import { type RequestPart, requestParts } from '../../protocol/contextReport.ts';
import type { Message, ToolSchema } from '../../protocol/messages.ts';
import { type Atom, isPrompt } from '../history/atoms.ts';
import type { View } from '../history/view.ts';
import type { TokenCounter } from '../TokenCounter.ts';
import type { Measured } from '../tokens/measured.ts';
import { addTo, noTokens } from '../tokens/tokenClasses.ts';
import { convertToStandardMessages, type ProjectionPolicy, renderAtom } from './standardMessages.ts';

/** Number of atoms between two stored sums. */
const STRIDE = 32;

export class RequestSizer {
  readonly #counter: TokenCounter;
  #last: Counted | undefined;

  constructor(counter: TokenCounter) {
    this.#counter = counter;
  }

  of(view: View, tools: readonly ToolSchema[], policy: ProjectionPolicy): RequestSizes {
    const input = view.atoms.findLastIndex((atom) => isPrompt(atom.head));
    const sums = this.#knownSums(view, input, policy) ?? [this.#sumOfHead(view, policy)];
    const sum = sums.at(-1)?.copy() ?? new RunningSize();
    for (let index = (sums.length - 1) * STRIDE; index < view.atoms.length; index++) {
      if (index > 0 && index % STRIDE === 0 && index / STRIDE >= sums.length) sums.push(sum.copy());
      const atom = view.atoms[index];
      if (atom !== undefined) this.#addAtom(sum, atom, partOf(atom, index === input), view, policy);
    }
    this.#last = { view, input, policy, counts: this.#counter.generation, sums };
    for (const tool of tools) sum.add('tools', this.#counter.measured(tool));
    const parts = requestParts.map((name) => ({
      name,
      tokens: sum.of(name) + (name === 'history' ? this.#counter.countMessages([]) : 0),
    }));
    return {
      parts,
      total: parts.reduce((total, { tokens }) => total + tokens, 0),
      fixed: parts.slice(0, 3).reduce((total, { tokens }) => total + tokens, 0),
      exact: sum.exact,
      features: sum.features(),
    };
  }

  /** The stored sums before the first atom that changed or moved to another part. */
  #knownSums(view: View, input: number, policy: ProjectionPolicy): RunningSize[] | undefined {
    const last = this.#last;
    if (last === undefined || last.policy !== policy || last.counts !== this.#counter.generation)
      return undefined;
    const { systemPrompt, instructions, summary, replacements } = last.view;
    if (systemPrompt !== view.systemPrompt || instructions !== view.instructions) return undefined;
    if (summary !== view.summary || replacements !== view.replacements) return undefined;
    if (last.view.userMessages !== view.userMessages) return undefined;
    const isSameInput = last.input === input && last.view.atoms[input] === view.atoms[input];
    const inputs = isSameInput ? [] : [last.input, input].filter((index) => index !== -1);
    const same = Math.min(commonLength(last.view.atoms, view.atoms), ...inputs);
    return last.sums.slice(0, Math.floor(same / STRIDE) + 1);
  }

  #sumOfHead(view: View, policy: ProjectionPolicy): RunningSize {
    const bare: View = { ...view, systemPrompt: '', instructions: [], summary: undefined, atoms: [] };
    const sum = new RunningSize();
    const add = (part: RequestPart, messages: readonly Message[]): void => {
      for (const message of messages) sum.add(part, this.#counter.measured(message));
    };
    add('system', convertToStandardMessages({ ...bare, systemPrompt: view.systemPrompt }, policy));
    add('instructions', convertToStandardMessages({ ...bare, instructions: view.instructions }, policy));
    const { summary, userMessages } = view;
    add('summary', convertToStandardMessages({ ...bare, summary, userMessages }, policy));
    return sum;
  }

  /** Counts shortened results separately. */
  #addAtom(sum: RunningSize, atom: Atom, part: RequestPart, view: View, policy: ProjectionPolicy): void {
    for (const [index, message] of renderAtom(atom, view, policy).entries()) {
      const result = index === 0 ? undefined : atom.calls[index - 1]?.result;
      const isMasked = result !== undefined && view.replacements.has(result.uuid);
      sum.add(isMasked ? 'masked' : part, this.#counter.measured(message));
    }
  }
}

/** The last count. */
interface Counted {
  readonly view: View;
  /** Index of the newest prompt. */
  readonly input: number;
  readonly policy: ProjectionPolicy;
  readonly counts: object;
  /** Sums for the messages before the atoms, and after the first 0, 32, 64 … atoms. */
  readonly sums: RunningSize[];
}

function partOf(atom: Atom, isInput: boolean): RequestPart {
  if (isInput) return 'input';
  switch (atom.head.subtype) {
    case 'instructions':
      return 'instructions';
    case 'memory':
      return 'memories';
    case 'reminder':
      return 'reminder';
    case 'reduction':
      return 'masked';
    default:
      return 'history';
  }
}

function commonLength(a: readonly unknown[], b: readonly unknown[]): number {
  const end = Math.min(a.length, b.length);
  for (let index = 0; index < end; index++) if (a[index] !== b[index]) return index;
  return end;
}

/** Tokens of a request by part, before calibration. */
export interface RequestSizes {
  readonly parts: readonly { readonly name: RequestPart; readonly tokens: number }[];
  readonly total: number;
  /** Parts that no compaction can shrink: tools, system prompt, instructions. */
  readonly fixed: number;
  /** False while any part is an estimate. */
  readonly exact: boolean;
  /** Tokens by character class, for calibration. */
  readonly features: readonly number[];
}

/** Running token sums of a request, by part and by character class. */
class RunningSize {
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

  /** False while any part is an estimate. */
  get exact(): boolean {
    return this.#exact;
  }

  /** Tokens by class, small enough to store with a reply. */
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
