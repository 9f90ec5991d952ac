/** Sessions on this machine, as the Agent Client Protocol lists them. */
import type { AcpPorts } from '../../acp/acpAgent.ts';
import type { SessionQuery } from '../../protocol/sessions.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import { readAppPaths } from '../process/appPaths.ts';
import { openSessions } from '../sessionCommand/sessions.ts';

const PAGE = 50;

/** Leaves out archived sessions, and those whose folder no longer exists, because they cannot be resumed there. */
export const listForClient: AcpPorts['list'] = async (cwd, offset) => {
  const sessions = await openSessions(readAppPaths(cwd));
  try {
    const query: SessionQuery = {
      ...(cwd === undefined ? {} : { project: sessions.projects }),
      ...{ archived: false, offset, limit: PAGE },
    };
    const { sessions: page } = await sessions.list(query);
    const found = page.flatMap(({ id, root, isMoved, title, updatedAt }) =>
      root === undefined || isMoved
        ? []
        : [{ sessionId: id, cwd: root, title: visibleLine(title, 200), updatedAt: updatedAt.toISOString() }],
    );
    return { sessions: found, ...(page.length < PAGE ? {} : { next: offset + PAGE }) };
  } finally {
    await sessions.close();
  }
};
