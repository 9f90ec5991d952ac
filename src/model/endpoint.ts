import type { ModelInfo } from '../protocol/model.ts';

/**
 * What an address tells of who answers there. A server on this machine or in the local network runs one
 * request at a time, as far as anybody can tell: work beside a turn would hold the turn up.
 */
export function endpointFacts(baseUrl: string): Pick<ModelInfo, 'provider' | 'hasOneSlot'> {
  if (!URL.canParse(baseUrl)) return { provider: 'other' };
  const host = new URL(baseUrl).hostname.toLowerCase();
  if (isNear(host)) return { provider: 'local', hasOneSlot: true };
  const known = PROVIDERS.find(({ hosts }) => hosts.test(host));
  return { provider: known?.provider ?? 'other' };
}

const PROVIDERS: readonly {
  readonly hosts: RegExp;
  readonly provider: NonNullable<ModelInfo['provider']>;
}[] = [
  { hosts: /(?:^|\.)openai\.(?:com|azure\.com)$/, provider: 'openai' },
  { hosts: /(?:^|\.)anthropic\.com$/, provider: 'anthropic' },
  { hosts: /(?:^|\.)googleapis\.com$/, provider: 'google' },
];

/** Loopback, private networks, and names without a dot or in `.local`. */
function isNear(host: string): boolean {
  if (
    /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0$|\[(?:::1?|f[cd][0-9a-f:]*)\]$)/.test(
      host,
    )
  )
    return true;
  return !host.includes('.') || /\.(?:local|localhost|localdomain|internal)$/.test(host);
}
