import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { derivedFiles } from '../../scripts/writeSchema.ts';
import { settingVariables } from '../../src/config/environment.ts';
import { parseSettings } from '../../src/config/parseSettings.ts';
import { settingsSchema } from '../../src/config/schema.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
const advice = 'run "node scripts/writeSchema.ts", then "npm run format"';

test.each(Object.entries(derivedFiles()))('%s is up to date', (path, data) => {
  expect(read(path), advice).toEqual(JSON.parse(JSON.stringify(data)));
});

test('the example is valid, strict JSON with every setting at its default', () => {
  const { $schema, ...example } = read('.clawdcode.example.json') as Record<string, unknown>;
  expect($schema).toBe('./schema/settings.schema.json');
  expect(example).toEqual(settingsSchema.parse({}));
  const keys = Object.keys(settingsSchema.shape).filter((key) => key !== '$schema');
  expect(Object.keys(example).sort()).toEqual(keys.sort());
  expect(parseSettings(JSON.stringify(example), 'example', 'project').problems).toEqual([]);
});

test('every setting is described, at every depth', () => {
  const undescribed: string[] = [];
  const visit = (schema: JsonSchema, path: string): void => {
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      const isGroup = property.properties !== undefined && path !== '';
      if (property.description === undefined && !isGroup) undescribed.push(path + key);
      visit(property, `${path}${key}.`);
      if (typeof property.additionalProperties === 'object')
        visit(property.additionalProperties, `${path}${key}.*.`);
    }
  };
  visit(read('schema/settings.schema.json') as JsonSchema, '');
  expect(undescribed).toEqual([]);
});

test('every variable sets a setting that exists', () => {
  for (const { key } of settingVariables)
    expect(Object.keys(settingsSchema.shape)).toContain(key.split('.')[0]);
});

interface JsonSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
}
