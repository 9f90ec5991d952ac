/**
 * Reads what Ollama reports about itself and its models.
 * source: docs/api.md of ollama/ollama (`/api/version`, `/api/tags`, `/api/show`, `/api/ps`) and
 * docs.ollama.com/context-length.
 */
import type { ServedModel } from '../../protocol/server.ts';
import { list, record, text } from '../json.ts';
import { idIn, versionIn, windowIn } from './readFields.ts';

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
