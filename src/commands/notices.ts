import type { CommandResult } from './types.ts';

/** Tells the user why a command did nothing. */
export const errorNotice = (text: string): CommandResult => ({ type: 'notice', level: 'error', text });
