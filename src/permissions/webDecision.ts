/**
 * Decides whether a page may be fetched: by rules about its domain, then by the mode. Without a rule it always asks.
 */
import { domainToASCII } from 'node:url';
import type { Access, PermissionDecision } from '../protocol/permissions.ts';
import type { Policy } from './policy.ts';
import { parseRule, type SourcedRule } from './rules/rules.ts';
import { saveLocally } from './rules/suggestRules.ts';

type WebAccess = Extract<Access, { type: 'web' }>;

/** Decides one request. Reading a page sends its URL out, so no mode but bypassPermissions allows it. */
export function decideWeb(tool: string, { domain }: WebAccess, policy: Policy): PermissionDecision {
  const find = (behavior: SourcedRule['behavior']): PermissionDecision | undefined => {
    const rule = policy.rules.find((one) => one.behavior === behavior && speaksOf(one, tool, domain));
    return (
      rule && {
        behavior,
        reason: `Rule ${rule.text} (${rule.source}).`,
        ...(behavior === 'allow' && { basis: 'rule' }),
        rule: { text: rule.text, source: rule.source },
      }
    );
  };
  const denied = find('deny');
  if (denied) return denied;
  if (policy.mode === 'bypassPermissions')
    return { behavior: 'allow', basis: 'mode', reason: 'Mode bypassPermissions.' };
  const decided = find('ask') ?? find('allow');
  if (decided) return decided;
  return {
    behavior: 'ask',
    reason: `Sends a request to ${domain}.`,
    causes: [{ type: 'web', domain }],
    suggestion: saveLocally([`${tool}(domain:${domain})`], policy, domain),
  };
}

function speaksOf(rule: SourcedRule, tool: string, domain: string): boolean {
  const parsed = parseRule(rule.text);
  if ('error' in parsed || parsed.tool !== tool) return false;
  return parsed.spec === undefined || coversDomain(domainIn(parsed.spec), domain);
}

/**
 * True if a rule about web pages also applies to commands that connect to this host. A rule without a domain does if it
 * denies or asks; but permission to read any page does not allow commands to send data anywhere.
 */
export function bindsCommands({ text, behavior }: SourcedRule, host: string): boolean {
  const parsed = parseRule(text);
  if ('error' in parsed || parsed.tool !== 'WebFetch') return false;
  return parsed.spec === undefined ? behavior !== 'allow' : coversDomain(domainIn(parsed.spec), host);
}

const domainIn = (spec: string): string => spec.replace(/^domain:/i, '');

/** `example.com` matches only that host, `*.example.com` every subdomain, `*` any host. */
export function coversDomain(pattern: string, domain: string): boolean {
  const host = plainDomain(domain);
  if (pattern === '*') return true;
  if (!pattern.startsWith('*.')) return plainDomain(pattern) === host;
  const base = plainDomain(pattern.slice(2));
  return base !== '' && host.endsWith(`.${base}`);
}

/**
 * Normalizes a name to lower case, ASCII, without a trailing dot; an address to its shortest form, without brackets.
 */
function plainDomain(domain: string): string {
  const name = domain
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '');
  const plain = domainToASCII(name.includes(':') ? `[${name}]` : name);
  return plain.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, '') || name;
}
