import type { Reflow } from '../../ui/terminal/frameTracker.ts';
import type { TerminalColors } from '../../ui/theme/theme.ts';
import type { AppPaths } from '../process/appPaths.ts';

/** Returns the environment variables that determine colors; the screen queries the terminal for the rest. */
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

/** Returns how the terminal reflows lines when resized, according to its environment. */
export function terminalReflow(env: Readonly<Record<string, string | undefined>>): Reflow {
  // Inside a multiplexer, the multiplexer draws, whatever the terminal around it is.
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
