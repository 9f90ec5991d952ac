import { unseal } from '../../../src/context/storage/entryLine.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { type MadeUpFields, madeUpEntry } from '../../madeUpEntry.ts';

/** The content of a valid line. */
export function makeEntry(
  seq: number,
  content: unknown = `message ${seq}`,
  fields: MadeUpFields = {},
): JSONLEntry {
  return madeUpEntry({
    v: 1,
    seq,
    uuid: `uuid${seq}`,
    parentUuid: seq === 0 ? null : `uuid${seq - 1}`,
    sessionId: 'session',
    timestamp: new Date(1_700_000_000_000 + seq * 1000).toISOString(),
    type: 'user',
    subtype: 'prompt',
    cwd: '/project',
    version: '1.0.0',
    message: { role: 'user', content },
    ...fields,
  });
}

/** The lines of a log without their checksums, which are verified. */
export function unsealedLines(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { json, seal } = unseal(Buffer.from(line));
      if (seal !== 'intact') throw new Error(`A line without its checksum: ${line.slice(0, 200)}`);
      return json;
    });
}
