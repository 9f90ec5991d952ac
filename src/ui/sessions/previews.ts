/** What the preview shows: read a moment after the cursor has come to rest, and kept for when it comes back. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import type { SessionsPort } from './SessionsPort.ts';

export interface Previews {
  /** What is known by now; undefined while it is being read. */
  of(session: SessionRecord, aroundSeq: number | undefined): readonly JSONLEntry[] | undefined;
  dispose(): void;
}

/** Milliseconds that the cursor rests before anything is read. */
const REST_MS = 60;
/** Previews that are kept. */
const MAX_KEPT = 32;

/** `onRead` is called when `of` has something new to say. */
export function createPreviews(port: Pick<SessionsPort, 'preview'>, onRead: () => void): Previews {
  const kept = new Map<string, readonly JSONLEntry[]>();
  let wanted: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let reading: AbortController | undefined;

  const read = async (key: string, session: SessionRecord, seq: number | undefined): Promise<void> => {
    const mine = new AbortController();
    reading = mine;
    const entries = await port.preview(session, seq, mine.signal);
    if (mine.signal.aborted) return;
    kept.set(key, entries);
    for (const [oldest] of kept) if (kept.size > MAX_KEPT) kept.delete(oldest);
    if (wanted === key) onRead();
  };
  return {
    of(session, seq) {
      const key = `${session.project}/${session.id}/${session.bytes}/${seq ?? 'end'}`;
      const known = kept.get(key);
      if (wanted === key) return known;
      wanted = key;
      clearTimeout(timer);
      reading?.abort();
      if (known !== undefined) return known;
      timer = setTimeout(() => void read(key, session, seq), REST_MS);
      return undefined;
    },
    dispose() {
      clearTimeout(timer);
      reading?.abort();
    },
  };
}
