/** Draws a plan from a seed: what each step does, and which texts seen earlier it needs, at which distance. */
import { createRandom, type Random } from '../random.ts';
import { logLines, proseLines } from '../trace/lines.ts';
import type { Action, Need, Plan, PlanEvent, PlanStep } from './plan.ts';
import {
  areas,
  blockText,
  type Field,
  makeRepository,
  numberOf,
  type Region,
  type SourceFile,
} from './repository.ts';

/** The shape of one kind of work. */
export interface WorkShape {
  readonly name: string;
  readonly files: number;
  readonly steps: number;
  /** Minutes before the prompt of a turn; 0 = at once. */
  readonly pause: (random: Random, turn: number) => number;
}

/** The same shape and seed give the same plan. */
export function makePlan(shape: WorkShape, seed: number): Plan {
  return new Planner(shape, seed).plan();
}

/** How many steps ago a needed text was last seen: buckets by upper bound, with their weights. */
const DISTANCES: readonly (readonly [upTo: number, weight: number])[] = [
  [5, 0.28],
  [20, 0.22],
  [60, 0.2],
  [150, 0.16],
  [400, 0.14],
];

/** Something that was seen: a version of a region, a field, an open failure, a rule. */
interface Known<T> {
  readonly what: T;
  readonly seenAt: number;
}

interface Failure {
  readonly region: Region;
  readonly test: string;
  readonly testPath: string;
  readonly expected: number;
  readonly command: string;
  readonly output: string;
}

interface Rule {
  readonly area: string;
  readonly subject: string;
  readonly limit: number;
  readonly text: string;
  readonly earlier: readonly Rule[];
}

class Planner {
  readonly #shape: WorkShape;
  readonly #random: Random;
  readonly #seed: number;
  readonly #files: Map<string, SourceFile>;
  readonly #unread: string[];
  readonly #events: PlanEvent[] = [];
  /** Current text of each file, if everything is done right. */
  readonly #texts = new Map<string, string>();
  readonly #regions = new Map<string, Known<Region>>();
  readonly #versions = new Map<string, readonly string[]>();
  readonly #fields = new Map<string, Known<Field>>();
  readonly #failures = new Map<string, Known<Failure>>();
  readonly #rules = new Map<string, Known<Rule>>();
  #steps = 0;
  /** Larger than any index that the repository used, so that numbers stay unique. */
  #next = 60_000;

  constructor(shape: WorkShape, seed: number) {
    this.#shape = shape;
    this.#seed = seed;
    this.#random = createRandom(seed * 7919 + shape.steps);
    const files = makeRepository(shape.files, seed);
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#unread = files.map(({ path }) => path);
    for (const { path, text } of files) this.#texts.set(path, text);
  }

  plan(): Plan {
    const { name, files, steps } = this.#shape;
    for (let turn = 0; this.#steps < steps; turn++) {
      const minutes = turn === 0 ? 0 : this.#shape.pause(this.#random, turn);
      if (minutes > 0) this.#events.push({ type: 'pause', minutes });
      this.#turn(Math.min(this.#random.between(10, 26), steps - this.#steps));
    }
    return { name, seed: this.#seed, files, events: this.#events };
  }

  /** A prompt, work, a test run, a closing reply. */
  #turn(steps: number): void {
    const random = this.#random;
    const area = random.pick(areas);
    const rules = Array.from({ length: random.between(0, 4) }, () => ` ${this.#rule(random.pick(areas))}`);
    this.#events.push({
      type: 'prompt',
      text: `Please go on with ${area}: the sums of the last month do not add up.${rules.join('')} ${this.#prose(2)}`,
    });
    for (let left = steps - 2; left > 0; left--) this.#work();
    this.#test(false);
    this.#step('Done for now; the tests that belong to it have run.', []);
  }

  #work(): void {
    const drawn = this.#random.next();
    if (this.#regions.size < 20 || drawn < 0.25) this.#read();
    else if (drawn < 0.32) this.#step(this.#prose(1), [{ tool: 'Grep', pattern: this.#anyRegion().name }]);
    else if (drawn < 0.44) this.#test(this.#random.next() < 0.7);
    else if (drawn < 0.58) this.#look();
    else this.#edit();
  }

  #read(): void {
    const random = this.#random;
    const count = random.next() < 0.15 ? 2 : 1;
    const paths = Array.from({ length: count }, () => {
      if (this.#unread.length === 0 || random.next() < 0.05) return random.pick([...this.#files.keys()]);
      return this.#unread.splice(random.between(0, this.#unread.length), 1)[0] ?? '';
    });
    this.#step(
      this.#prose(random.between(1, 3)),
      [...new Set(paths)].map((path) => ({ tool: 'Read', path })),
    );
    for (const path of paths) this.#see(path);
  }

  #see(path: string): void {
    const file = this.#fileAt(path);
    for (const first of file.regions) {
      const what = this.#regions.get(first.name)?.what ?? first;
      this.#regions.set(what.name, { what, seenAt: this.#steps });
    }
    for (const what of file.fields) this.#fields.set(what.name, { what, seenAt: this.#steps });
  }

  /** A command whose output nobody needs later. */
  #look(): void {
    const random = this.#random;
    const lines = Array.from({ length: random.lognormal(50, 0.8, 300) }, () => this.#logLine());
    const command = random.pick([
      'git log --stat -20',
      'npm run build',
      'docker compose logs --tail 200 api',
    ]);
    const output = lines.join('\n');
    this.#step(this.#prose(1), [{ tool: 'Bash', command, output, failed: false, isTest: false }]);
  }

  /** A test run of one file; if it fails, its output says what a constant should have been. */
  #test(fails: boolean): void {
    const known = this.#near([...this.#regions.values()].filter(({ what }) => what.kind === 'constant'));
    const passed = Array.from({ length: this.#random.between(8, 60) }, () => this.#logLine());
    const isOpen = known !== undefined && this.#failures.has(known.what.name);
    if (!fails || known === undefined || isOpen) {
      const path = this.#fileAt(this.#random.pick([...this.#files.keys()])).testPath;
      const output = [...passed, ` Test Files  1 passed (1)`].join('\n');
      this.#step(this.#prose(1), [
        { tool: 'Bash', command: `npx vitest run ${path}`, output, failed: false, isTest: true },
      ]);
      return;
    }
    const region = known.what;
    const { testPath } = this.#fileAt(region.path);
    const expected = numberOf(this.#next++);
    const line = this.#lineOf(region);
    const test = `${testPath} > keeps ${region.name.toLowerCase()} within what the report allows`;
    const failure = [
      ` FAIL  ${test}`,
      `AssertionError: ${region.name} at ${region.path}:${line} should have been ${expected}`,
    ];
    const command = `npx vitest run ${testPath}`;
    const output = [...passed, ...failure, ' Test Files  1 failed (1)'].join('\n');
    this.#step(this.#prose(1), [{ tool: 'Bash', command, output, failed: true, isTest: true }]);
    const what = { region, test, testPath, expected, command, output };
    this.#failures.set(region.name, { what, seenAt: this.#steps });
  }

  /** An edit of something seen before: either a constant that a test complained about, or any region. */
  #edit(): void {
    const failure = this.#random.next() < 0.3 ? this.#near([...this.#failures.values()]) : undefined;
    if (failure === undefined) this.#change();
    else this.#repair(failure);
  }

  /** A new version of a region; a block may need a field or a rule as well as its old text. */
  #change(): void {
    const known = this.#near(
      [...this.#regions.values()].filter(({ what }) => !this.#failures.has(what.name)),
    );
    if (known === undefined) return;
    const { what: region } = known;
    const needs: Need[] = [this.#oldText(known)];
    const isBlock = region.kind === 'block';
    const field = isBlock && this.#random.next() < 0.5 ? this.#near([...this.#fields.values()]) : undefined;
    if (field !== undefined) needs.push(this.#field(field));
    const inArea = [...this.#rules.values()].filter(
      ({ what }) => what.area === this.#fileAt(region.path).area,
    );
    const rule = isBlock && this.#random.next() < 0.9 ? this.#near(inArea) : undefined;
    if (rule !== undefined) needs.push(ruleNeed(rule, this.#steps));
    const first = rule?.what.limit ?? numberOf(this.#next++);
    const second = numberOf(this.#next++);
    const use = field === undefined ? 'rows.length' : `Number(options.${field.what.name})`;
    const newText = isBlock
      ? blockText(region.name, first, second, use)
      : `export const ${region.name} = ${second};`;
    this.#replace(region, newText, needs);
  }

  #repair({ what: failure, seenAt }: Known<Failure>): void {
    const { region, expected, test, testPath, command, output } = failure;
    const known = this.#regions.get(region.name);
    if (known === undefined) return;
    const error: Need = {
      kind: 'error',
      text: `should have been ${expected}`,
      earlier: [],
      signs: [test, testPath],
      source: { type: 'command', command, output },
      uses: String(expected),
      guess: String(expected + 1),
      distance: this.#steps - seenAt + 1,
    };
    this.#failures.delete(region.name);
    this.#replace(known.what, `export const ${region.name} = ${expected};`, [this.#oldText(known), error]);
  }

  #replace(region: Region, newText: string, needs: readonly Need[]): void {
    const { path, text: oldText, name } = region;
    const text = this.#textAt(path);
    if (!text.includes(oldText)) throw new Error(`${path} does not say what ${name} was planned to be.`);
    this.#texts.set(
      path,
      text.replace(oldText, () => newText),
    );
    this.#versions.set(name, [...(this.#versions.get(name) ?? []), oldText]);
    this.#step(this.#prose(1), [{ tool: 'Edit', path, oldText, newText }], needs);
    this.#regions.set(name, { what: { ...region, text: newText }, seenAt: this.#steps });
  }

  #oldText({ what, seenAt }: Known<Region>): Need {
    return {
      kind: 'old text',
      text: what.text,
      earlier: this.#versions.get(what.name) ?? [],
      signs: [what.path],
      source: { type: 'file', path: what.path },
      uses: '',
      guess: '',
      distance: this.#steps - seenAt + 1,
    };
  }

  #field({ what: { path, typeName, name, declaration }, seenAt }: Known<Field>): Need {
    return {
      kind: 'field',
      text: declaration,
      earlier: [],
      signs: [path, typeName],
      source: { type: 'file', path },
      uses: `options.${name}`,
      guess: `options.${name}Total`,
      distance: this.#steps - seenAt + 1,
    };
  }

  /** A new rule for an area, or a new limit for an existing one. */
  #rule(area: string): string {
    const random = this.#random;
    const subject = `${random.pick(['batch size', 'page length', 'queue depth', 'retry ceiling'])} in ${area}`;
    const before = this.#rules.get(subject)?.what;
    const limit = numberOf(this.#next++);
    const text =
      before === undefined
        ? `The ${subject} must never exceed ${limit}.`
        : `The ${subject} must never exceed ${limit} from now on.`;
    const earlier = before === undefined ? [] : [...before.earlier, before];
    this.#rules.set(subject, { what: { area, subject, limit, text, earlier }, seenAt: this.#steps });
    return text;
  }

  #step(prose: string, actions: readonly Action[], needs: readonly Need[] = []): void {
    const step: PlanStep = { type: 'step', prose, actions, needs };
    this.#events.push(step);
    this.#steps++;
  }

  /** Draws a distance and picks from `all` what was last seen about that long ago. */
  #near<T>(all: readonly Known<T>[]): Known<T> | undefined {
    let drawn = this.#random.next();
    let from = 0;
    const bucket = DISTANCES.find(([upTo, weight]) => {
      drawn -= weight;
      if (drawn >= 0) from = upTo;
      return drawn < 0;
    });
    const wanted = this.#steps - this.#random.between(from, bucket?.[0] ?? from + 1);
    const off = ({ seenAt }: Known<T>): number => Math.abs(seenAt - wanted);
    const least = Math.min(...all.map(off));
    const nearest = all.filter((one) => off(one) === least);
    return nearest.length === 0 ? undefined : this.#random.pick(nearest);
  }

  #anyRegion(): Region {
    return this.#random.pick([...this.#regions.values()]).what;
  }

  #lineOf({ path, text }: Region): number {
    const whole = this.#textAt(path);
    return whole.slice(0, whole.indexOf(text)).split('\n').length;
  }

  #fileAt(path: string): SourceFile {
    const file = this.#files.get(path);
    if (file === undefined) throw new Error(`There is no ${path} in the repository.`);
    return file;
  }

  #textAt(path: string): string {
    return this.#texts.get(path) ?? '';
  }

  #prose(lines: number): string {
    return Array.from({ length: lines }, () => this.#random.pick(proseLines)).join(' ');
  }

  #logLine(): string {
    return this.#random.pick(logLines).replaceAll('%', String(this.#random.between(10, 99_999)));
  }
}

function ruleNeed({ what, seenAt }: Known<Rule>, step: number): Need {
  const { text, subject, limit, earlier } = what;
  return {
    kind: 'rule',
    text,
    earlier: earlier.map((one) => one.text),
    signs: [subject],
    source: { type: 'user' },
    uses: String(limit),
    guess: String(earlier.at(-1)?.limit ?? limit + 1),
    distance: step - seenAt + 1,
  };
}
