/** The types of the SDK's events and the lines that the program writes name the same fields, in both directions. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const tests = join(import.meta.dirname, '..');
const source = readFileSync(join(tests, '../src/sdk/api/events.ts'), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');

interface Declared {
  readonly extended: string | undefined;
  /** By name: whether it may be absent. */
  readonly fields: ReadonlyMap<string, boolean>;
  readonly body: string;
}

/** The interfaces of events, with their fields at the top level. */
const declared = new Map(
  [...source.matchAll(/interface (\w+)(?: extends (\w+))? \{\n([\s\S]*?)\n\}/g)].map(
    ([, name = '', extended, body = '']): [string, Declared] => [
      name,
      {
        extended,
        body,
        fields: new Map(
          [...body.matchAll(/^ {2}readonly (\w+)(\??):/gm)].map(([, field = '', mark]) => [
            field,
            mark === '?',
          ]),
        ),
      },
    ],
  ),
);

function fieldsOf(name: string): Map<string, boolean> {
  const one = declared.get(name);
  if (one === undefined) throw new Error(`there is no ${name}`);
  return new Map([...(one.extended === undefined ? [] : fieldsOf(one.extended)), ...one.fields]);
}

/** The interface of a line: the one whose own or inherited `type` and `subtype` name it. */
function typeOf({ type, subtype }: Line): string | undefined {
  const names = (name: string, field: string): readonly string[] => {
    const { extended, body = '' } = declared.get(name) ?? {};
    const [, own] = new RegExp(`^ {2}readonly ${field}:([^;]*);`, 'm').exec(body) ?? [];
    if (own !== undefined) return [...own.matchAll(/'(\w+)'/g)].map(([, value = '']) => value);
    return extended === undefined ? [] : names(extended, field);
  };
  return [...declared.keys()].find((name) => {
    if (!name.endsWith('Event') || !names(name, 'type').includes(type)) return false;
    const subtypes = names(name, 'subtype');
    return subtype === undefined ? subtypes.length === 0 : subtypes.includes(subtype);
  });
}

type Line = Record<string, unknown> & { readonly type: string; readonly subtype?: string };

/** Lines as the program writes them, from the golden files of other tests. */
const lines: readonly Line[] = [
  ...readdirSync(join(tests, 'headless/golden')).map((name) => join(tests, 'headless/golden', name)),
  join(tests, 'e2e/golden/stream-json.json'),
].flatMap((file) =>
  readFileSync(file, 'utf8')
    .split(/(?<=^\})\n(?=\{)/m)
    .map((text) => JSON.parse(text) as Line),
);

test('every line that the program writes has a type, and no field that the type lacks', () => {
  expect(lines.length).toBeGreaterThan(50);
  const wrong = lines.flatMap((line) => {
    const name = typeOf(line);
    if (name === undefined) return [`${line.type} ${line.subtype ?? ''} has no type`];
    const fields = fieldsOf(name);
    return [
      ...Object.keys(line).flatMap((field) => (fields.has(field) ? [] : `${name} lacks ${field}`)),
      ...[...fields].flatMap(([field, isOptional]) =>
        isOptional || field in line ? [] : `${name} promises ${field}, which a line lacks`,
      ),
    ];
  });
  expect([...new Set(wrong)]).toEqual([]);
});

/** Written only in tests of the whole program, whose lines are not in golden files. */
const elsewhere = [
  'SuccessEvent.structured_output',
  'InitEvent.demo',
  'InitEvent.untrusted_settings',
  'AssistantEvent.error',
];

test('every field of the types occurs in a line that the program writes', () => {
  const seen = new Set(lines.flatMap((line) => Object.keys(line).map((field) => `${typeOf(line)}.${field}`)));
  const events = [...declared.keys()].filter((name) => /Event$/.test(name));
  const unseen = events.flatMap((name) =>
    [...fieldsOf(name).keys()].map((field) => `${name}.${field}`).filter((one) => !seen.has(one)),
  );
  expect(unseen.filter((one) => !elsewhere.includes(one))).toEqual([]);
});
