import type { ScreenPorts } from './controller/types.ts';
import { watchDraft } from './draftWatch.ts';
import { splitFinished } from './print/streaming.ts';
import { createReadFold } from './readFold.ts';
import { createSessionStore, type SessionStore } from './sessionStore.ts';
import type { UiSession } from './types.ts';
import type { Print } from './view.ts';

/** Puts an opened session on screen: its store, what was said in it before, and what the user should hear first. */
export function attachSession(
  { agent, notices, onAssumedWindow }: UiSession,
  screen: ScreenPorts | undefined,
  print: (...prints: readonly Print[]) => void,
  now: () => number,
  showsReasoning: () => boolean,
  past: readonly Print[] = [],
): SessionStore {
  const store = createSessionStore(agent, {
    print: (prints) => print(...prints),
    split: screen?.plain?.split ?? splitFinished,
    tooTall: (tail) => isTallerThan(tail, screen?.columns() ?? 80, screen?.liveRows() ?? 10),
    now,
    fold: screen?.plain === undefined ? createReadFold(showsReasoning) : undefined,
  });
  agent.subscribe((event) => {
    if (event.type === 'entry' && event.entry.subtype === 'summary_failed' && agent.report().breakerIsOpen)
      store.print({ type: 'notice', level: 'warning', text: BREAKER_IS_OPEN });
    // After an interrupt, what was queued goes back where it was typed.
    if (event.type !== 'queue_returned') return;
    screen?.composer()?.prependText(event.prompts.map((prompt) => prompt.text).join('\n'));
  });
  const unwatch = watchDraft(agent, store.setDrafting);
  const said = notices.map((text): Print => ({ type: 'notice', level: 'warning', text }));
  store.print(...past, ...said);
  const unhear = onAssumedWindow?.((text) => store.print({ type: 'notice', level: 'info', text }));
  return {
    ...store,
    dispose() {
      unwatch();
      unhear?.();
      store.dispose();
    },
  };
}

const BREAKER_IS_OPEN =
  'Summaries are paused after too many failures in a row. The session continues; older messages are dropped when the window fills (Recall still finds them). A successful /compact or a model switch resumes summaries.';

/** A cheap upper estimate of wrapped rows: exact enough to decide when the live area is full. */
function isTallerThan(text: string, columns: number, rows: number): boolean {
  let height = 0;
  for (const line of text.split('\n')) {
    height += Math.max(1, Math.ceil(line.length / columns));
    if (height > rows) return true;
  }
  return false;
}
