import type { ModelInfo } from '../protocol/models/model.ts';
import type { Wire } from '../protocol/models/wires.ts';

/**
 * Derives facts about a server from its address. A server on this machine or in the local network is assumed to handle
 * one request at a time, so background requests would delay a turn.
 */
export function endpointFacts(baseUrl: string): Pick<ModelInfo, 'provider' | 'hasOneSlot'> {
  if (!URL.canParse(baseUrl)) return { provider: 'other' };
  const host = new URL(baseUrl).hostname.toLowerCase();
  if (isLocalHost(host)) return { provider: 'local', hasOneSlot: true };
  const known = PROVIDERS.find(({ hosts }) => hosts.test(host));
  return { provider: known?.provider ?? 'other' };
}

/**
 * The API to use at an endpoint; `wire` as in the settings, null if they leave it open. Anthropic's servers also speak
 * chat completions, but cache prompts only on their own API.
 */
export function wireOf(wire: Wire | null, baseUrl: string): Wire {
  return wire ?? (endpointFacts(baseUrl).provider === 'anthropic' ? 'anthropic' : 'chat');
}

const PROVIDERS: readonly {
  readonly hosts: RegExp;
  readonly provider: NonNullable<ModelInfo['provider']>;
}[] = [
  { hosts: /(?:^|\.)openai\.(?:com|azure\.com)$/, provider: 'openai' },
  { hosts: /(?:^|\.)anthropic\.com$/, provider: 'anthropic' },
  { hosts: /(?:^|\.)googleapis\.com$/, provider: 'google' },
];

/**
 * Loopback, private networks, and host names without a dot or ending in `.local`, `.localhost`, `.localdomain` or
 * `.internal`.
 */
function isLocalHost(host: string): boolean {
  if (
    /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0$|\[(?:::1?|f[cd][0-9a-f:]*)\]$)/.test(
      host,
    )
  )
    return true;
  return !host.includes('.') || /\.(?:local|localhost|localdomain|internal)$/.test(host);
}
