import { modelAdvice } from '../../commands/model.ts';
import type { ModelList } from '../../commands/types.ts';
import type { ModelClient, ModelEvent } from '../../protocol/model.ts';

/** Wraps a client: if the server does not know the model, the error suggests similar names. */
export function withNearestModels(client: ModelClient, listModels: () => Promise<ModelList>): ModelClient {
  async function* stream(
    ...[request, signal, onSent]: Parameters<ModelClient['stream']>
  ): AsyncGenerator<ModelEvent> {
    for await (const event of client.stream(request, signal, onSent)) {
      if (event.type !== 'failed' || event.error.kind !== 'model_not_found') {
        yield event;
        continue;
      }
      const { ids } = await listModels();
      if (signal.aborted) return;
      const message = `${event.error.message}${modelAdvice(request.model, ids)}`;
      yield { ...event, error: { ...event.error, message } };
    }
  }
  return { stream };
}
