import type { TerminalColors } from '../../ui/theme/theme.ts';
import type { Place } from '../process/appPaths.ts';

/** What of the environment decides about colours; the screen asks the terminal for the rest. */
export function terminalColors({ env }: Pick<Place, 'env'>): TerminalColors {
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
