/** What the first message of the driving program asks of the session before it is opened, besides what flags can ask. */
import type { DriverMessage, DriverRequest } from './driverMessages.ts';
import { type HostHooks, readHostHooks } from './hostHooks.ts';

export interface DriverSetup {
  /** The `initialize` request, if the first message is one; a later one sets nothing up. */
  readonly request: DriverRequest | undefined;
  readonly hooks: HostHooks;
}

export function readSetup(first: DriverMessage | undefined): DriverSetup {
  const request =
    first?.type === 'request' && first.request.subtype === 'initialize' ? first.request : undefined;
  return { request, hooks: readHostHooks(request?.fields.hooks) };
}
