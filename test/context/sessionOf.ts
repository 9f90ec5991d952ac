import type { ContextManager } from '../../src/context/index.ts';
import type { Session } from '../../src/context/session.ts';

/** The internals of a manager's open session, for tests. */
export function sessionOf(context: ContextManager): Session {
  const session = Reflect.get(context, 'open') as Session | undefined;
  if (session === undefined) throw new Error('No session is open.');
  return session;
}
