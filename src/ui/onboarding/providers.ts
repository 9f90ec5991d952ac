/** Endpoints by provider, and the prefixes of their keys. Data. */
import { OFFICIAL_URL } from '../../protocol/models/modelNames.ts';

interface Provider {
  readonly name: string;
  /** Other names that may be typed. */
  readonly aliases: readonly string[];
  readonly baseUrl: string;
  /** Pattern of its keys. */
  readonly keys?: RegExp;
}

/**
 * Servers on this machine at their default ports.
 * source: docs.ollama.com/faq (11434), lmstudio.ai/docs/developer (1234), tools/server/README.md of ggml-org/llama.cpp
 * (8080), docs.vllm.ai/en/latest/serving/openai_compatible_server (8000).
 */
export const localServers = [
  { name: 'Ollama', aliases: [], baseUrl: 'http://127.0.0.1:11434/v1' },
  { name: 'LM Studio', aliases: ['lmstudio'], baseUrl: 'http://127.0.0.1:1234/v1' },
  { name: 'llama.cpp', aliases: ['llamacpp'], baseUrl: 'http://127.0.0.1:8080/v1' },
  { name: 'vLLM', aliases: [], baseUrl: 'http://127.0.0.1:8000/v1' },
] as const satisfies readonly Provider[];

/**
 * The first provider whose pattern matches a key is suggested. A plain `sk-` matches none: OpenAI and many others use
 * it.
 * source: the API references of each (OpenAI-compatible endpoints), 2026-11.
 */
export const providers: readonly Provider[] = [
  { name: 'OpenRouter', aliases: [], baseUrl: 'https://openrouter.ai/api/v1', keys: /^sk-or-/ },
  { name: 'Anthropic', aliases: ['claude'], baseUrl: 'https://api.anthropic.com/v1', keys: /^sk-ant-/ },
  { name: 'Groq', aliases: [], baseUrl: 'https://api.groq.com/openai/v1', keys: /^gsk_/ },
  {
    name: 'Google',
    aliases: ['gemini'],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keys: /^AIza/,
  },
  { name: 'xAI', aliases: ['grok'], baseUrl: 'https://api.x.ai/v1', keys: /^xai-/ },
  { name: 'Cerebras', aliases: [], baseUrl: 'https://api.cerebras.ai/v1', keys: /^csk-/ },
  { name: 'Fireworks', aliases: [], baseUrl: 'https://api.fireworks.ai/inference/v1', keys: /^fw_/ },
  { name: 'NVIDIA', aliases: [], baseUrl: 'https://integrate.api.nvidia.com/v1', keys: /^nvapi-/ },
  { name: 'Hugging Face', aliases: ['hf'], baseUrl: 'https://router.huggingface.co/v1', keys: /^hf_/ },
  {
    name: 'GitHub Models',
    aliases: ['github'],
    baseUrl: 'https://models.github.ai/inference',
    keys: /^(?:ghp_|github_pat_)/,
  },
  { name: 'DeepSeek', aliases: [], baseUrl: 'https://api.deepseek.com/v1' },
  { name: 'Mistral', aliases: [], baseUrl: 'https://api.mistral.ai/v1' },
  { name: 'Moonshot', aliases: ['kimi'], baseUrl: 'https://api.moonshot.ai/v1' },
  { name: 'Z.ai', aliases: ['zai', 'glm'], baseUrl: 'https://api.z.ai/api/paas/v4' },
  { name: 'Together', aliases: [], baseUrl: 'https://api.together.xyz/v1' },
  { name: 'DeepInfra', aliases: [], baseUrl: 'https://api.deepinfra.com/v1/openai' },
  ...localServers,
  {
    name: 'OpenAI',
    aliases: [],
    baseUrl: OFFICIAL_URL,
    keys: /^sk-(?:proj-|svcacct-|admin-)/,
  },
];

/** The provider that issues keys like this one; undefined if unknown or ambiguous. */
export function providerOfKey(key: string): Provider | undefined {
  return providers.find(({ keys }) => keys?.test(key) === true);
}

/** The provider whose name was typed instead of an address. */
export function providerNamed(text: string): Provider | undefined {
  const wanted = plain(text);
  return providers.find(({ name, aliases }) => [name, ...aliases].some((one) => plain(one) === wanted));
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s._-]/g, '');
}
