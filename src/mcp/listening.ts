/**
 * Listens for changed lists: servers of the protocol of 2026-07-28 announce changes only to clients that ask for them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';

/** Milliseconds until a broken subscription is opened again: some hosts end every stream after a minute. */
const AGAIN_MS = 30_000;

interface Ports {
  readonly timeoutMs: number;
  readonly log: (text: string) => void;
  readonly onChanged: () => void;
}

/** Subscribes to the lists of the server until the connection closes. Does nothing in the older protocol. */
export function keepListening(client: Client, ports: Ports): void {
  if (client.getProtocolEra() !== 'modern') return;
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const filter = {
    ...(tools?.listChanged === true && { toolsListChanged: true }),
    ...(prompts?.listChanged === true && { promptsListChanged: true }),
    ...(resources?.listChanged === true && { resourcesListChanged: true }),
  };
  if (Object.keys(filter).length === 0) return;
  const over = new AbortController();
  const { onclose } = client;
  client.onclose = () => {
    over.abort();
    onclose?.();
  };
  listen(client, filter, ports, over.signal).catch((error: Error) => {
    if (!over.signal.aborted) ports.log(`(${error.message.slice(0, 500)})\n`);
  });
}

async function listen(
  client: Client,
  filter: Parameters<Client['listen']>[0],
  { timeoutMs: timeout, onChanged }: Ports,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const { closed } = await client.listen(filter, { timeout, signal });
    if ((await closed) !== 'remote' || signal.aborted) return;
    await sleep(AGAIN_MS, undefined, { ref: false, signal });
    onChanged();
  }
}
