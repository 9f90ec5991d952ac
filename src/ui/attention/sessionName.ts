/** What the open session is called. Asking an agent costs a look at its log, so it is asked only after it has grown. */
import type { UiSession } from '../types.ts';
import { nameOf } from './state.ts';

export interface SessionName {
  of(session: UiSession | undefined): string;
  dispose(): void;
}

export function createSessionName(): SessionName {
  let known: UiSession | undefined;
  let name: string | undefined;
  let unsubscribe = (): void => undefined;
  return {
    of(session) {
      if (session !== known) {
        unsubscribe();
        known = session;
        name = undefined;
        unsubscribe =
          session?.agent.subscribe((event) => {
            if (event.type === 'entry') name = undefined;
          }) ?? (() => undefined);
      }
      name ??= nameOf(session?.agent.state());
      return name;
    },
    dispose: () => unsubscribe(),
  };
}
