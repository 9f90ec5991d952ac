import type { JSONLEntry, KindEntry } from '../../protocol/entries.ts';

type Identity = 'v' | 'seq' | 'uuid' | 'parentUuid' | 'sessionId' | 'timestamp' | 'cwd' | 'version';

/** Keeps the place of an entry that cannot be read: no model sees it. `data` says what is known of it. */
export function standIn(
  { v, seq, uuid, parentUuid, sessionId, timestamp, cwd, version }: Pick<JSONLEntry, Identity>,
  data: NonNullable<KindEntry<'unknown'>['data']>,
): JSONLEntry {
  return {
    v,
    seq,
    uuid,
    parentUuid,
    sessionId,
    timestamp,
    type: 'system',
    subtype: 'unknown',
    cwd,
    version,
    message: { role: 'system', content: '' },
    data,
  };
}
