/** The hard limits of the mode `auto`: calls that only the user may approve, regardless of the judge. Pure. */
import type { PermissionDecision } from '../protocol/permissions.ts';

/**
 * Why a call needs the user's approval; undefined if a judge may decide. An allowlist: a decision without causes, or
 * with a cause that is not known to be ordinary, is left to the user. `words`: texts typed by the user, the only ones
 * that can name a host.
 */
export function autoLimit(decision: PermissionDecision, words: readonly string[]): string | undefined {
  const { causes = [], reason, rule } = decision;
  if (rule !== undefined || causes.length === 0) return reason;
  for (const cause of causes) {
    if (cause.type === 'limit') return cause.reason;
    if (cause.type === 'web' && !words.some((text) => namesHost(text, cause.domain)))
      return `You have not named ${cause.domain} in this session.`;
  }
  return undefined;
}

/**
 * True if a text names exactly this host: not a parent or subdomain, not part of another name, not an email address.
 */
function namesHost(text: string, domain: string): boolean {
  if (domain === '') return false;
  const host = domain.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_.@-])${host}(?!\\.?[\\p{L}\\p{N}_-]|@)`, 'iu').test(text);
}
