/** Prints above the live area; owns the printer of the open session. */
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
  /** Prints the last entries again on an empty screen; the scrollback is kept. */
  show(entries: readonly JSONLEntry[]): void;
}

/** Clears the visible part of the terminal; the scrollback is kept. */
const CLEAR_VIEW = '\u001B[H\u001B[J';

export function createScrollback(
  now: () => { readonly screen: ScreenPorts | undefined; readonly state: ControllerState },
): Scrollback {
  let made: { printer: Printer; theme: Theme; session: UiSession | undefined } | undefined;
  /** One printer per session and theme, because it remembers the tool calls that results belong to. */
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
  /** Clears the visible screen and prints the last of these entries. */
  readonly show: (entries: readonly JSONLEntry[]) => void;
  readonly composer: Pick<ComposerHandle, 'prependText'> | null | undefined;
}

/** After a rewind of the conversation, shows it as it is now and puts the rewound prompt back into the composer. */
export function afterRewind(event: AgentEvent, { agent, show, composer }: AfterRewindPorts): void {
  if (event.type !== 'rewind_ended' || !event.report.conversation) return;
  const entries = agent.liveEntries();
  // The report of this rewind is printed after everything else.
  const told = entries.findLast((entry) => topicOf(entry) === 'rewind');
  show(entries.filter((entry) => entry !== told));
  const { prompt } = event.report;
  if (prompt !== undefined) composer?.prependText(prompt.text);
}
