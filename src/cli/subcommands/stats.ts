/** `clawdcode stats`: what the sessions on this machine cost, and what for. Reads their logs as streams. */
import { costTables, totalFacts } from '../../commands/cost/costPage.ts';
import { type CostReport, createCostReader } from '../../commands/cost/costReader.ts';
import { rounded } from '../../commands/cost/spending.ts';
import { factsPage } from '../../commands/pages/page.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { count } from '../../protocol/text/numbers.ts';
import { redactDeep } from '../../redact/redact.ts';
import { renderPage } from '../../ui/print/page.ts';
import { shownLine } from '../../ui/print/sanitize.ts';
import { createEndpoints } from '../models/endpoints.ts';
import { createModelChoice } from '../models/modelChoice.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { jsonDocument, type Output, parseSubcommand, standardOutput } from '../sessionCommand/output.ts';
import { ownSecrets, ownSettings } from '../sessionCommand/ownSettings.ts';
import { allEntries } from '../sessionCommand/readEntries.ts';
import { openSessions } from '../sessionCommand/sessions.ts';
import { createStatsProgram } from './programs.ts';

interface Flags {
  readonly all?: boolean;
  readonly days?: number;
  readonly limit?: number;
  readonly top?: number;
  readonly json?: boolean;
}

const LIMIT = 200;
const TOP = 10;
/** Bytes of logs that are read: some gigabytes take minutes. */
const MAX_BYTES = 2 * 2 ** 30;
const DAY_MS = 86_400_000;

/** `argv`: the arguments after `stats`. Returns the exit code. */
export async function statsCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  const program = createStatsProgram();
  const code = await parseSubcommand(program, argv, output);
  if (code !== undefined) return code;
  const flags = program.opts<Flags>();
  const { chosen, left } = await chooseSessions(place, flags);
  const { report: found, unreadable } = await readAll(place, chosen);
  const report = redactDeep(found, { own: await ownSecrets(place) });
  const from = `${count(chosen.length, 'session')}${flags.all === true ? '' : ' of this project'}`;
  if (flags.json === true)
    await output.write(
      jsonDocument(
        JSON.parse(JSON.stringify({ sessions: chosen.length, left, unreadable, ...report }, rounded)),
      ),
    );
  else if (chosen.length === 0)
    output.hint(
      `There are no sessions${flags.all === true ? '' : ' in this project; --all reads those of every project'}.`,
    );
  else await show(report, from, output, flags.top ?? TOP, place.root);
  if (left > 0) output.hint(`${count(left, 'older session')} not read: --limit reads more.`);
  if (unreadable > 0) output.hint(`${count(unreadable, 'session')} could not be read.`);
  return EXIT.ok;
}

async function chooseSessions(place: AppPaths, { all = false, days, limit = LIMIT }: Flags) {
  const sessions = await openSessions(place);
  try {
    const { sessions: found } = await sessions.list(all ? {} : { project: sessions.projects });
    const since = days === undefined ? 0 : Date.now() - days * DAY_MS;
    const recent = found.filter(({ updatedAt }) => updatedAt.getTime() >= since);
    let bytes = 0;
    const chosen = recent.slice(0, limit).filter((session) => {
      bytes += session.bytes;
      return bytes <= MAX_BYTES;
    });
    return { chosen, left: recent.length - chosen.length };
  } finally {
    await sessions.close();
  }
}

async function readAll(place: AppPaths, sessions: readonly SessionRecord[]) {
  const settings = await ownSettings(place);
  const { infoOf } = createModelChoice('', settings, { endpoints: createEndpoints({ ...place, settings }) });
  const prices = new Map<string, ReturnType<typeof infoOf>['price']>();
  const reader = createCostReader(
    (model) => {
      if (!prices.has(model)) prices.set(model, infoOf(model).price);
      return prices.get(model);
    },
    { isOverall: true },
  );
  let unreadable = 0;
  // The oldest first: copies of a session count where they were paid for.
  for (const session of sessions.toReversed()) {
    reader.begin(session.id);
    try {
      // Of a damaged log, everything that can be read counts.
      for await (const entry of allEntries(session.file, () => {})) reader.see(entry);
    } catch {
      unreadable += 1;
    }
  }
  return { report: reader.report(), unreadable };
}

async function show(report: CostReport, from: string, output: Output, rows: number, root: string) {
  const shownPath = (path: string): string =>
    shownLine(path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);
  const facts = factsPage(totalFacts(report), from);
  const tables = costTables(report, { rows, shownPath, isOverall: true });
  const page = renderPage(
    (columns) => [...facts(columns), ...tables(columns)],
    Math.max(20, output.width),
    output.theme,
  );
  await output.write(`${page}\n`);
}
