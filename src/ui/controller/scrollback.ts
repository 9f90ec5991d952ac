/** Prints above the live area; knows how the open session is printed. */
import type { Agent } from '../../agent/types.ts';
import { topicOf } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { ComposerHandle } from '../input/Composer.tsx';
import { createPrinter, type Printer } from '../print/printer.ts';
import { withReadsFolded } from '../print/readFold.ts';
import type { Theme } from '../theme/theme.ts';
import type { UiSession } from '../types.ts';
import type { ControllerState } from './reduce.ts';
import { replay } from './replay.ts';
import type { ScreenPorts } from './types.ts';
import type { Print } from './view.ts';

interface Scrollback {
  print(...prints: readonly Print[]): void;
  /** Prints the end of these again on an empty screen; the scrollback stays. */
  show(entries: readonly JSONLEntry[]): void;
}

/** Empties the visible part of the terminal; the scrollback stays. */
const CLEAR_VIEW = '\u001B[H\u001B[J';

export function createScrollback(
  now: () => { readonly screen: ScreenPorts | undefined; readonly state: ControllerState },
): Scrollback {
  let made: { printer: Printer; theme: Theme; session: UiSession | undefined } | undefined;
  /** One for each session and theme: it remembers the calls that results belong to. */
  const printerOf = ({ screen, state }: ReturnType<typeof now>): Printer => {
    const { theme, session } = state;
    if (made === undefined || made.theme !== theme || made.session !== session) {
      const create = screen?.plain?.createPrinter ?? createPrinter;
      const printer = create({
        theme,
        markdown: () => now().state.markdown,
        showReasoning: () => now().state.preferences.showReasoning,
        entries: () => now().state.session?.agent.entries() ?? [],
      });
      made = { printer, theme, session };
    }
    return made.printer;
  };
  const rendered = (prints: readonly Print[]): string => {
    const current = now();
    return printerOf(current).render(prints, current.screen?.columns() ?? 80);
  };
  return {
    print(...prints) {
      const text = rendered(prints);
      if (text !== '') now().screen?.write(text);
    },
    show(entries) {
      const { screen, state } = now();
      if (screen === undefined) return;
      const prints = replay(entries);
      if (screen.plain !== undefined) screen.write(rendered(prints));
      else screen.write(CLEAR_VIEW + rendered(withReadsFolded(prints, state.preferences.showReasoning)));
    },
  };
}

interface AfterRewindPorts {
  readonly agent: Pick<Agent, 'liveEntries'>;
  /** Empties the visible screen and prints the end of these. */
  readonly show: (entries: readonly JSONLEntry[]) => void;
  readonly composer: Pick<ComposerHandle, 'prependText'> | null | undefined;
}

/** Shows the conversation as it is now, and gives the prompt that was gone back to back to whoever typed it. */
export function afterRewind(event: AgentEvent, { agent, show, composer }: AfterRewindPorts): void {
  if (event.type !== 'rewind_ended' || !event.report.conversation) return;
  const entries = agent.liveEntries();
  // What was just done is told behind all this, with what was not done.
  const told = entries.findLast((entry) => topicOf(entry) === 'rewind');
  show(entries.filter((entry) => entry !== told));
  const { prompt } = event.report;
  if (prompt !== undefined) composer?.prependText(prompt.text);
}
