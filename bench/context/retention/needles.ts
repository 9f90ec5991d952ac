/** Facts planted in a trace: what a policy must not lose. Each has words to look it up by, and a value. */
import { createRandom, type Random } from '../random.ts';
import type { Planted, Slot } from '../trace/texts.ts';
import type { Trace, TraceCall, TraceEvent } from '../trace/types.ts';

export const needleKinds = [
  'constraint',
  'decision',
  'edited path',
  'failing test',
  'error',
  'number',
  'edit text',
] as const;
export type NeedleKind = (typeof needleKinds)[number];

export interface Needle {
  readonly kind: NeedleKind;
  /** Index of the event that says it. */
  readonly event: number;
  /** What one knows who looks for it. */
  readonly label: string;
  /** What has to be found, character for character. */
  readonly value: string;
  /** An earlier value of the same thing that no longer holds. */
  readonly stale?: string;
}

export interface PlantedTrace {
  readonly trace: Trace;
  readonly needles: readonly Needle[];
  readonly lines: ReadonlyMap<Slot, readonly Planted[]>;
}

/** Plants about `count` facts, spread over the whole trace; one in ten replaces an earlier one. */
export function plant(trace: Trace, count = 2000): PlantedTrace {
  const random = createRandom(trace.seed + 4711);
  const planter = new Planter(random);
  const steps = trace.events.filter(({ type }) => type === 'step').length;
  const perStep = count / Math.max(1, steps);
  let owed = 0;
  const events = trace.events.map((event, index): TraceEvent => {
    if (event.type === 'prompt') planter.constraint(index);
    if (event.type !== 'step') return event;
    owed += perStep;
    const calls = event.calls.map((call, at) => {
      if (owed < 1 && !call.failed) return call;
      owed--;
      return planter.inStep(call, index, at);
    });
    return { ...event, calls };
  });
  return { trace: { ...trace, events }, needles: planter.needles, lines: planter.lines };
}

const birds = ['kestrel', 'heron', 'plover', 'osprey', 'martin', 'curlew', 'dunlin', 'wigeon'];

class Planter {
  readonly needles: Needle[] = [];
  readonly lines = new Map<Slot, Planted[]>();
  readonly #random: Random;
  #next = 1000;

  constructor(random: Random) {
    this.#random = random;
  }

  constraint(event: number): void {
    const { label, value, stale } = this.#topic('constraint', event, 'rows');
    const line = this.#random.pick([
      `Never write more than ${value} in the ${label} export.`,
      `The ${label} export must stay below ${value}, always.`,
      `Please don't let the ${label} export go over ${value}.`,
    ]);
    this.#put(`prompt:${event}`, line, 0.5);
    this.needles.push({ kind: 'constraint', event, label, value, ...stale });
  }

  /** One fact in a step, where its kind of call has room for one. */
  inStep(call: TraceCall, event: number, at: number): TraceCall {
    const drawn = this.#random.next();
    if (drawn < 0.3 && !call.failed) return this.#decision(call, event);
    if (call.tool === 'edit') {
      if (drawn < 0.7 || call.argumentTokens < 60) return this.#editedPath(call, event);
      this.#editText(event, at);
    } else if (call.failed) this.#failure(event, at, drawn < 0.6);
    else this.#number(event, at, call.resultTokens);
    return call;
  }

  #decision(call: TraceCall, event: number): TraceCall {
    const { label, value, stale } = this.#topic('decision', event, 'ms');
    this.#put(
      `prose:${event}`,
      `Decision: the ${label} timeout is ${value} because the server needs it.`,
      0.5,
    );
    this.needles.push({ kind: 'decision', event, label, value, ...stale });
    return call;
  }

  #editedPath(call: TraceCall, event: number): TraceCall {
    const label = `${this.#random.pick(birds)}${this.#next++}`;
    const title = `src/${label}/${this.#random.pick(birds)}.ts`;
    this.needles.push({ kind: 'edited path', event, label, value: title });
    return { ...call, title };
  }

  #editText(event: number, at: number): void {
    const { label, value } = this.#topic('edit text', event, 'px');
    this.#put(`args:${event}:${at}`, `  margins.set('${label}', '${value}');`, 0.5);
    this.needles.push({ kind: 'edit text', event, label, value });
  }

  #failure(event: number, at: number, isTest: boolean): void {
    const kind = isTest ? 'failing test' : 'error';
    const { label, value } = this.#topic(kind, event, isTest ? 'cents' : 'bytes');
    const line = isTest
      ? ` FAIL  src/${label}.test.ts > rounds to ${value}`
      : `Error: ${label} refused the upload: expected ${value}`;
    this.#put(`out:${event}:${at}`, line, 0.3 + 0.6 * this.#random.next());
    this.needles.push({ kind, event, label, value });
  }

  /** In the middle of an output, beside a line that looks alike. */
  #number(event: number, at: number, tokens: number): void {
    const { label, value } = this.#topic('number', event, 'requests');
    const depth = tokens > 400 ? 0.35 + 0.3 * this.#random.next() : 0.5;
    this.#put(`out:${event}:${at}`, `${label}: ${value} in the last hour`, depth);
    this.#put(
      `out:${event}:${at}`,
      `${label}9: ${this.#random.between(1000, 9999)} requests in the last day`,
      depth,
    );
    this.needles.push({ kind: 'number', event, label, value });
  }

  /** A new topic, or, one time in ten, a new value for an old one of the same kind. */
  #topic(
    kind: NeedleKind,
    event: number,
    unit: string,
  ): { label: string; value: string; stale: { stale?: string } } {
    // Multiplying by a number prime to the range gives each value once.
    const value = `${10_000 + ((this.#next++ * 7919) % 90_000)} ${unit}`;
    const canChange = kind === 'constraint' || kind === 'decision';
    if (canChange && this.#random.next() < SUPERSEDED) {
      const index = this.needles.findIndex((one) => one.kind === kind && one.event < event - 20);
      const old = this.needles[index];
      if (old !== undefined) {
        this.needles.splice(index, 1);
        return { label: old.label, value, stale: { stale: old.value } };
      }
    }
    return { label: `${this.#random.pick(birds)}-${this.#next++}`, value, stale: {} };
  }

  #put(slot: Slot, line: string, depth: number): void {
    this.lines.set(slot, [...(this.lines.get(slot) ?? []), { line, depth }]);
  }
}

/** Of the kinds that can change at all; with the rest about one fact in ten is a changed one. */
const SUPERSEDED = 0.4;
