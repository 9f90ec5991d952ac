/**
 * Reads what llama.cpp's server reports about its model.
 * source: tools/server/README.md of ggml-org/llama.cpp (`GET /props`, `GET /v1/models`).
 */
import type { ServedModel } from '../../protocol/server.ts';
import { record, text } from '../json.ts';
import { versionIn, windowIn } from './readFields.ts';

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
