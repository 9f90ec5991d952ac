import { isAbsolute, relative } from 'node:path';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { percent } from '../figures.ts';
import { type Fact, factsPage } from '../pages/page.ts';
import type { Command, CommandHost } from '../types.ts';
import type { CostReport } from './costReader.ts';
import { rounded, type Spending } from './spending.ts';

/** Shows the session's tokens and cost, including summaries, and what caused them. */
export const cost: Command = {
  name: 'cost',
  aliases: ['usage', 'stats'],
  description: 'show tokens and cost of this session',
  argumentHint: '[--json]',
  run: async (args, host) => {
    if (args !== '' && args !== '--json')
      return { type: 'notice', level: 'error', text: `Unknown argument "${args}": /cost takes --json only.` };
    const { report, isWhole } = await costOfSession(host);
    if (args === '--json')
      return { type: 'notice', text: JSON.stringify({ ...report, isWhole }, rounded, 2) };
    const { root, demo } = host.agent.state();
    const { costTables, costText } = await import('./costPage.ts');
    const cost = demo ? 'nothing: the demo model is built in' : costText(spentIn(host.agent), report.models);
    const facts = factsPage(totals(host.agent, cost), 'This session, summaries included');
    if (demo) return { type: 'page', page: facts };
    const shownPath = (path: string): string => {
      const inside = relative(root, path);
      return inside.startsWith('..') || isAbsolute(inside) || inside === '' ? path : inside;
    };
    const tables = costTables(report, { rows: ROWS, shownPath, isOverall: false });
    const note = isWhole ? [] : factsPage([['Tables', `of the last ${grouped(MAX_ENTRIES)} entries`]])(80);
    return { type: 'page', page: (columns) => [...facts(columns), ...note, ...tables(columns)] };
  },
};

/** Rows of each table. */
const ROWS = 5;
/** Entries of a session that are read for the tables. */
const MAX_ENTRIES = 20_000;
const PAGE = 1000;

async function costOfSession({
  agent,
  modelInfo,
}: CommandHost): Promise<{ readonly report: CostReport; readonly isWhole: boolean }> {
  const { createCostReader } = await import('./costReader.ts');
  const reader = createCostReader((model) => modelInfo(model).price);
  reader.begin(agent.state().sessionId);
  const { entries, isWhole } = await allEntries(agent);
  for (const entry of entries) reader.see(entry);
  return { report: reader.report(), isWhole };
}

/** In a large session, what came before the last compaction is not in memory. */
async function allEntries(agent: CommandHost['agent']) {
  let entries: readonly JSONLEntry[] = agent.entries().filter(({ subtype }) => subtype !== 'past');
  const start = (): number => entries.find(({ subtype }) => subtype !== 'session_start')?.seq ?? 0;
  while (start() > 1 && entries.length < MAX_ENTRIES) {
    const earlier = await agent.page(start(), PAGE);
    if (earlier.length === 0) break;
    entries = [...earlier, ...entries.filter(({ subtype }) => subtype !== 'session_start')];
  }
  return { entries, isWhole: start() <= 1 };
}

function spentIn(agent: CommandHost['agent']): Pick<Spending, 'costUsd' | 'knownCostUsd'> {
  const { costUsd = null, knownUsd } = agent.state().usage;
  return { costUsd, knownCostUsd: knownUsd };
}

function totals(agent: CommandHost['agent'], cost: string): readonly Fact[] {
  const { usage } = agent.state();
  const cached = usage.cachedTokens;
  const ofInput = cached === 0 ? '' : ` (${percent(cached, usage.inputTokens)} of input)`;
  return [
    ['Requests', `${grouped(usage.requests)}${estimatedNote(usage)}`],
    ['Input', `${grouped(usage.inputTokens)} tokens`],
    ['  cached', `${grouped(cached)} tokens${ofInput}`],
    ['Output', `${grouped(usage.outputTokens)} tokens`],
    ['Cost', cost],
  ];
}

function estimatedNote({ requests, estimated }: { readonly requests: number; readonly estimated: number }) {
  if (estimated === 0) return '';
  const which = estimated === requests ? '' : ` for ${grouped(estimated)}`;
  return ` (tokens estimated${which}: the server reports none)`;
}
