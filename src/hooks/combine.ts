/** Combines the verdicts of all hooks of one event. Pure. */
import type { HookAnswer, HookRun, HookText } from '../protocol/extensions/hooks.ts';
import type { HookVerdict } from './readOutput.ts';

export interface FinishedHook {
  readonly run: HookRun;
  readonly verdict: HookVerdict;
  readonly isManaged: boolean;
}

/** Contexts and block reasons of one event together. */
const MAX_TEXTS = 30_000;
const strength = { allow: 0, ask: 1, deny: 2 } as const;

/** Order as configured: of several inputs the last one applies. */
export function combine(finished: readonly FinishedHook[]): HookAnswer {
  const texts = (of: (verdict: HookVerdict) => string | undefined): HookText[] =>
    finished.flatMap(({ run: { source }, verdict }) => {
      const text = of(verdict);
      return text === undefined ? [] : [{ text, source }];
    });
  const changing = finished.findLast(({ verdict }) => verdict.updatedInput !== undefined);
  const replacing = finished.findLast(({ verdict }) => verdict.updatedOutput !== undefined);
  const decided = finished
    .filter((one) => isDecision(one, changing))
    .toSorted((a, b) => strengthOf(b) - strengthOf(a))[0];
  const watched = finished.flatMap(({ verdict: { watchPaths } }) => (watchPaths ? [watchPaths] : []));
  const [stop] = texts(({ stop }) => stop);
  return {
    runs: finished.map(({ run }) => run),
    blocks: bounded(texts(({ block }) => block)),
    ...(stop && { stop }),
    ...(decided?.verdict.permission && {
      permission: {
        ...decided.verdict.permission,
        source: decided.run.source,
        isManaged: decided.isManaged,
      },
    }),
    ...(changing && { updatedInput: { value: changing.verdict.updatedInput, source: changing.run.source } }),
    ...(replacing?.verdict.updatedOutput !== undefined && {
      updatedOutput: { text: replacing.verdict.updatedOutput, source: replacing.run.source },
    }),
    interrupts: finished.some(({ verdict }) => verdict.interrupts === true),
    contexts: bounded(texts(({ context }) => context)),
    messages: bounded(texts(({ message }) => message)),
    ...(watched.length > 0 && { watchPaths: [...new Set(watched.flat())] }),
  };
}

/** An allow is about the input that the hook saw: it says nothing about the input of another hook. */
function isDecision(one: FinishedHook, changing: FinishedHook | undefined): boolean {
  const behavior = one.verdict.permission?.behavior;
  return behavior !== undefined && (behavior !== 'allow' || changing === undefined || changing === one);
}

function strengthOf({ verdict }: FinishedHook): number {
  return strength[verdict.permission?.behavior ?? 'allow'];
}

function bounded(texts: readonly HookText[]): HookText[] {
  let left = MAX_TEXTS;
  return texts.flatMap(({ text, source }) => {
    if (left <= 0) return [];
    const kept =
      text.length <= left ? text : `${text.slice(0, left).toWellFormed()}\n(cut: the hooks returned more)`;
    left -= kept.length;
    return [{ text: kept, source }];
  });
}
