import type { Reflow } from '../../ui/terminal/frameTracker.ts';
import type { TerminalColors } from '../../ui/theme/theme.ts';
import type { AppPaths } from '../process/appPaths.ts';

/** What of the environment decides about colours; the screen asks the terminal for the rest. */
export function terminalColors({ env }: Pick<AppPaths, 'env'>): TerminalColors {
  return {
    noColor: (env.NO_COLOR ?? '') !== '',
    forceColor: env.FORCE_COLOR,
    term: env.TERM,
    colorTerm: env.COLORTERM,
    program: env.WT_SESSION === undefined ? env.TERM_PROGRAM : 'WindowsTerminal',
    colorFgBg: env.COLORFGBG,
    mayAnswer: true,
  };
}

/** What the terminal does with lines when it is resized, as far as its environment tells. */
export function terminalReflow(env: Readonly<Record<string, string | undefined>>): Reflow {
  // Inside of these it is they who draw, whatever the terminal around them is.
  if (env.TMUX !== undefined) return 'all';
  if (env.STY !== undefined) return 'none';
  const program = env.TERM_PROGRAM ?? '';
  if (/^(vscode|hyper|tabby|theia)$/i.test(program)) return 'xterm_js';
  if (env.XTERM_VERSION !== undefined || env.TERM === 'linux') return 'none';
  const knows = env.VTE_VERSION ?? env.KITTY_WINDOW_ID ?? env.WT_SESSION ?? env.ALACRITTY_WINDOW_ID;
  if (knows !== undefined || /^(iterm\.app|apple_terminal|wezterm|ghostty|kitty)$/i.test(program))
    return 'all';
  return 'unknown';
}
