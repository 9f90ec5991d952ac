import type { HookRun, HookStatus } from '../../protocol/extensions/hooks.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine } from '../pages/page.ts';
import type { Command } from '../types.ts';

/** Shows the hooks: where each comes from, why it does not run, and what it did last. */
export const hooks: Command = {
  name: 'hooks',
  aliases: [],
  description: 'list hooks with their files and last runs',
  run: async (_, host) => {
    const all = host.hooks();
    if (all.length === 0)
      return {
        type: 'notice',
        text: 'No hooks. Define them under "hooks" in your settings; see docs/hooks.md.',
      };
    return { type: 'page', page: hooksPage(all) };
  },
};

/** A hook that is configured alike for several events is listed once, under all of them. */
function hooksPage(all: readonly HookStatus[]): Page {
  const alike = [...grouped(all, identity).values()];
  const sections = grouped(alike, (statuses) => statuses.map(({ hook }) => hook.event).join(', '));
  return () =>
    [...sections].flatMap(([events, hooksOfEvents], index) => [
      ...(index === 0 ? [] : [blankLine]),
      heading(events),
      ...hooksOfEvents.flatMap(linesOf),
    ]);
}

/** Groups items by key, in the order of their first items. */
function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Equal for hooks that differ only in their event. */
function identity({ hook, source, ignored }: HookStatus): string {
  const { event: _, ...rest } = hook;
  return JSON.stringify([rest, source, ignored]);
}

/** The lines of hooks that are alike; each has run for its own event. */
function linesOf(statuses: readonly HookStatus[]): PageLine[] {
  const [status] = statuses;
  if (status === undefined) return [];
  const { hook, label, source, ignored } = status;
  const matcher = hook.matcher === '' || hook.matcher === '*' ? '' : `${hook.matcher}: `;
  const rule = hook.rule === undefined ? [] : [`only for ${hook.rule}`];
  const timeout = hook.timeoutSeconds === undefined ? [] : [`timeout ${hook.timeoutSeconds} s`];
  const traits = [
    source,
    ...rule,
    ...timeout,
    ...(hook.isAsync ? ['in the background'] : []),
    ...(hook.isOnce ? ['once'] : []),
  ];
  const states =
    ignored === undefined
      ? lastRuns(statuses)
      : [{ text: `does not run: ${ignored}`, role: 'warning' as const }];
  return [
    hanging(pageLine(`  ${matcher}`, { text: label, role: 'strong' }), 4),
    hanging(pageLine('    ', { text: traits.join(' · '), role: 'dim' }), 4),
    ...states.map((state) => hanging(pageLine('    ', state), 4)),
  ];
}

/** A line for each event for which a hook has run. */
function lastRuns(statuses: readonly HookStatus[]) {
  const ran = statuses.flatMap(({ hook, last, runs }) => {
    if (last === undefined) return [];
    const event = statuses.length === 1 ? '' : `${hook.event} `;
    return [{ text: `${event}${lastText(last, runs)}`, role: roleOf(last) }];
  });
  return ran.length === 0 ? [{ text: 'has not run yet', role: 'dim' as const }] : ran;
}

function lastText({ outcome, problem, durationMs }: HookRun, runs: number): string {
  const what = { ok: 'ran', blocked: 'blocked', failed: 'failed', cancelled: 'was stopped' }[outcome];
  const why = problem === undefined ? '' : `: ${problem}`;
  const times = runs === 1 ? '' : ` · ${runs} runs`;
  return `last: ${what}${why} · ${timeText(durationMs)}${times}`;
}

function timeText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function roleOf({ outcome }: HookRun): 'success' | 'warning' {
  return outcome === 'failed' ? 'warning' : 'success';
}
