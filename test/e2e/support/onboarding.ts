/** Shared by the onboarding tests: servers on this machine, and waiting for a screen of choices. */
import { onTestFinished } from 'vitest';
import { type LocalServer, type Routes, startLocalServer } from './localServers.ts';
import type { Terminal } from './terminal.ts';

/** Starts a local server that is stopped when the test ends. */
export async function serve(routes: Routes): Promise<LocalServer> {
  const server = await startLocalServer(routes);
  onTestFinished(() => server.close());
  return server;
}

/** Waits for the choices and until keys count. */
export async function settled(terminal: Terminal, wanted: string | RegExp): Promise<void> {
  await terminal.waitFor(wanted);
  await terminal.waitForQuietTime();
}
