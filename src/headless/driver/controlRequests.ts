/** Requests of the driving program: each gets exactly one response. */
import type { CommandHost } from '../../commands/types.ts';
import type { DriverRequest } from './driverMessages.ts';
import type { PromptInbox } from './promptInbox.ts';

export interface ControlPorts {
  readonly host: CommandHost;
  readonly inbox: PromptInbox;
  /** Interrupts the running turn. */
  readonly interrupt: () => void;
}

/** A request that cannot be fulfilled; the message is ready to show. */
class RequestError extends Error {}

/** Answers a request; never rejects. */
export async function answerRequest(request: DriverRequest, ports: ControlPorts): Promise<object> {
  const { id } = request;
  try {
    const response = await handle(request, ports);
    return { type: 'control_response', response: { subtype: 'success', request_id: id, response } };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { type: 'control_response', response: { subtype: 'error', request_id: id, error: message } };
  }
}

async function handle({ subtype }: DriverRequest, { inbox, interrupt }: ControlPorts): Promise<object> {
  switch (subtype) {
    case 'interrupt':
      interrupt();
      return { still_queued: inbox.waiting().flatMap(({ uuid }) => uuid ?? []) };
    default:
      throw new RequestError(`Unsupported control request subtype: ${subtype}`);
  }
}
