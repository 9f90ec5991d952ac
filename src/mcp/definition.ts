/**
 * Identifies a tool's definition, so that allow rules can be bound to it: the server, and the tool's title,
 * description, schema and annotations. Pure.
 */
import { createHash } from 'node:crypto';
import type { OfferedTool } from './offeredTools.ts';

/** Changes whenever the definition does, except for the order of keys, which some servers change at random. */
export function digestOf(target: string, { ownName, schema, title, annotations }: OfferedTool): string {
  const { description, parameters } = schema;
  const bound = [target, ownName, title ?? '', description, parameters, annotations ?? {}];
  return createHash('sha256')
    .update(JSON.stringify(ordered(bound)))
    .digest('hex')
    .slice(0, 32);
}

/** Also sorts lists of required names, whose order has no meaning. */
function ordered(value: unknown, key = ''): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((one) => ordered(one));
    return key === 'required' ? items.sort() : items;
  }
  const names = Object.keys(value).sort();
  return Object.fromEntries(
    names.map((name) => [name, ordered((value as Record<string, unknown>)[name], name)]),
  );
}
