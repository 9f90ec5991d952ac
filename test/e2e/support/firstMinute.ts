/** What the tests of the first minute share: servers on this machine, and a screen of choices that has settled. */
import { onTestFinished } from 'vitest';
import { type LocalServer, type Routes, startLocalServer } from './localServers.ts';
import type { Terminal } from './terminal.ts';

/** A local server for the length of the test. */
export async function serve(routes: Routes): Promise<LocalServer> {
  const server = await startLocalServer(routes);
  onTestFinished(() => server.close());
  return server;
}

/** Keys count once the choices have stood for a moment. */
export async function settled(terminal: Terminal, wanted: string | RegExp): Promise<void> {
  await terminal.waitFor(wanted);
  await terminal.pause(300);
}
