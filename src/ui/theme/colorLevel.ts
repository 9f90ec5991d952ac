import type { TerminalColors } from '../theme.ts';

/** 0 none, 1 = 16, 2 = 256, 3 = 16 million colours. */
export type ColorLevel = 0 | 1 | 2 | 3;

/**
 * How many colours may be used. `--no-color` and `FORCE_COLOR` are somebody's word for this very run, so they come
 * before `NO_COLOR`, which is for all programs (Node decides the same way).
 */
export function colorLevel(terminal: TerminalColors): ColorLevel {
  const { noColor, forceColor } = terminal;
  if (forceColor === undefined) return noColor ? 0 : levelOf(terminal);
  if (forceColor === '0' || forceColor === 'false') return 0;
  if (forceColor === '1' || forceColor === '2' || forceColor === '3') return Number(forceColor) as ColorLevel;
  return Math.max(1, levelOf(terminal)) as ColorLevel;
}

/** What the terminal can, as far as its names tell. */
function levelOf({ term = '', colorTerm = '', program = '' }: TerminalColors): ColorLevel {
  if (term === 'dumb') return 0;
  if (/^(truecolor|24bit)$/i.test(colorTerm) || /-direct$|kitty|ghostty|alacritty|wezterm|foot/.test(term))
    return 3;
  if (/^(iTerm\.app|WezTerm|vscode|ghostty|WindowsTerminal)$/.test(program)) return 3;
  return /256/.test(term) || program === 'Apple_Terminal' ? 2 : 1;
}
