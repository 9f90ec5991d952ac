/** What the published types of Claude Code's hooks and tools say: written by `scripts/readClaudeTypes.ts`. */
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
};

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
