import type { HookRun, HookStatus } from '../../protocol/extensions/hooks.ts';
import {
  type ChangeReview,
  type RunningProgram,
  serverRole,
  type UnapprovedChanges,
} from '../../protocol/settingsPrograms.ts';
import { localDay } from '../../protocol/text/localTime.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine } from '../pages/page.ts';
import type { Command, CommandHost, CommandResult, Notice } from '../types.ts';

/**
 * Shows the hooks: their files, why one does not run, and their last runs. With `reviewed`, the user confirms the
 * review of the changes because of which hooks are confined; with `ask`, they want to be asked about the folder again.
 */
export const hooks: Command = {
  name: 'hooks',
  aliases: [],
  description: 'list hooks with their files and last runs',
  argumentHint: '[reviewed | ask]',
  needsUser: (args) => (args === '' ? undefined : 'Enter it in a session in a terminal.'),
  run: async (args, host) => {
    if (args === 'reviewed') return review(host);
    if (args === 'ask') return ask(host);
    if (args !== '')
      return {
        type: 'notice',
        level: 'error',
        text: `There is no /hooks ${args}. Use /hooks reviewed or /hooks ask.`,
      };
    const all = host.hooks();
    const unapproved = await host.unapprovedChanges.list();
    if (all.length === 0 && unapproved === undefined) return { type: 'notice', text: NONE };
    return {
      type: 'page',
      page: hooksPage(all, unapproved === undefined ? [] : confinedLines(unapproved, host)),
    };
  },
};

async function ask(host: CommandHost): Promise<Notice> {
  if (host.status().trusted)
    return {
      type: 'notice',
      text: 'You trust this folder: your own hooks and status line run outside the sandbox.',
    };
  try {
    await host.askAboutFolder();
  } catch (error) {
    return { type: 'notice', level: 'error', text: `This cannot be stored: ${reason(error)}.` };
  }
  return {
    type: 'notice',
    text: 'The next start here asks whether you trust this folder, if your own hooks or status line would run its code.',
  };
}

async function review(host: CommandHost): Promise<CommandResult> {
  let begun: Awaited<ReturnType<ChangeReview['begin']>>;
  try {
    begun = await host.unapprovedChanges.begin();
  } catch (error) {
    return { type: 'notice', level: 'error', text: `The review cannot be stored: ${reason(error)}.` };
  }
  if (begun === undefined)
    return {
      type: 'notice',
      text: 'No files were changed without your approval since you last reviewed them.',
    };
  const { changes, confirm } = begun;
  const running = await host.unapprovedChanges.running();
  const servers = serversOf(running, host);
  const others = running.filter(({ role }) => !servers.some((name) => role === serverRole(name)));
  if (others.length > 0) return stillRunning(others);
  const lines = changeLines(changes, host);
  return {
    type: 'dialog',
    dialog: 'confirm',
    page: () => [heading(UNAPPROVED), ...lines, ...unseen],
    question: {
      title: 'Have you reviewed these changes?',
      subject: 'Hooks, MCP servers and the status line may then run this code outside the sandbox.',
      yes: 'Yes, I have reviewed them',
      no: 'No, change nothing',
      answer: async (isYes) => {
        if (!isYes) return { type: 'notice', text: 'Nothing was changed.' };
        return withoutServers(host, () => confirmed(host, confirm));
      },
    },
  };
}

/** Rules, modes and sessions may have allowed them; the user was not shown each one. */
const UNAPPROVED = 'Changes that you were not asked about one by one';

const NONE = 'No hooks. Define them under "hooks" in your settings; see docs/hooks.md.';

const unseen: readonly PageLine[] = [
  'ClawdCode cannot notice changes by a program that left its process group outside the sandbox (setsid).',
].map((text) => hanging(pageLine(`  ${text}`), 2));

async function confirmed(host: CommandHost, confirm: () => Promise<void>): Promise<Notice> {
  const running = await host.unapprovedChanges.running();
  if (running.length > 0) return stillRunning(running);
  try {
    await confirm();
  } catch (error) {
    return { type: 'notice', level: 'error', text: `The review cannot be stored: ${reason(error)}.` };
  }
  const text =
    (await host.unapprovedChanges.list()) === undefined
      ? 'Hooks, MCP servers and the status line run outside the sandbox again.'
      : 'More was changed in the meantime. Review that too, then enter /hooks reviewed again.';
  return { type: 'notice', text };
}

/** Confined MCP servers, which may change files as long as they run, are off for that time, and start again after it. */
async function withoutServers(host: CommandHost, work: () => Promise<Notice>): Promise<Notice> {
  const servers = serversOf(await host.unapprovedChanges.running(), host);
  await Promise.all(servers.map((name) => host.mcp?.setEnabled(name, false)));
  try {
    return await work();
  } finally {
    for (const name of servers) void host.mcp?.setEnabled(name, true).catch(() => undefined);
  }
}

const serversOf = (running: readonly RunningProgram[], { mcp }: CommandHost): readonly string[] =>
  (mcp?.status() ?? [])
    .map(({ name }) => name)
    .filter((name) => running.some(({ role }) => role === serverRole(name)));

function stillRunning(running: readonly RunningProgram[]): Notice {
  const named = running.map(({ role, command }) => role ?? visibleLine(command, 60)).join(', ');
  const isOne = running.length === 1;
  const count = isOne ? '1 program is' : `${running.length} programs are`;
  const it = isOne ? 'it' : 'them';
  return {
    type: 'notice',
    level: 'error',
    text: `${count} still running and may change more: ${named}. Stop ${it} (Esc, /tasks) or let ${it} end, then enter /hooks reviewed again.`,
  };
}

const reason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');

function confinedLines(changes: UnapprovedChanges, host: CommandHost): readonly PageLine[] {
  return [
    heading(UNAPPROVED),
    ...changeLines(changes, host),
    hanging(
      pageLine(
        '  Hooks, MCP servers and the status line that may run this code run in the sandbox until you enter /hooks reviewed.',
      ),
      2,
    ),
  ];
}

/** File names shown; the rest is counted. */
const MAX_SHOWN_PATHS = 50;

function changeLines({ since, paths, hasOthers }: UnapprovedChanges, { skills }: CommandHost): PageLine[] {
  const more = paths.length - MAX_SHOWN_PATHS;
  const named = paths.slice(0, MAX_SHOWN_PATHS).map((path) => visibleLine(skills.shownPath(path), 300));
  const start = since === undefined ? '' : ` since ${localDay(new Date(since))}`;
  return [
    ...named,
    ...(more > 0 ? [`… and ${more} more files`] : []),
    ...(hasOthers ? [`${paths.length === 0 ? 'what' : 'and what'} commands and tools changed${start}`] : []),
    'See git diff, or /diff for this session.',
  ].map((text) => hanging(pageLine(`  ${text}`), 2));
}

/** A hook with the same configuration for several events is listed once, with all of them. */
function hooksPage(all: readonly HookStatus[], confined: readonly PageLine[]): Page {
  const alike = [...grouped(all, identity).values()];
  const sections = grouped(alike, (statuses) => statuses.map(({ hook }) => hook.event).join(', '));
  const listed = [...sections].map(([events, hooksOfEvents]) => [
    heading(events),
    ...hooksOfEvents.flatMap(linesOf),
  ]);
  const sectionsOrNone = all.length === 0 ? [[hanging(pageLine(NONE), 0)]] : listed;
  const parts = confined.length === 0 ? sectionsOrNone : [confined, ...sectionsOrNone];
  return () => parts.flatMap((lines, index) => [...(index === 0 ? [] : [blankLine]), ...lines]);
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

/** The lines of identical hooks; each has run for its own event. */
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
