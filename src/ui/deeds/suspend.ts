import type { Deed } from './types.ts';

/** Ctrl+Z: the shell gets the terminal back as it was, until `fg`. What runs goes on once the program does. */
export const suspend: Deed = async ({ options, screen, showHint }) => {
  const { stop } = options;
  let outcome: 'continued' | 'unsupported' = 'unsupported';
  if (stop !== undefined)
    await screen()?.suspend(async () => {
      outcome = await stop();
    });
  if (outcome === 'unsupported') showHint('There is no shell here that could bring it back.');
};
