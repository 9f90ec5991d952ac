/**
 * Reads what LM Studio reports about its models.
 * source: lmstudio.ai/docs/developer/rest/endpoints (`/api/v0/models`) and lmstudio.ai/docs/developer/rest
 * (`/api/v1/models`, since 0.4.0).
 */
import type { ServedModel } from '../../protocol/server.ts';
import { list, record } from '../json.ts';
import { idIn, windowIn } from './readFields.ts';

/** From `/api/v0/models`; undefined if it is not a list from LM Studio. */
export function readLmStudioV0(body: unknown): readonly ServedModel[] | undefined {
  const { data } = record(body);
  if (!Array.isArray(data)) return undefined;
  if (data.length > 0 && !data.some((model) => 'state' in record(model))) return undefined;
  return data.flatMap((model) => {
    const { id: rawId, type, state, max_context_length, loaded_context_length, capabilities } = record(model);
    const id = idIn(rawId);
    if (id === undefined) return [];
    return withWindows(id, windowIn(loaded_context_length), windowIn(max_context_length), {
      ...(state === 'loaded' ? { loaded: true } : {}),
      // Every model accepts tools; only models trained for them report it.
      ...(list(capabilities).includes('tool_use') ? { tools: true } : {}),
      ...(type === 'llm' || type === 'vlm' ? { vision: type === 'vlm' } : {}),
      ...(type === 'embeddings' ? { unfit: true } : {}),
    });
  });
}

/** From `/api/v1/models`: a loaded model is listed under the ids of its instances. */
export function readLmStudioV1(body: unknown): readonly ServedModel[] | undefined {
  const { models } = record(body);
  if (!Array.isArray(models) || !models.every((model) => 'loaded_instances' in record(model)))
    return undefined;
  return models.flatMap((model) => {
    const { key, type, loaded_instances, max_context_length, capabilities } = record(model);
    const { vision, trained_for_tool_use, reasoning } = record(capabilities);
    const max = windowIn(max_context_length);
    const facts = {
      ...(trained_for_tool_use === true ? { tools: true } : {}),
      ...(typeof vision === 'boolean' ? { vision } : {}),
      ...(reasoning === undefined ? {} : { reasoning: Boolean(reasoning) }),
      ...(type === 'embedding' || type === 'embeddings' ? { unfit: true } : {}),
    };
    const instances = list(loaded_instances).flatMap((instance) => {
      const id = idIn(record(instance).id);
      const window = windowIn(record(record(instance).config).context_length);
      return id === undefined ? [] : [withWindows(id, window, max, { ...facts, loaded: true })];
    });
    const id = idIn(key);
    if (instances.length > 0 || id === undefined) return instances;
    return [withWindows(id, undefined, max, facts)];
  });
}

function withWindows(
  id: string,
  served: number | undefined,
  max: number | undefined,
  facts: Omit<ServedModel, 'id'>,
): ServedModel {
  return {
    id,
    ...(served === undefined ? {} : { windowTokens: Math.min(served, max ?? served) }),
    ...(max === undefined ? {} : { maxWindowTokens: max }),
    ...facts,
  };
}
