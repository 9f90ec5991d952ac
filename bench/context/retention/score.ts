/** How much of what was planted a request still gives. */
import { type Needle, type NeedleKind, needleKinds } from './needles.ts';

export interface Score {
  /** Share of the facts that the request says, by kind. */
  readonly verbatim: Readonly<Record<NeedleKind, number>>;
  readonly verbatimAll: number;
  /** Share that the request says or one look-up finds. */
  readonly reachable: number;
  /** Share of the changed facts of which the request says the old value only. */
  readonly staleAsserted: number;
}

/** Looks one thing up in what the session has seen; what comes back is searched for the value. */
export type LookUp = (needle: Needle, request: string) => string | undefined | Promise<string | undefined>;

/** `needles`: those that were said by now. */
export async function score(needles: readonly Needle[], request: string, lookUp: LookUp): Promise<Score> {
  const counts = new Map<NeedleKind, { all: number; said: number }>();
  let said = 0;
  let reachable = 0;
  let changed = 0;
  let stale = 0;
  for (const needle of needles) {
    const count = counts.get(needle.kind) ?? { all: 0, said: 0 };
    counts.set(needle.kind, count);
    count.all++;
    const isSaid = says(request, needle);
    if (isSaid) {
      count.said++;
      said++;
    }
    if (isSaid || says((await lookUp(needle, request)) ?? '', needle)) reachable++;
    if (needle.stale === undefined) continue;
    changed++;
    if (!isSaid && request.includes(needle.stale)) stale++;
  }
  const share = (kind: NeedleKind): number => {
    const { all, said: found } = counts.get(kind) ?? { all: 0, said: 0 };
    return all === 0 ? 1 : found / all;
  };
  const verbatim = Object.fromEntries(needleKinds.map((kind) => [kind, share(kind)])) as Score['verbatim'];
  const all = Math.max(1, needles.length);
  return {
    verbatim,
    verbatimAll: said / all,
    reachable: reachable / all,
    staleAsserted: changed === 0 ? 0 : stale / changed,
  };
}

/** Values are unique; a value without its label would still answer the question. */
function says(text: string, { value }: Needle): boolean {
  return text.includes(value);
}
