import { sanitizeLine } from '../../ui/print/sanitize.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { openSessions } from '../sessionCommand/sessions.ts';

/** Maximum number of sessions offered; older ones are easier to find by search. */
const MANY = 50;

/** Returns a line for each of the project's newest sessions: id, tab, title. */
export async function sessionWords(place: AppPaths): Promise<string> {
  const sessions = await openSessions(place);
  try {
    const list = await sessions.list({ project: sessions.projects, limit: MANY });
    return list.sessions.map(({ id, title }) => `${id}\t${sanitizeLine(title)}\n`).join('');
  } finally {
    await sessions.close();
  }
}
