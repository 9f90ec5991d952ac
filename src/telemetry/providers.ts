import type { Wire } from '../protocol/models/wires.ts';
import type { Attributes } from './records.ts';

/** Names that the conventions give providers, by the end of their host. */
const providers: Readonly<Record<string, string>> = {
  'openai.com': 'openai',
  'openai.azure.com': 'azure.ai.openai',
  'anthropic.com': 'anthropic',
  'amazonaws.com': 'aws.bedrock',
  'cohere.com': 'cohere',
  'deepseek.com': 'deepseek',
  'generativelanguage.googleapis.com': 'gcp.gemini',
  'aiplatform.googleapis.com': 'gcp.vertex_ai',
  'groq.com': 'groq',
  'mistral.ai': 'mistral_ai',
  'moonshot.ai': 'moonshot_ai',
  'perplexity.ai': 'perplexity',
  'x.ai': 'x_ai',
};

/** Returns provider, host and port of an endpoint. The provider of an unknown host is the one whose API it uses. */
export function providerOf(baseUrl: string, wire: Wire): Attributes {
  const { hostname, port, protocol } = new URL(baseUrl);
  const known = Object.keys(providers).find((end) => hostname === end || hostname.endsWith(`.${end}`));
  return {
    'gen_ai.provider.name':
      (known === undefined ? undefined : providers[known]) ?? (wire === 'anthropic' ? 'anthropic' : 'openai'),
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'http:' ? 80 : 443),
  };
}
