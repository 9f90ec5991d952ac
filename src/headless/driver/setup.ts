/** What the first message of the driving program asks of the session before it is opened, besides what flags can ask. */
import type { DriverMessage, DriverRequest } from './driverMessages.ts';
import { type HostHooks, readHostHooks } from './hostHooks.ts';
import { type HostServers, readHostServers } from './hostServers.ts';

export interface DriverSetup {
  /** The `initialize` request, if the first message is one; a later one sets nothing up. */
  readonly request: DriverRequest | undefined;
  readonly hooks: HostHooks;
  readonly servers: HostServers;
}

export function readSetup(first: DriverMessage | undefined): DriverSetup {
  const request =
    first?.type === 'request' && first.request.subtype === 'initialize' ? first.request : undefined;
  const fields = request?.fields ?? {};
  return { request, hooks: readHostHooks(fields.hooks), servers: readHostServers(fields) };
}
