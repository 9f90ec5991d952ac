/**
 * Keeps every client of this process away from loopback ports that a session forwards at the moment: what answers there is a
 * sandboxed command, which could pretend to be a service that the settings name (a hook, an MCP server, a collector, a
 * model) and receive its tokens.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { notedPorts } from '../../sandbox/network/portNotes.ts';

/** A sandboxed command answers at this port. */
class ForwardedPortError extends Error {
  override readonly name = 'ForwardedPortError';
  constructor(port: number) {
    super(
      `port ${port} is forwarded from a command in the sandbox, so ClawdCode does not connect to it. Stop the command, or start the service outside of the sandbox`,
    );
  }
}

/** `folder` returns where the sessions note their ports. Returns a function that ends the check. */
export function guardForwardedPorts(folder: () => string): () => void {
  const onSocket = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    // Before anything that waits for the connection, such as the first bytes of a request.
    socket.prependOnceListener('connect', () => {
      const { remoteAddress = '', remotePort = 0 } = socket;
      if (/^(?:::ffff:)?127\.|^::1$/.test(remoteAddress) && notedPorts(folder(), 'forwards').has(remotePort))
        socket.destroy(new ForwardedPortError(remotePort));
    });
  };
  // Of net.connect(), which HTTP clients use; a TLS client recognizes its server itself.
  subscribe('net.client.socket', onSocket);
  return () => void unsubscribe('net.client.socket', onSocket);
}
