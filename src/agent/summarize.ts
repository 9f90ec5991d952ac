import type { SummaryModel } from '../context/index.ts';
import type { ModelClient } from '../protocol/model.ts';
import { type Clock, streamReply } from './reply.ts';

/** Tries for a summary: someone is waiting, and there is a way to go on without it. */
const SUMMARY_ATTEMPTS = 3;

/** The model that `context` summarises with: the session's own client, with fewer retries. */
export function createSummarizer(client: ModelClient, clock: Clock): SummaryModel {
  return async (request, { signal, onProgress, onSent }) => {
    let characters = 0;
    const outcome = await streamReply(request, {
      client,
      clock,
      signal,
      maxAttempts: SUMMARY_ATTEMPTS,
      ...(onSent === undefined ? {} : { onSent }),
      emit: (event) => {
        if (event.type === 'text_delta') characters += event.text.length;
        else if (event.type === 'reply_discarded') characters = 0;
        else return;
        onProgress(characters);
      },
    });
    if (outcome.type === 'done') return { type: 'done', reply: outcome.reply };
    return outcome.type === 'interrupted' ? { type: 'aborted' } : { type: 'failed', error: outcome.error };
  };
}
