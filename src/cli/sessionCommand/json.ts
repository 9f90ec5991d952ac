/** The shapes that `--json` prints; docs/sessions.md documents them. */
import type { SearchHit, SessionRecord } from '../../protocol/sessions.ts';

/** Everything the catalogue knows of a session; dates as ISO 8601 in UTC, unknown fields left out. */
export function sessionJson(session: SessionRecord): object {
  const { createdAt, updatedAt, ...rest } = session;
  return { ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

/** A place where something was said; the session by its id, so that a list of hits stays small. */
export function hitJson({ session, timestamp, ...hit }: SearchHit): object {
  const { id, title, project, root, isArchived } = session;
  return { session: { id, title, project, root, isArchived }, ...hit, timestamp: timestamp.toISOString() };
}

/** One document, indented for people who look; safe on any terminal. */
export function jsonDocument(value: unknown): string {
  return `${escaped(JSON.stringify(value, null, 2))}\n`;
}

/** One line. */
export function jsonLine(value: unknown): string {
  return `${escaped(JSON.stringify(value))}\n`;
}

/** JSON leaves some characters as they are that a terminal obeys: they are written by number instead. */
function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
