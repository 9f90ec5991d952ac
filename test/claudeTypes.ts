/** The published types of Claude Code's hooks and tools, written by `scripts/readClaudeTypes.ts`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HookEvent } from '../src/protocol/extensions/hooks.ts';

/** Types by field; `?` after a name = optional. Choices are separated by `|`. */
export type Fields = Readonly<Record<string, string>>;

export const claudeTypes = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/claudeTypes.json'), 'utf8'),
) as {
  readonly hookBase: Fields;
  readonly hooks: Readonly<Record<HookEvent, Fields>>;
  readonly tools: Readonly<Record<string, Fields>>;
  /** The shapes that the result of a tool may have; fields of objects in it as `file.content`. */
  readonly results: Readonly<Record<string, readonly Fields[]>>;
};

/** How a result differs from the most similar shape, one sentence each. */
export function resultDifferences(tool: string, value: object): string[] {
  const all = (claudeTypes.results[tool] ?? []).map((shape) => deepDifferences(value, shape, ''));
  return all.sort((a, b) => a.length - b.length)[0] ?? [`no shape of ${tool} is published`];
}

function deepDifferences(value: object, shape: Fields, prefix: string): string[] {
  const inside = Object.entries(shape).filter(([name]) => name.startsWith(prefix));
  const own = inside.map(([name, type]) => [name.slice(prefix.length), type] as const);
  const fields = Object.fromEntries(own.filter(([name]) => !name.includes('.')));
  return [
    ...differences({ ...value }, fields).map((one) => `${prefix}${one}`),
    ...Object.entries(value).flatMap(([name, given]) => {
      const deeper = `${prefix}${name}.`;
      if (!inside.some(([field]) => field.startsWith(deeper))) return [];
      const objects: unknown[] = Array.isArray(given) ? given : [given];
      return objects.flatMap((one) =>
        typeof one === 'object' && one !== null ? deepDifferences(one, shape, deeper) : [],
      );
    }),
  ];
}

/** How an object differs from the type, one sentence each. */
export function differences(value: Readonly<Record<string, unknown>>, fields: Fields): string[] {
  const names = Object.keys(fields).map((name) => name.replace('?', ''));
  const missing = Object.keys(fields).filter((name) => !name.endsWith('?') && !(name in value));
  return [
    ...missing.map((name) => `${name} is missing`),
    ...Object.entries(value).flatMap(([name, given]) => {
      if (!names.includes(name)) return [`${name} is unknown`];
      const type = fields[name] ?? fields[`${name}?`] ?? '';
      return isOf(given, type) ? [] : [`${name} is ${JSON.stringify(given)}, not ${type}`];
    }),
  ];
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'unknown') return true;
  if (Array.isArray(value)) return type === 'array';
  if (value === null) return type.endsWith('|null');
  const basic = type.replace('|null', '');
  return ['string', 'number', 'boolean', 'object'].includes(basic)
    ? typeof value === basic
    : basic.split('|').includes(String(value));
}
