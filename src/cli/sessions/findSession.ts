/** Finds the session that a word means: an id, the beginning of one, or a title. Pure. */
import type { SessionRecord } from '../../protocol/sessions.ts';

type Named = Pick<SessionRecord, 'id' | 'title' | 'project'>;

type Found<T extends Named = SessionRecord> =
  | { readonly type: 'found'; readonly session: T }
  | { readonly type: 'none' }
  /** Newest first, in the given order. */
  | { readonly type: 'several'; readonly sessions: readonly T[] };

/**
 * Finds sessions by the first criterion that matches any: full id, beginning of an id, title ignoring case. Sessions of
 * the given projects take precedence over others.
 */
export function findSession<T extends Named>(
  sessions: readonly T[],
  given: string,
  project: string | readonly string[],
): Found<T> {
  const own: readonly string[] = typeof project === 'string' ? [project] : project;
  const title = given.trim().toLowerCase();
  const ways: readonly ((one: T) => boolean)[] = [
    ({ id }) => id === given,
    ({ id }) => given !== '' && id.startsWith(given),
    (one) => title !== '' && one.title.trim().toLowerCase() === title,
  ];
  const here = sessions.filter((one) => own.includes(one.project));
  for (const among of [here, sessions]) {
    for (const fits of ways) {
      const matches = among.filter(fits);
      if (matches.length > 1) return { type: 'several', sessions: matches };
      if (matches[0] !== undefined) return { type: 'found', session: matches[0] };
    }
  }
  return { type: 'none' };
}
