/** What has changed in a text that was approved, so that a small change in a long text is seen. Pure. */
import { shownGrant } from './grants.ts';
import type { Grant } from './types.ts';

/** Characters shown on each side of a change. */
const CONTEXT = 60;
/** Characters of a text in which a change is seen at a glance. */
const SHORT = 80;
/** Pairs of texts that are compared; with more, none are. */
const MAX_PAIRS = 20_000;

/** The parts that differ, with some of the text around them; undefined if the texts have little in common. */
function changedPart(before: string, now: string): string | undefined {
  const shorter = Math.min(before.length, now.length);
  let start = 0;
  while (start < shorter && before[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === now.at(-1 - end)) end++;
  if (start + end === 0 || 2 * (start + end) < shorter) return undefined;
  const [was, is] = [before, now].map((text) => text.slice(start, text.length - end).toWellFormed());
  const head = now.slice(Math.max(0, start - CONTEXT), start).toWellFormed();
  const tail = now.slice(now.length - end, now.length - end + CONTEXT).toWellFormed();
  const dots = { before: start > CONTEXT ? '…' : '', after: end > CONTEXT ? '…' : '' };
  return `${dots.before}${head}[was: ${was}] [now: ${is}]${tail}${dots.after}`;
}

/** For each added grant that resembles one that is gone, the part that has changed. */
export function changedGrants(gone: readonly Grant[], added: readonly Grant[]): readonly string[] {
  if (gone.length * added.length > MAX_PAIRS) return [];
  return added.flatMap((grant) => {
    if (shownGrant(grant, []).length < SHORT) return [];
    const alike = gone.filter(({ kind, source }) => kind === grant.kind && source === grant.source);
    const parts = alike.flatMap((one) => changedPart(shownGrant(one, []), shownGrant(grant, [])) ?? []);
    const [shortest] = parts.toSorted((a, b) => a.length - b.length);
    return shortest === undefined ? [] : [`${grant.source}: ${grant.kind}: ${shortest}`];
  });
}
