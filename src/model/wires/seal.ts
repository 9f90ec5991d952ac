/**
 * Seals the parts of a reply that a server signed or encrypted. They are sent back only if they are unchanged, and only
 * to the model that wrote them: not from a redacted log, and not to another model or provider. Pure.
 */
import { createHash } from 'node:crypto';
import type { AssistantMessage, Reasoning } from '../../protocol/messages.ts';
import type { Wire } from '../../protocol/models/wires.ts';

type Items = NonNullable<Reasoning['items']>;

/** Identifies a model at an endpoint. */
export function originOf(wire: Wire, baseUrl: string, model: string): string {
  return hash([wire, baseUrl.replace(/\/+$/, ''), model]);
}

/** `origin` as in `originOf`. */
export function sealOf(origin: string, items: Items): string {
  return hash([origin, items]);
}

const verified = new WeakMap<Reasoning, { readonly origin: string; readonly isIntact: boolean }>();

/** The items of a message if they are from this origin and unchanged; otherwise undefined. */
export function sealedItems({ reasoning }: AssistantMessage, origin: string): Items | undefined {
  if (reasoning?.items === undefined) return undefined;
  let found = verified.get(reasoning);
  if (found?.origin !== origin) {
    found = { origin, isIntact: sealOf(origin, reasoning.items) === reasoning.seal };
    verified.set(reasoning, found);
  }
  return found.isIntact ? reasoning.items : undefined;
}

/** The first 16 hex digits of the SHA-256 of a value as JSON. */
function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
