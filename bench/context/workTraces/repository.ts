/**
 * A generated TypeScript project: modules of about 1 to 26 kB with an interface, constants and functions. Names and the
 * numbers in editable regions are unique, so a text is either in a request or it is not. The project is written to
 * disk, where the product's own tools read and edit it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createRandom, type Random } from '../random.ts';

/** Consecutive lines that one edit replaces; `text` is what the file says now. */
export interface Region {
  readonly path: string;
  readonly name: string;
  /** A constant is one line; a block is four lines of a function's body. */
  readonly kind: 'constant' | 'block';
  readonly text: string;
}

/** One field of an exported interface. */
export interface Field {
  readonly path: string;
  readonly typeName: string;
  readonly name: string;
  /** Its line, without indentation. */
  readonly declaration: string;
}

export interface SourceFile {
  readonly path: string;
  readonly area: string;
  readonly testPath: string;
  readonly text: string;
  readonly regions: readonly Region[];
  readonly fields: readonly Field[];
}

export const areas = [
  'billing',
  'catalog',
  'delivery',
  'exports',
  'identity',
  'invoices',
  'mail',
  'orders',
  'search',
  'stock',
] as const;

/** `count` modules; the same seed gives the same project. */
export function makeRepository(count: number, seed: number): readonly SourceFile[] {
  const random = createRandom(seed * 104_729 + count);
  const writer = new Writer(random);
  return Array.from({ length: count }, () => writer.file());
}

/** Writes the project below `root`. */
export async function writeRepository(files: readonly SourceFile[], root: string): Promise<void> {
  for (const { path, text } of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

const birds = ['avocet', 'curlew', 'dunlin', 'heron', 'kestrel', 'martin', 'osprey', 'plover', 'siskin'];
const things = [
  'Batch',
  'Cursor',
  'Ledger',
  'Lease',
  'Page',
  'Quota',
  'Receipt',
  'Retry',
  'Ticket',
  'Window',
];
const syllables = ['ba', 'de', 'fi', 'go', 'ka', 'lu', 'mo', 'ne', 'pi', 'ro', 'sa', 'te', 'vu', 'wi', 'zo'];
const units = ['Bytes', 'Cents', 'Count', 'Hours', 'Ms', 'Pages', 'Rows'];

class Writer {
  readonly #random: Random;
  #next = 100;
  #earlier: { readonly path: string; readonly typeName: string }[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  file(): SourceFile {
    const random = this.#random;
    const area = random.pick(areas);
    const base = this.#name('');
    const path = `src/${area}/${base}.ts`;
    const size = random.lognormal(6500, 0.75, 26_000);
    const imported = this.#earlier.slice(-40).filter(() => random.next() < 0.06);
    const parts = [
      `/** ${capital(base)}: how ${area} keeps its ${random.pick(things).toLowerCase()}s. */`,
      ...imported.map((one) => `import type { ${one.typeName} } from '${one.path.replace('src', '..')}';`),
    ];
    const { fields, text: types } = this.#type(path, base);
    const regions: Region[] = [];
    const constants = Array.from({ length: random.between(3, 7) }, () => this.#constant(path));
    regions.push(...constants);
    parts.push(types, constants.map(({ text }) => text).join('\n'));
    for (let length = parts.join('\n').length; length < size; ) {
      const made = this.#function(path, fields);
      regions.push(made.region);
      parts.push(made.text);
      length += made.text.length + 2;
    }
    const [first] = fields;
    if (first !== undefined) this.#earlier.push({ path, typeName: first.typeName });
    const testPath = `test/${area}/${base}.test.ts`;
    return { path, area, testPath, text: `${parts.join('\n\n')}\n`, regions, fields };
  }

  #type(path: string, base: string): { readonly fields: readonly Field[]; readonly text: string } {
    const typeName = `${capital(base)}Options`;
    const fields = Array.from({ length: this.#random.between(5, 13) }, (): Field => {
      const name = this.#name(this.#random.pick(units));
      const type = this.#random.pick(['number', 'number | undefined', 'string', 'readonly string[]']);
      return { path, typeName, name, declaration: `readonly ${name}: ${type};` };
    });
    const lines = fields.flatMap(({ declaration, name }) => [
      `  /** Counted from the ${name.replace(/(?<=[a-z])[A-Z].*/, '')} of the run before. */`,
      `  ${declaration}`,
    ]);
    return { fields, text: [`export interface ${typeName} {`, ...lines, '}'].join('\n') };
  }

  #constant(path: string): Region {
    const name = this.#name(this.#random.pick(units))
      .replace(/([A-Z])/g, '_$1')
      .toUpperCase();
    return { path, name, kind: 'constant', text: `export const ${name} = ${this.#number()};` };
  }

  #function(path: string, fields: readonly Field[]): { readonly region: Region; readonly text: string } {
    const random = this.#random;
    const name = this.#name('');
    const field = random.pick(fields);
    const region: Region = {
      path,
      name,
      kind: 'block',
      text: blockText(name, this.#number(), this.#number()),
    };
    const text = [
      `/** Adds up what ${name} has left, newest first; ${random.pick(units).toLowerCase()} are whole numbers. */`,
      `export function ${name}(rows: readonly Row[], options: ${field.typeName}): number {`,
      '  const seen = new Map<string, number>();',
      '  for (const [index, row] of rows.entries()) {',
      `    if (row.state === 'closed' || seen.has(row.id)) continue;`,
      '    seen.set(row.id, index + row.amount);',
      '  }',
      `  let sum = Number(options.${field.name} ?? 0);`,
      region.text,
      ...Array.from({ length: random.between(1, 7) }, () => this.#filler()),
      '  return Math.round(sum);',
      '}',
    ].join('\n');
    return { region, text };
  }

  #filler(): string {
    const local = this.#name('').replace(/^[a-z]+[A-Z][a-z]+/, 'rest');
    const digit = this.#random.between(2, 10);
    return this.#random.pick([
      `  const ${local} = rows.filter(({ amount }) => amount > ${digit});\n  if (${local}.length > 0) sum += ${local}.length;`,
      `  for (const { id, amount } of rows) {\n    const ${local} = seen.get(id) ?? ${digit};\n    sum += Math.max(${local}, amount);\n  }`,
      `  // The rows of ${local} arrive twice after a restart, and the second time without their amounts.\n  sum -= rows.findLastIndex(({ amount }) => amount === ${digit});`,
      `  const ${local} = [...seen.values()].reduce((all, one) => all + one, 0);\n  sum = Math.min(sum, ${local});`,
    ]);
  }

  #name(unit: string): string {
    return `${this.#random.pick(birds)}${this.#random.pick(things)}${this.#word()}${unit}`;
  }

  /** Another one each time, without digits: `Kamori`. */
  #word(): string {
    let rest = this.#next++;
    let word = '';
    for (let syllable = 0; syllable < 4; syllable++) {
      word += syllables[rest % syllables.length];
      rest = Math.floor(rest / syllables.length);
    }
    return capital(word);
  }

  #number(): number {
    return numberOf(this.#next++);
  }
}

/** The lines of a block; `use` is what an edit brought in besides its numbers. */
export function blockText(name: string, first: number, second: number, use = 'rows.length'): string {
  return [
    `  const ${name}Share = rows.length * ${first};`,
    `  if (${name}Share > ${second}) {`,
    `    sum += ${name}Share - ${use};`,
    '  }',
  ].join('\n');
}

/** A five-digit number, different for each of 90,000 consecutive indexes. */
export function numberOf(index: number): number {
  return 10_000 + ((index * 7919) % 90_000);
}

function capital(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}
