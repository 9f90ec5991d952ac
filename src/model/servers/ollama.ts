/**
 * What Ollama tells of itself.
 * source: docs/api.md of ollama/ollama (`/api/version`, `/api/tags`, `/api/show`, `/api/ps`) and
 * docs.ollama.com/context-length.
 */
import type { ServedModel } from '../../protocol/server.ts';
import { list, record, text } from '../json.ts';
import { idIn, versionIn, windowIn } from './readFields.ts';

/** `{"version": "0.12.3"}`; undefined where something else answers. */
export function readOllamaVersion(body: unknown): string | undefined {
  const { version } = record(body);
  return typeof version === 'string' && /^v?\d/.test(version) ? versionIn(version) : undefined;
}

/** Names of the installed models, from `/api/tags`; undefined where this is no list of Ollama's. */
export function readOllamaTags(body: unknown): readonly string[] | undefined {
  const { models } = record(body);
  if (!Array.isArray(models)) return undefined;
  return models.flatMap((model) => idIn(record(model).name) ?? idIn(record(model).model) ?? []);
}

/** Context length of what runs, by name, from `/api/ps` (since 0.9.1); undefined where a model runs and none is told. */
export function readOllamaRunning(body: unknown): ReadonlyMap<string, number | undefined> {
  const running = list(record(body).models).flatMap((model) => {
    const { name, model: id, context_length } = record(model);
    const key = idIn(name) ?? idIn(id);
    return key === undefined ? [] : [[key, windowIn(context_length)] as const];
  });
  return new Map(running);
}

/**
 * One model, from `/api/show` and what runs. A Modelfile's `num_ctx` decides what requests get, since those of an
 * OpenAI-compatible client name none; else what the running model was loaded with. Neither known: the default of
 * the server decides (`OLLAMA_CONTEXT_LENGTH`, or 4k to 256k by its memory), which it does not tell before it runs.
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
  // Models of their cloud run with their whole window.
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
