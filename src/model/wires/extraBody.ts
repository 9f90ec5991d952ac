/** The user's own fields in request bodies. Pure. */

import { isRecord } from '../../protocol/json.ts';
import { isReservedField } from '../../protocol/models/wires.ts';

/** Fields from the settings that are added to the body of each request. */
export type ExtraBody = Readonly<Record<string, unknown>>;

/**
 * Adds the fields after all others, whose order stays the same. Objects are merged; anything else replaces what the
 * program would send, and so does an object of another `type`. Reserved fields are left out, since recorded ones may be older than that rule.
 */
export function withExtraBody<Body extends object>(body: Body, extra: ExtraBody | undefined): Body {
  if (extra === undefined) return body;
  const allowed = Object.fromEntries(Object.entries(extra).filter(([name]) => !isReservedField(name)));
  return merged(body as Record<string, unknown>, allowed) as Body;
}

function merged(into: Record<string, unknown>, extra: ExtraBody): Record<string, unknown> {
  const out = { ...into };
  for (const [name, value] of Object.entries(extra)) {
    const before = out[name];
    const fits = isRecord(before) && isRecord(value) && isSameType(before, value);
    out[name] = fits ? merged(before, value) : value;
  }
  return out;
}

/** Objects of different types have different fields: `{"type": "disabled"}` takes no budget. */
function isSameType(before: Record<string, unknown>, value: Record<string, unknown>): boolean {
  return value.type === undefined || before.type === undefined || before.type === value.type;
}
