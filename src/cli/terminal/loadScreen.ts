import { setImmediate } from 'node:timers/promises';

/**
 * Loads the screen piece by piece, with a look at the keyboard between them, so that what is typed into the first
 * frame shows up while it happens. In one piece it would hold everything up for as long as it takes.
 */
export async function loadScreen(): Promise<typeof import('../interactive.ts')> {
  await setImmediate();
  await import('react');
  await setImmediate();
  await import('ink');
  await setImmediate();
  return import('../interactive.ts');
}
