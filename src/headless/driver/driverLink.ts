/** Requests to the driving program: each is answered, withdrawn, or ended when the driver closes its side. */
import { randomUUID } from 'node:crypto';
import type { DriverResponse } from './driverMessages.ts';

/** The driver's answer, or why there is none. */
export type DriverAnswer =
  | DriverResponse['result']
  /** We withdrew the request. */
  | { readonly ok: false; readonly isWithdrawn: true }
  /** The driver closed its side, so it can no longer answer. */
  | { readonly ok: false; readonly isGone: true };

export interface DriverLink {
  /** Sends a request; an abort withdraws it at once, whether or not the driver ever answers. */
  ask(request: object, signal: AbortSignal): Promise<DriverAnswer>;
  /** Receives an answer; ignores answers to requests that are no longer open. */
  settle(response: DriverResponse): void;
  /** The driver closed its side: ends all requests, also later ones. */
  close(): void;
}

/** `write` sends one message. */
export function createDriverLink(write: (message: object) => void): DriverLink {
  const open = new Map<string, (answer: DriverAnswer) => void>();
  let isClosed = false;
  return {
    ask(request, signal) {
      if (isClosed) return Promise.resolve({ ok: false, isGone: true });
      if (signal.aborted) return Promise.resolve({ ok: false, isWithdrawn: true });
      const id = randomUUID();
      return new Promise((resolve) => {
        const withdraw = (): void => {
          if (!open.has(id)) return;
          write({ type: 'control_cancel_request', request_id: id });
          end({ ok: false, isWithdrawn: true });
        };
        const end = (answer: DriverAnswer): void => {
          open.delete(id);
          signal.removeEventListener('abort', withdraw);
          resolve(answer);
        };
        open.set(id, end);
        signal.addEventListener('abort', withdraw, { once: true });
        write({ type: 'control_request', request_id: id, request });
      });
    },
    settle: ({ id, result }) => open.get(id)?.(result),
    close() {
      isClosed = true;
      for (const end of [...open.values()]) end({ ok: false, isGone: true });
    },
  };
}
