import type { ContextManager } from '../../src/context/index.ts';
import type { Session } from '../../src/context/session.ts';

/** What the open session of a manager consists of, for tests that look inside. */
export function sessionOf(context: ContextManager): Session {
  const session = Reflect.get(context, 'open') as Session | undefined;
  if (session === undefined) throw new Error('No session is open.');
  return session;
}
