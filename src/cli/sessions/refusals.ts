/** Sessions that are there and cannot be gone on with here: what the screen asks instead of giving up. */
import { type SessionCatalogue, SessionLockedError } from '../../context/index.ts';
import type { OpenOutcome } from '../../ui/types.ts';
import { SessionElsewhereError } from './sessionErrors.ts';

type Refused = Extract<OpenOutcome, { type: 'refused' }>;

/** Undefined for whatever else went wrong. */
export async function refusalOf(
  error: unknown,
  catalogue: Pick<SessionCatalogue, 'find'>,
): Promise<Refused | undefined> {
  if (error instanceof SessionElsewhereError) {
    const { id, project, root, isMoved, title } = error.session;
    const refusal = { why: 'elsewhere', root, isGone: isMoved, canRead: true } as const;
    return { type: 'refused', refusal, id, project, title };
  }
  if (!(error instanceof SessionLockedError)) return undefined;
  const { sessionId: id, holder } = error;
  // What it is called is a courtesy, and nobody waits for a courtesy.
  const known = await catalogue.find(id).catch(() => []);
  const title = known.find((one) => one.id === id)?.title;
  return { type: 'refused', refusal: { why: 'locked', holder, canRead: true }, id, title };
}
