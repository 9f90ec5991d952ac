/**
 * Decides which addresses are on the public internet. All others (this machine, its network, the metadata services of a
 * cloud) trust nearby clients, so a page must not send the agent there. Sources: the IANA special-purpose address
 * registries for IPv4 and IPv6 (RFC 6890), as of 2025.
 */

import { lookup } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

const reserved4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT; Alibaba's metadata
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's own service, at a public address
  ['169.254.0.0', 16], // link-local; metadata of most clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; Oracle's metadata
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
];

/** Only 2000::/3 of IPv6 is allocated; these parts of it are special or unused. */
const reserved6: readonly (readonly [string, number])[] = [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: carries any IPv4 address
  ['3fff::', 20], // documentation
];

const blocked4 = listOf(reserved4, 'ipv4');
const blocked6 = listOf(reserved6, 'ipv6');
const allocated6 = listOf([['2000::', 3]], 'ipv6');
/** IPv4 embedded in IPv6: mapped, or behind a translator (NAT64). The embedded address decides. */
const wrapped4 = listOf([['64:ff9b::', 96]], 'ipv6');
const mapped = /^::ffff:[\da-f]{1,4}:[\da-f]{1,4}$/;

/** Returns this machine's addresses by interface. */
export type Interfaces = () => NodeJS.Dict<NetworkInterfaceInfo[]>;

/**
 * True if an address, as spelled by a resolver or a URL, is on the public internet and not of this machine, which may
 * have public ones itself, or of its IPv6 network. False if it is not an address.
 */
export function isPublicAddress(address: string, interfaces: Interfaces = ownInterfaces): boolean {
  switch (isIP(address)) {
    case 4:
      return !blocked4.check(address, 'ipv4') && !ownList(interfaces).check(address, 'ipv4');
    case 6:
      return isPublic6(address, interfaces);
    default:
      return false;
  }
}

/** Some systems, such as Android, do not let programs list them. */
const ownInterfaces: Interfaces = () => {
  try {
    return networkInterfaces();
  } catch {
    return {};
  }
};

/** Shorter prefixes belong to a provider or a tunnel: other networks are in them. */
const LEAST_PREFIX = 48;

/**
 * Asked each time, since addresses change. In IPv4, a public network is shared with strangers, so only the addresses
 * themselves count.
 */
function ownList(interfaces: Interfaces): BlockList {
  const list = new BlockList();
  for (const { address, family, cidr } of Object.values(interfaces()).flatMap((all) => all ?? [])) {
    const prefix = Number(cidr?.split('/')[1]);
    if (family === 'IPv4') list.addAddress(address, 'ipv4');
    else if (prefix >= LEAST_PREFIX) list.addSubnet(address, prefix, 'ipv6');
    else list.addAddress(address, 'ipv6');
  }
  return list;
}

function isPublic6(address: string, interfaces: Interfaces): boolean {
  // An address with a zone belongs to one network interface.
  if (address.includes('%')) return false;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  if (mapped.test(canonical) || wrapped4.check(canonical, 'ipv6')) {
    const [high = 0, low = 0] = canonical
      .split(':')
      .slice(-2)
      .map((group) => Number.parseInt(group || '0', 16));
    return isPublicAddress([high >> 8, high & 255, low >> 8, low & 255].join('.'), interfaces);
  }
  if (!allocated6.check(canonical, 'ipv6') || blocked6.check(canonical, 'ipv6')) return false;
  return !ownList(interfaces).check(canonical, 'ipv6');
}

/** Names that are never assigned on the internet: RFC 6761, 6762, 8375, and `.internal` (ICANN 2024). */
function isLocalName(domain: string): boolean {
  return /(?:^|\.)(?:localhost|localdomain|local|internal|home\.arpa)$/.test(domain);
}

function listOf(subnets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}

// Resolves a host to the addresses that may be connected to. Requests use these without another lookup.

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Returns all addresses of a name; rejects with a system error if there are none. */
export type Resolve = (hostname: string) => Promise<readonly HostAddress[]>;

/** Resolves like every other program on this machine, hosts file included. */
export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, order: 'verbatim' });

/** A resolver with a fixed answer, so that no other address can be substituted between the check and the connection. */
export function answerWith(addresses: readonly HostAddress[]): LookupFunction {
  return (hostname, { all }, callback) => {
    const [first] = addresses;
    if (first === undefined) callback(new Error(`${hostname} has no address`), '', 4);
    else if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

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

/** Describes an address that is not public. */
export const INNER = 'an address of this machine, its network or its cloud';

/**
 * Why a host is not on the public internet, by its name alone, without a lookup; undefined if it may be.
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
