/** What stands on the screen before there is anything else: the same for the first frame and for what follows it. */
import type { Theme } from '../theme/theme.ts';

export const PROMPT_SIGN = '❯';
const PLACEHOLDER = 'Ask for something, / for commands, @ for files, ! for the shell';
/** Where nothing can be dimmed, brackets tell it from a draft. */
export function placeholderOf(theme: Theme): string {
  return theme.plain ? `(${PLACEHOLDER})` : PLACEHOLDER;
}

export const STARTING = 'starting…';

/** The line above everything, for the scrollback; ends in a blank line. */
export function headerText(theme: Theme, version: string, directory: string): string {
  return `${theme.accent('✻')} ${theme.strong('ClawdCode')} ${theme.dim(`${version} · ${directory}`)}\n\n`;
}
