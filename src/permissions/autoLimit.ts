/** The hard limits of the mode `auto`: what only the user decides, whatever a judge would say. Pure. */
import type { PermissionDecision } from '../protocol/permissions.ts';

/**
 * Why a call that asks must be put to the user; undefined where a judge may decide. A list of what may be judged, not of
 * what may not: a decision that names no causes, or one cause that is not known to be ordinary, is the user's.
 * `words`: what the user typed, which alone names hosts.
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

/** Whether a text names this very host: not one above or below it, not a part of another name, not a mail address. */
export function namesHost(text: string, domain: string): boolean {
  if (domain === '') return false;
  const host = domain.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}_.@-])${host}(?!\\.?[\\p{L}\\p{N}_-]|@)`, 'iu').test(text);
}
