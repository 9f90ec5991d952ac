/** Entries of any kind, including invalid ones, and access to the data of any entry. */
import type { Envelope } from '../src/protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../src/protocol/entries.ts';

/** Fields of an entry whose kind and data are not checked. */
export type MadeUpFields = Partial<Envelope> & {
  readonly type?: JSONLEntry['type'];
  readonly subtype?: string | undefined;
  readonly data?: object | undefined;
};

/** A user message without a kind, unless `fields` say otherwise. */
export function madeUpEntry(fields: MadeUpFields): JSONLEntry {
  return {
    v: 1,
    seq: 0,
    uuid: 'u',
    parentUuid: null,
    sessionId: 's',
    timestamp: '2026-01-01T00:00:00.000Z',
    type: 'user',
    cwd: '/p',
    version: '1.0.0',
    message: { role: 'user', content: '' },
    ...fields,
  } as JSONLEntry;
}

export function madeUpNewEntry(
  fields: MadeUpFields & Required<Pick<MadeUpFields, 'type' | 'message'>>,
): NewEntry {
  return fields as NewEntry;
}

/** The data of an entry of any kind. */
export function dataOf(entry: JSONLEntry | undefined): Readonly<Record<string, unknown>> {
  return entry?.data ?? {};
}
