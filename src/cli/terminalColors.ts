import type { TerminalColors } from '../ui/theme.ts';
import type { Place } from './place.ts';

/** What of the environment decides about colours. */
export function terminalColors({ env }: Place): TerminalColors {
  return {
    noColor: (env.NO_COLOR ?? '') !== '',
    term: env.TERM,
    colorTerm: env.COLORTERM,
    colorFgBg: env.COLORFGBG,
  };
}
