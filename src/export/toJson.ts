/** A session as one JSON object: its metadata, then its turns, then totals. */
import type { ExportItem, ExportMeta } from './types.ts';

/** Version of this format; see docs/export.md. */
const VERSION = 1;

export async function* toJson(items: AsyncIterable<ExportItem>, meta: ExportMeta): AsyncGenerator<string> {
  const { exportedAt, programVersion, ...session } = meta;
  const head = {
    format: 'clawdcode-export',
    version: VERSION,
    exportedAt: exportedAt.toISOString(),
    programVersion,
    session,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"turns":[`;
  // Items before the first prompt form a turn without one.
  yield '\n{"number":0,"items":[';
  let turns = 0;
  let count = 0;
  let calls = 0;
  for await (const item of items) {
    if (item.type === 'turn') {
      const { number, text, images, timestamp, seq } = item;
      const turn = { number, seq, timestamp, prompt: text, ...(images.length === 0 ? {} : { images }) };
      yield `]},\n${JSON.stringify(turn).slice(0, -1)},"items":[`;
      turns++;
      count = 0;
      continue;
    }
    if (item.type === 'call') calls++;
    yield `${count++ === 0 ? '\n' : ',\n'}${JSON.stringify(item)}`;
  }
  yield `]}\n],"totals":${JSON.stringify({ turns, calls })}}\n`;
}
