/**
 * Identifies what a server says about a tool, so that allow rules can be bound to it: the server, and the tool's title,
 * description, schema and annotations. Pure.
 */
import { createHash } from 'node:crypto';
import type { OfferedTool } from './offeredTools.ts';

/**
 * Changes whenever the definition does. The order of keys does not matter, which some servers change at random, nor do
 * dates and times: they tell the model when something happened, and cannot tell it what to do.
 */
export function digestOf(target: string, { ownName, schema, title, annotations }: OfferedTool): string {
  const { description, parameters } = schema;
  const bound = [target, ownName, title ?? '', description, parameters, annotations ?? {}];
  return createHash('sha256')
    .update(JSON.stringify(ordered(bound)))
    .digest('hex')
    .slice(0, 32);
}

/** Not recursive for lists of required names, whose order has no meaning. */
function ordered(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return value.replace(MOMENTS, '‹time›');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((one) => ordered(one));
    return key === 'required' ? items.sort() : items;
  }
  const names = Object.keys(value).sort();
  return names.map((name) => [name, ordered((value as Record<string, unknown>)[name], name)]);
}

const MONTH = '(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]{0,6}';
const DAY = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?';
const TIME =
  '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?(?: ?[AP]M)?(?: ?(?:Z|UTC|GMT|[+-]\\d{2}:?\\d{2}))?';
const MOMENTS = new RegExp(
  [
    `\\b\\d{4}-\\d{2}-\\d{2}(?:[T ]${TIME})?`,
    `\\b${DAY}(?:\\d{1,2} ${MONTH} \\d{4}|${MONTH} \\d{1,2},? \\d{4})`,
    `\\b${TIME}\\b`,
  ].join('|'),
  'g',
);
