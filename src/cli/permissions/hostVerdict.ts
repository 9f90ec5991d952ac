/** Decides which hosts sandboxed commands may reach, by settings and `WebFetch(domain:…)` rules. Pure. */
import type { SourcedRule } from '../../permissions/rules/rules.ts';
import { bindsCommands, coversDomain } from '../../permissions/webDecision.ts';
import type { HostVerdict } from '../../sandbox/network/commandNetwork.ts';

interface HostSettings {
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
  /** True if managed settings define the allowed hosts; neither rules nor the user's answers can then add hosts. */
  readonly isWholeList: boolean;
}

/** Decides about one host. A deny from any source is final; a managed ask rule asks in every mode. */
export function hostVerdict(
  host: string,
  { allowedDomains, deniedDomains, isWholeList }: HostSettings,
  rules: readonly SourcedRule[],
): HostVerdict {
  const covers = (domain: string): boolean => coversDomain(domain, host);
  const speaking = rules.filter((rule) => bindsCommands(rule, host));
  if (deniedDomains.some(covers) || speaking.some(({ behavior }) => behavior === 'deny')) return 'deny';
  const counting = isWholeList ? speaking.filter(({ managed }) => managed === true) : speaking;
  const isAllowed = allowedDomains.some(covers) || counting.some(({ behavior }) => behavior === 'allow');
  if (isWholeList && !isAllowed) return 'deny';
  const asking = speaking.filter(({ behavior }) => behavior === 'ask');
  if (asking.some(({ managed }) => managed === true)) return 'always ask';
  return asking.length > 0 || !isAllowed ? 'ask' : 'allow';
}
