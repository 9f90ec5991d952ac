/** Sends the end of the output of running commands, a few times a second, and no faster than the client reads. */
import type { ClientLink } from './clientLink.ts';
import { fenced, textContent } from './text.ts';

/** Characters: each update repeats all of it. The result has more. */
const MAX_SHOWN = 8_000;
/** Milliseconds between two updates of one call. */
const PAUSE_MS = 200;

interface LiveOutput {
  add(callId: string, text: string): void;
  end(callId: string): void;
}

interface Running {
  text: string;
  isSending: boolean;
  isStale: boolean;
}

/** `idOf`: the id under which the client knows a call. */
export function createLiveOutput(
  { update }: Pick<ClientLink, 'update'>,
  idOf: (callId: string) => string | undefined,
): LiveOutput {
  const running = new Map<string, Running>();
  const send = (callId: string, one: Running): void => {
    const toolCallId = idOf(callId);
    if (toolCallId === undefined || running.get(callId) !== one) return;
    one.isSending = true;
    one.isStale = false;
    const content = [textContent(fenced(one.text, 'console'))];
    void update({ sessionUpdate: 'tool_call_update', toolCallId, content }).then(async () => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
      one.isSending = false;
      if (one.isStale) send(callId, one);
    });
  };
  return {
    add(callId, text) {
      const one = running.get(callId) ?? { text: '', isSending: false, isStale: false };
      running.set(callId, one);
      one.text = `${one.text}${text}`.slice(-MAX_SHOWN);
      one.isStale = true;
      if (!one.isSending) send(callId, one);
    },
    end: (callId) => void running.delete(callId),
  };
}
