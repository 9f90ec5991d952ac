/**
 * Reads the OpenAI-compatible list `GET /v1/models`, with the fields that servers add to it.
 * source: docs.vllm.ai (max_model_len), openrouter.ai/docs/api-reference/list-available-models (context_length,
 * supported_parameters, architecture), console.groq.com/docs/models (context_window), docs.mistral.ai/api
 * (max_context_length, capabilities), docs.together.ai/reference/models-1 (context_length, type),
 * tools/server/README.md of llama.cpp (meta.n_ctx_train).
 */
import type { ServedModel, ServerKind } from '../../protocol/models/server.ts';
import { list, record, text } from '../json.ts';

export interface ModelList {
  readonly models: readonly ServedModel[];
  /** The kind of server, as far as `owned_by` identifies it. */
  readonly kind: ServerKind;
}

/** More models than any server has; the rest is ignored. */
const MAX_MODELS = 5000;

/** Undefined if this is not a list of models. Some servers send a bare array, or put it under `models`. */
export function readModelList(body: unknown): ModelList | undefined {
  const { data, models, object } = record(body);
  const found = [body, data, models].find(Array.isArray);
  if (found === undefined) return object === 'list' ? { models: [], kind: 'other' } : undefined;
  const entries = list(found).slice(0, MAX_MODELS);
  const read = entries.flatMap((entry) => readModel(entry) ?? []);
  if (read.length === 0 && entries.length > 0) return undefined;
  return { models: read, kind: kindOf(record(entries[0])) };
}

function kindOf(first: Readonly<Record<string, unknown>>): ServerKind {
  switch (text(first.owned_by)) {
    case 'library':
      return 'ollama';
    case 'organization_owner':
      return 'lmstudio';
    case 'llamacpp':
      return 'llamacpp';
    case 'vllm':
      return 'vllm';
    case 'openai':
    case 'openai-internal':
    case 'system':
      return 'openai';
    default:
      return 'other';
  }
}

function readModel(entry: unknown): ServedModel | undefined {
  const fields = record(entry);
  const id = idIn(fields.id) ?? idIn(fields.name);
  if (id === undefined) return undefined;
  const { meta, top_provider, metadata, capabilities, architecture } = fields;
  const limits = record(record(capabilities).limits);
  const served = [
    fields.max_model_len, // vLLM, SGLang
    record(meta).n_ctx, // llama.cpp, newer
    record(top_provider).context_length, // OpenRouter: the provider that is tried first
    fields.context_length, // OpenRouter, Together, Moonshot, Fireworks
    fields.context_window, // Groq
    fields.max_context_length, // Mistral
    limits.max_context_window_tokens, // GitHub Copilot
    record(metadata).context_length, // DeepInfra
    fields.max_input_tokens, // Anthropic
  ]
    .map(windowIn)
    .find((window) => window !== undefined);
  const max = windowIn(record(meta).n_ctx_train) ?? windowIn(fields.context_length);
  const can = capabilitiesIn(fields, record(capabilities), record(architecture));
  const isUnfit =
    isUnfitName(id) || isUnfitType(text(fields.type)) || record(capabilities).completion_chat === false;
  return {
    id,
    ...(served === undefined ? {} : { windowTokens: served }),
    ...(max === undefined ? {} : { maxWindowTokens: Math.max(max, served ?? 0) }),
    ...can,
    ...(isUnfit ? { unfit: true } : {}),
  };
}

function capabilitiesIn(
  fields: Readonly<Record<string, unknown>>,
  capabilities: Readonly<Record<string, unknown>>,
  architecture: Readonly<Record<string, unknown>>,
): Pick<ServedModel, 'tools' | 'vision' | 'reasoning'> {
  const parameters = Array.isArray(fields.supported_parameters) ? fields.supported_parameters : undefined;
  const inputs = Array.isArray(architecture.input_modalities) ? architecture.input_modalities : undefined;
  const tools =
    parameters?.includes('tools') ?? flag(capabilities.function_calling) ?? flag(fields.supports_tools);
  const vision =
    inputs?.includes('image') ??
    flag(capabilities.vision) ??
    flag(fields.supports_image_in) ??
    flag(fields.supports_image_input);
  const reasoning = parameters?.includes('reasoning') ?? flag(fields.supports_reasoning);
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(vision === undefined ? {} : { vision }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

function isUnfitType(type: string | undefined): boolean {
  return type !== undefined && /^(?:embeddings?|rerank|image|audio|moderation|transcribe|tts)$/i.test(type);
}

// Validates numbers and names that servers report. Pure.

/** No model has less, so a smaller number is not a window. */
const LEAST_WINDOW = 256;
/** More than any model ever published (10,000,000 tokens): a placeholder or an error. */
const MOST_WINDOW = 16_000_000;

/** A window in tokens; undefined for zero, negative, huge, malformed or missing values. Accepts digits in a string. */
export function windowIn(value: unknown): number | undefined {
  const tokens = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  if (typeof tokens !== 'number' || !Number.isSafeInteger(tokens)) return undefined;
  return tokens >= LEAST_WINDOW && tokens <= MOST_WINDOW ? tokens : undefined;
}

/** A model id: one line of at most 512 printable characters that can be shown and sent. */
export function idIn(value: unknown): string | undefined {
  const id = text(value);
  return id !== undefined && id.length <= 512 && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(id)
    ? id
    : undefined;
}

/** A version for display: printable, cut to 64 characters. */
export function versionIn(value: unknown): string | undefined {
  const version = idIn(value);
  return version === undefined ? undefined : version.slice(0, 64);
}

/** True if the name shows that the model is not for conversations (embeddings, images, speech …). */
function isUnfitName(id: string): boolean {
  return UNFIT.test(id);
}

const UNFIT =
  /embed|rerank|\bbge-|moderation|whisper|transcri|\btts\b|text-to-speech|dall-?e|(?:^|[/-])(?:image|sora|realtime|audio|imagen|veo|flux)(?:[-\d]|$)|stable-?diffusion|^(?:davinci|babbage)-\d/i;
