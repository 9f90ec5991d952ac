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

function hooksPage(all: readonly HookStatus[]): Page {
  const events = [...new Set(all.map(({ hook }) => hook.event))];
  return () =>
    events.flatMap((event, index) => [
      ...(index === 0 ? [] : [blankLine]),
      heading(event),
      ...all.filter(({ hook }) => hook.event === event).flatMap(linesOf),
    ]);
}

function linesOf(status: HookStatus): PageLine[] {
  const { hook, label, source, ignored, last } = status;
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
  const state =
    ignored === undefined
      ? { text: last === undefined ? 'has not run yet' : lastText(last, status.runs), role: roleOf(last) }
      : { text: `does not run: ${ignored}`, role: 'warning' as const };
  return [
    hanging(pageLine(`  ${matcher}`, { text: label, role: 'strong' }), 4),
    hanging(pageLine('    ', { text: traits.join(' · '), role: 'dim' }), 4),
    hanging(pageLine('    ', state), 4),
  ];
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

function roleOf(last: HookRun | undefined): 'dim' | 'success' | 'warning' {
  if (last === undefined) return 'dim';
  return last.outcome === 'failed' ? 'warning' : 'success';
}
