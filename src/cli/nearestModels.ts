import type { ModelList } from '../commands/types.ts';
import { nearest } from '../config/nearest.ts';
import type { ModelClient, ModelEvent } from '../protocol/model.ts';

/** Names that are told where none is near. */
const TOLD = 5;

/** The same client; where the server does not know the model, the error names those that were probably meant. */
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

/** E.g. ` Did you mean "qwen3:8b"?`, or the first names that there are; empty where none are known. */
export function modelAdvice(typed: string, ids: readonly string[]): string {
  const [first] = ids;
  if (first === undefined) return '';
  const bare = (id: string): string => id.toLowerCase().replace(/^.*\//, '');
  const wanted = bare(typed);
  const meant =
    ids.find((id) => bare(id) === wanted) ??
    nearest(typed, ids) ??
    ids.find((id) => bare(id).startsWith(wanted) || bare(id).includes(wanted));
  if (meant !== undefined) return ` Did you mean ${JSON.stringify(meant)}?`;
  const more = ids.length > TOLD ? ` and ${ids.length - TOLD} more` : '';
  return ` It has ${ids.slice(0, TOLD).join(', ')}${more}.`;
}
