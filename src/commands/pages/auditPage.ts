/** What a session did to the world: each call with what let it run, in which sandbox, and the hosts it reached. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { hanging, heading, type Page, type PageLine, pageLine, type Role } from './page.ts';

/** One call, or a command of the user's own. */
export interface AuditRow {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly tool: string;
  /** The command, the file, the pattern. */
  readonly title: string;
  readonly verdict: 'ran' | 'denied' | 'interrupted' | 'failed';
  /** What decided: `read-only`, `sandbox`, `rule`, `mode`, `judge`, `user`, `own`; undefined in older sessions. */
  readonly basis?: string;
  readonly rule?: string;
  readonly reason?: string;
  /** `read-only`, `workspace-write`, or `none` with the reason. */
  readonly sandbox?: string;
  readonly hosts: readonly string[];
  readonly refusedHosts: readonly string[];
  readonly filesChanged: readonly string[];
}

/** The row of an entry; undefined for one that is no result of a call. */
export function auditRow({ seq, timestamp, subtype, data, toolResult }: JSONLEntry): AuditRow | undefined {
  const empty = { hosts: [], refusedHosts: [], filesChanged: [] };
  if (subtype === 'shell') {
    const title = typeof data?.command === 'string' ? data.command : '';
    return { seq, time: timestamp, tool: '!', title, verdict: 'ran', basis: 'own', ...empty };
  }
  if (toolResult === undefined) return undefined;
  const { name = 'tool', display, status, permission, sandbox, filesChanged = [] } = toolResult;
  return {
    seq,
    time: timestamp,
    tool: name,
    title: display?.title ?? '',
    verdict: verdictOf(status),
    ...(permission === undefined ? {} : { basis: permission.basis }),
    ...(permission?.rule === undefined
      ? {}
      : { rule: `${permission.rule.text} (${permission.rule.source})` }),
    ...(permission?.reason === undefined ? {} : { reason: permission.reason }),
    ...(sandbox === undefined ? {} : { sandbox: sandboxText(sandbox) }),
    hosts: sandbox?.hosts ?? [],
    refusedHosts: sandbox?.refusedHosts ?? [],
    filesChanged: filesChanged.map(({ kind, path }) => `${kind} ${path}`),
  };
}

/** Whether a row is more than looking: what changes something, was asked, was refused, or reached a host. */
export function isNotable({ basis, verdict, tool, hosts, refusedHosts }: AuditRow): boolean {
  if (hosts.length > 0 || refusedHosts.length > 0 || verdict === 'denied') return true;
  return basis === undefined ? !LOOKING.has(tool) : basis !== 'read-only';
}

/** Of sessions that do not say what let a call run. */
const LOOKING = new Set(['Read', 'Grep', 'Glob', 'Recall', 'TodoWrite', 'BashOutput']);

/** Counts the missing positions below the last one seen. Positions come in ascending order and may repeat. */
export function createGapCounter(): { see(seq: number): void; missing(): number } {
  let next = 0;
  let missing = 0;
  return {
    see(seq) {
      missing += Math.max(0, seq - next);
      next = Math.max(next, seq + 1);
    },
    missing: () => missing,
  };
}

/** What an audit says of a log that does not tell all; undefined where it does. */
export function incompleteness(missing: number, damagedLines: number): string | undefined {
  if (missing === 0 && damagedLines === 0) return undefined;
  const lost = missing === 0 ? '' : `${missing} ${missing === 1 ? 'entry is' : 'entries are'} missing`;
  const damaged =
    damagedLines === 0
      ? ''
      : `${damagedLines} ${damagedLines === 1 ? 'line is' : 'lines are'} not as written`;
  return `This log is incomplete: ${[lost, damaged].filter(Boolean).join(', ')}. What they told is not listed here, or not to be relied on.`;
}

/** The rows in the order of time; `looked`: how many calls only looked and are left out; `problem`: see `incompleteness`. */
export function auditPage(rows: readonly AuditRow[], looked: number, problem?: string): Page {
  const left = looked === 0 ? '' : ` ${looked} that only looked ${looked === 1 ? 'is' : 'are'} left out.`;
  const count = `${rows.length} ${rows.length === 1 ? 'call' : 'calls'}.${left}`;
  const warning = problem === undefined ? [] : [pageLine({ text: problem, role: 'warning' })];
  return () => [heading(count), ...warning, ...rows.flatMap(auditLines)];
}

/** The lines of one row. */
export function auditLines(row: AuditRow): readonly PageLine[] {
  const { seq, time, tool, title, verdict } = row;
  const head = pageLine(
    { text: `#${seq}`.padEnd(7), role: 'dim' },
    { text: `${time.slice(0, 19).replace('T', ' ')}  `, role: 'dim' },
    { text: verdict, role: roleOf[verdict] },
    `  ${tool}  ${visible(title)}`,
  );
  const details = [
    decidedBy(row),
    row.sandbox === undefined ? undefined : `sandbox: ${row.sandbox}`,
    row.hosts.length === 0 ? undefined : `reached: ${row.hosts.join(', ')}`,
    row.refusedHosts.length === 0 ? undefined : `refused: ${row.refusedHosts.join(', ')}`,
    row.filesChanged.length === 0 ? undefined : listed(row.filesChanged),
  ].filter((line) => line !== undefined);
  return [
    hanging(head, 7),
    ...details.map((text) => hanging(pageLine({ text: `       ${visible(text)}`, role: 'dim' }), 9)),
  ];
}

/** On one line. What drives a terminal would be taken out on the way to one, and with it a part of what was done. */
function visible(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(
      /\p{Cc}/gu,
      (control) => `‹U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`,
    );
}

const roleOf: Readonly<Record<AuditRow['verdict'], Role>> = {
  ran: 'success',
  failed: 'warning',
  interrupted: 'warning',
  denied: 'error',
};

const bases: Readonly<Record<string, string>> = {
  'read-only': 'not asked: read-only',
  sandbox: 'not asked: sandbox.autoAllow',
  mode: 'by the mode',
  judge: 'by the judge of the mode auto',
  own: 'typed by you',
};

function decidedBy({ basis, rule, reason, verdict }: AuditRow): string | undefined {
  if (rule !== undefined) return `by rule ${rule}`;
  if (basis === 'user')
    return `${verdict === 'denied' ? 'you denied it' : 'you approved it'}: ${reason ?? ''}`;
  return basis === undefined ? undefined : [bases[basis] ?? basis, reason].filter(Boolean).join(' · ');
}

function sandboxText({
  mode,
  reason,
}: {
  readonly mode: string;
  readonly reason?: string | undefined;
}): string {
  return reason === undefined ? mode : `${mode} (${reason})`;
}

const MAX_FILES = 5;

function listed(files: readonly string[]): string {
  const more = files.length - MAX_FILES;
  return `${files.slice(0, MAX_FILES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function verdictOf(status: string | undefined): AuditRow['verdict'] {
  if (status === 'denied' || status === 'interrupted') return status;
  return status === 'error' ? 'failed' : 'ran';
}
