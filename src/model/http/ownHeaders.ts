/** Headers of the user's own, for a gateway that wants more than a key. Pure. */

export type OwnHeaders = Readonly<Record<string, string>>;

/** Whether they say who asks, in the place of a key: Node sends the one written last, so no key goes beside it. */
export function hasAuthorization(headers: OwnHeaders): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

/** What nobody may read: the key, the values of headers, and of `Bearer …` what follows, which may be met alone. */
export function secretsOf(apiKey: string | null | undefined, headers: OwnHeaders): readonly string[] {
  const values = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() !== 'user-agent')
    .flatMap(([, value]) => [value, /^[A-Za-z]+ +(\S+)$/.exec(value)?.[1] ?? '']);
  // The longest first: none may be broken by a shorter one inside it.
  return [apiKey ?? '', ...values].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
}

/** The headers where an address is of the endpoint that they are for: to nobody else. */
export function headersFor(address: string, endpoint: string, headers: OwnHeaders): OwnHeaders {
  if (!URL.canParse(address) || !URL.canParse(endpoint)) return {};
  return new URL(address).origin === new URL(endpoint).origin ? headers : {};
}
