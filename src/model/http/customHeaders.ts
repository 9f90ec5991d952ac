/** The user's own headers, for gateways that require more than a key. Pure. */

export type CustomHeaders = Readonly<Record<string, string>>;

/**
 * True if the headers contain `authorization`. It replaces the key: Node sends the one written last, so the key is left
 * out.
 */
export function hasAuthorization(headers: CustomHeaders): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

/**
 * The secrets to redact: the key, all header values, and the part after `Bearer ` and the like, which may appear alone.
 */
export function secretsOf(apiKey: string | null | undefined, headers: CustomHeaders): readonly string[] {
  const values = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() !== 'user-agent')
    .flatMap(([, value]) => [value, /^[A-Za-z]+ +(\S+)$/.exec(value)?.[1] ?? '']);
  // Longest first, so that a shorter secret inside a longer one does not break it up.
  return [apiKey ?? '', ...values].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
}

/** The headers, if the address has the same origin as the endpoint they are meant for; otherwise none. */
export function headersFor(address: string, endpoint: string, headers: CustomHeaders): CustomHeaders {
  if (!URL.canParse(address) || !URL.canParse(endpoint)) return {};
  return new URL(address).origin === new URL(endpoint).origin ? headers : {};
}
