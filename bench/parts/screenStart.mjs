// A start in a terminal, as seen from outside.
import { setTimeout as pause } from 'node:timers/promises';
import { treeMemory } from './memory.mjs';
import { openTerminal } from './terminal.mjs';

/**
 * Opens the program in a pseudo-terminal and types as soon as there is a composer. Gives the time from spawn to
 * the character on the screen, to what is `ready` there (a pattern; absent for none), and the memory of the process
 * tree three seconds later, in bytes.
 */
export async function interactiveStart(program, { ready, ...options }) {
  const terminal = openTerminal(program, { columns: 100, rows: 30, ...options });
  await terminal.shows(/^❯ /m);
  terminal.write('z');
  const typedAt = await terminal.shows(/^❯ z/m);
  const readyAt = ready === undefined ? typedAt : await terminal.shows(ready);
  await pause(3000);
  const bytes = treeMemory(terminal.pid);
  await terminal.end();
  return { typedMs: typedAt - terminal.startedAt, readyMs: readyAt - terminal.startedAt, bytes };
}
