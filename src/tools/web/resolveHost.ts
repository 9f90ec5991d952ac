/** Resolves a host to the addresses that may be connected to. Requests use these without another lookup. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isLocalName, isPublicAddress } from './publicAddress.ts';

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Returns all addresses of a name; rejects with a system error if there are none. */
export type Resolve = (hostname: string) => Promise<readonly HostAddress[]>;

/** Resolves like every other program on this machine, hosts file included. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, order: 'verbatim' });

type ResolvedHost =
  | { readonly ok: true; readonly addresses: readonly HostAddress[] }
  | { readonly ok: false; readonly message: string };

export interface HostRules {
  readonly allowPrivate: boolean;
  readonly resolve: Resolve;
}

/** Resolves and checks the host of a URL. A single non-public address rejects them all. */
export async function resolveHost(
  domain: string,
  { allowPrivate, resolve }: HostRules,
): Promise<ResolvedHost> {
  const why = allowPrivate ? undefined : whyPrivate(domain);
  if (why !== undefined) return refused(domain, why);
  const { literal, family } = literalOf(domain);
  const addresses = family === 0 ? await resolve(domain) : [{ address: literal, family }];
  const [first] = addresses;
  if (first === undefined) return { ok: false, message: `${domain} has no address.` };
  const inner = allowPrivate ? undefined : addresses.find(({ address }) => !isPublicAddress(address));
  if (inner === undefined) return { ok: true, addresses };
  return refused(domain, `${inner.address}, ${INNER}`);
}

const INNER = 'an address of this machine, its network or its cloud';

/**
 * Why a host is not on the public internet, judging by its name alone, without a lookup; undefined if that does not
 * tell.
 */
export function whyPrivate(domain: string): string | undefined {
  if (isLocalName(domain)) return 'a name of this machine or its network';
  const { literal, family } = literalOf(domain);
  return family === 0 || isPublicAddress(literal) ? undefined : INNER;
}

function literalOf(domain: string): { readonly literal: string; readonly family: number } {
  const literal = domain.replace(/^\[(.*)\]$/, '$1');
  return { literal, family: isIP(literal) };
}

function refused(domain: string, what: string): ResolvedHost {
  return {
    ok: false,
    message: `${domain} is ${what}, and pages are fetched from the public internet only. The user can change that with the setting webFetch.allowPrivate.`,
  };
}
