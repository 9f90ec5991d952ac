/** Prints above the live area; knows how the open session is printed. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { createPrinter, type Printer } from '../printer.ts';
import { withReadsFolded } from '../readFold.ts';
import { replay } from '../replay.ts';
import type { Theme } from '../theme/theme.ts';
import type { UiSession } from '../types.ts';
import type { Print } from '../view.ts';
import type { ControllerState } from './reduce.ts';
import type { ScreenPorts } from './types.ts';

export interface Scrollback {
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
