/**
 * Reads what Ollama reports about itself and its models.
 * source: docs/api.md of ollama/ollama (`/api/version`, `/api/tags`, `/api/show`, `/api/ps`) and
 * docs.ollama.com/context-length.
 */
import type { ServedModel } from '../../protocol/models/server.ts';
import { list, record, text } from '../json.ts';
import { idIn, versionIn, windowIn } from './modelList.ts';

/** From `{"version": "0.12.3"}`; undefined if another server answers. */
export function readOllamaVersion(body: unknown): string | undefined {
  const { version } = record(body);
  return typeof version === 'string' && /^v?\d/.test(version) ? versionIn(version) : undefined;
}

/** Names of the installed models, from `/api/tags`; undefined if it is not a list from Ollama. */
export function readOllamaTags(body: unknown): readonly string[] | undefined {
  const { models } = record(body);
  if (!Array.isArray(models)) return undefined;
  return models.flatMap((model) => idIn(record(model).name) ?? idIn(record(model).model) ?? []);
}

/** Context lengths of the running models by name, from `/api/ps` (since 0.9.1); undefined for a model without one. */
export function readOllamaRunning(body: unknown): ReadonlyMap<string, number | undefined> {
  const running = list(record(body).models).flatMap((model) => {
    const { name, model: id, context_length } = record(model);
    const key = idIn(name) ?? idIn(id);
    return key === undefined ? [] : [[key, windowIn(context_length)] as const];
  });
  return new Map(running);
}

/**
 * One model, from `/api/show` and the running models. A Modelfile's `num_ctx` sets the window of a request, since
 * requests of OpenAI-compatible clients contain none; otherwise the length the running model was loaded with. If
 * neither is known, the server's default applies (`OLLAMA_CONTEXT_LENGTH`, or 4k to 256k depending on its memory),
 * which it does not report before the model runs.
 */
export function readOllamaModel(
  id: string,
  show: unknown,
  running: ReadonlyMap<string, number | undefined>,
): ServedModel {
  const { capabilities, model_info, parameters, remote_model } = record(show);
  const info = record(model_info);
  const architecture = text(info['general.architecture']);
  const maxWindow =
    windowIn(info[`${architecture}.context_length`]) ??
    windowIn(Object.entries(info).find(([key]) => key.endsWith('.context_length'))?.[1]);
  const numCtx = windowIn(/^num_ctx[ \t]+(\d+)/m.exec(text(parameters) ?? '')?.[1]);
  const loaded = running.has(id);
  // Models in Ollama's cloud run with their full window.
  const isRemote = text(remote_model) !== undefined;
  const served = isRemote ? maxWindow : (numCtx ?? running.get(id));
  const can = Array.isArray(capabilities) ? capabilities : undefined;
  return {
    id,
    ...(served === undefined ? {} : { windowTokens: Math.min(served, maxWindow ?? served) }),
    ...(maxWindow === undefined ? {} : { maxWindowTokens: maxWindow }),
    ...(loaded ? { loaded } : {}),
    ...(can === undefined
      ? {}
      : {
          tools: can.includes('tools'),
          vision: can.includes('vision'),
          reasoning: can.includes('thinking'),
          ...(can.includes('completion') || can.length === 0 ? {} : { unfit: true }),
        }),
  };
}

// Reads what llama.cpp's server reports about its model.
// source: tools/server/README.md of ggml-org/llama.cpp (`GET /props`, `GET /v1/models`).

interface LlamaCppProps {
  /** The window of one slot, which is what a request gets. */
  readonly windowTokens?: number;
  readonly version?: string;
  readonly tools?: boolean;
  readonly vision?: boolean;
}

/** From `/props`; undefined if another server answers. */
export function readLlamaCppProps(body: unknown): LlamaCppProps | undefined {
  const props = record(body);
  const settings = record(props.default_generation_settings);
  if (!('default_generation_settings' in props) && !('build_info' in props && 'model_path' in props))
    return undefined;
  const windowTokens =
    windowIn(settings.n_ctx) ?? windowIn(record(settings.params).n_ctx) ?? windowIn(props.n_ctx);
  const version = versionIn(props.build_info);
  const { supports_tools } = record(props.chat_template_caps);
  const template = `${text(props.chat_template) ?? ''}${text(props.chat_template_tool_use) ?? ''}`;
  const { vision } = record(props.modalities);
  return {
    ...(windowTokens === undefined ? {} : { windowTokens }),
    ...(version === undefined ? {} : { version }),
    // Without a template for tools a generic one is used, so tool support is never ruled out.
    ...(supports_tools === true || /\btools\b/.test(template) ? { tools: true } : {}),
    ...(typeof vision === 'boolean' ? { vision } : {}),
  };
}

/** Adds the facts of the one loaded model to its entry in the list. */
export function withProps(model: ServedModel, { version: _, ...facts }: LlamaCppProps): ServedModel {
  const { windowTokens } = facts;
  const max = model.maxWindowTokens;
  return {
    ...model,
    ...facts,
    // --ctx-size may exceed what the model was trained for; the server then still serves it.
    ...(windowTokens !== undefined && max !== undefined && max < windowTokens
      ? { maxWindowTokens: windowTokens }
      : {}),
    loaded: true,
  };
}

// Reads what LM Studio reports about its models.
// source: lmstudio.ai/docs/developer/rest/endpoints (`/api/v0/models`) and lmstudio.ai/docs/developer/rest
// (`/api/v1/models`, since 0.4.0).

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
