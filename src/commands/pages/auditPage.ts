/** The audit of a session: each tool call with the basis of its approval, its sandbox and the hosts it reached. */
import type { SandboxRecord } from '../../protocol/entries/fields.ts';
import type { JSONLEntry, KindEntry } from '../../protocol/entries.ts';
import { localIso } from '../../protocol/text/localTime.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import { hanging, heading, type Page, type PageLine, pageLine, type Role } from './page.ts';

/** A tool call, a command run by the user, or the end of a background task. */
export interface AuditRow {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly tool: string;
  /** The first line of the command, the file, or the pattern. */
  readonly title: string;
  /** The complete command, if the call ran one. */
  readonly command?: string;
  /** `unfinished`: the model requested the call, but the log has no result. */
  readonly verdict: 'ran' | 'denied' | 'interrupted' | 'failed' | 'unfinished';
  /**
   * The basis of the decision: `read-only`, `sandbox`, `rule`, `mode`, `judge`, `user`, `own`; undefined in older
   * sessions.
   */
  readonly basis?: string;
  readonly rule?: string;
  readonly reason?: string;
  /** Files that were hidden from the command; absent = none. */
  readonly hidden?: readonly string[];
  /** `read-only`, `workspace-write`, or `none` with the reason. */
  readonly sandbox?: string;
  readonly hosts: readonly string[];
  readonly refusedHosts: readonly string[];
  readonly filesChanged: readonly string[];
}

const nothing = { hosts: [], refusedHosts: [], filesChanged: [] } as const;

/** Reads a log entry by entry, in order, and returns rows as they become complete. */
interface AuditReader {
  see(entry: JSONLEntry): readonly AuditRow[];
  /**
   * Returns the calls without a result at the end of the log: still running, or cut off when the program was killed.
   */
  rest(): readonly AuditRow[];
}

/** Keeps only the calls of one reply in memory: a call without a result by the next reply is reported as unfinished. */
export function createAuditReader(): AuditReader {
  const open = new Map<string, JSONLEntry>();
  let shell: KindEntry<'shell_start'> | undefined;
  const cutShort = (): AuditRow[] => {
    const rows = shell === undefined ? [] : [{ ...shellRow(shell), ...unfinished }];
    shell = undefined;
    return rows;
  };
  const rest = (): AuditRow[] => {
    const rows = [...[...open.values()].map(unfinishedRow), ...cutShort()];
    open.clear();
    return rows;
  };
  return {
    rest,
    see(entry) {
      const { type, tool, toolResult } = entry;
      if (type === 'assistant') return rest();
      if (tool !== undefined) {
        const same = open.get(tool.id);
        open.set(tool.id, entry);
        return same === undefined ? [] : [unfinishedRow(same)];
      }
      if (toolResult !== undefined) {
        const call = open.get(toolResult.id);
        open.delete(toolResult.id);
        return [resultRow(entry, toolResult, call?.tool?.input)];
      }
      if (entry.subtype === 'shell_start') {
        const before = cutShort();
        shell = entry;
        return before;
      }
      if (entry.subtype === 'shell') {
        shell = undefined;
        return [shellRow(entry)];
      }
      if (entry.subtype === 'prompt' || entry.subtype === 'skill') return inlineRows(entry);
      return entry.subtype === 'task' ? [taskRow(entry)] : [];
    },
  };
}

function resultRow(
  { seq, timestamp }: JSONLEntry,
  toolResult: NonNullable<JSONLEntry['toolResult']>,
  input: unknown,
): AuditRow {
  const { name = 'tool', display, status, permission, sandbox, filesChanged = [] } = toolResult;
  const asked = askedFor(input);
  const known = display?.title;
  return {
    seq,
    time: timestamp,
    tool: name,
    ...asked,
    // A result added by a resume for an interrupted call has only the tool's name as its title.
    title: known === undefined || known === name ? asked.title || (known ?? '') : known,
    verdict: verdictOf(status),
    ...(permission === undefined ? {} : { basis: permission.basis }),
    ...(permission?.rule === undefined
      ? {}
      : { rule: `${permission.rule.text} (${permission.rule.source})` }),
    ...(permission?.reason === undefined ? {} : { reason: permission.reason }),
    ...(permission?.hiding === undefined ? {} : { hidden: permission.hiding }),
    ...confinedBy(sandbox),
    filesChanged: filesChanged.map(({ kind, path }) => `${kind} ${path}`),
  };
}

function unfinishedRow({ seq, timestamp, tool }: JSONLEntry): AuditRow {
  return {
    ...{ seq, time: timestamp, tool: tool?.name ?? 'tool' },
    ...askedFor(tool?.input),
    ...unfinished,
    ...nothing,
  };
}

const unfinished = {
  verdict: 'unfinished',
  reason: 'It has no result: it may have run, in part or whole.',
} as const;

function shellRow({ seq, timestamp, data }: KindEntry<'shell' | 'shell_start'>): AuditRow {
  const base = { seq, time: timestamp, tool: '!', verdict: 'ran', basis: 'own' } as const;
  return { ...base, ...askedFor(data), ...nothing };
}

/** Returns rows for the commands that were run to fill in a skill's text. */
function inlineRows({ seq, timestamp, data }: KindEntry<'prompt'> | KindEntry<'skill'>): AuditRow[] {
  return (data?.commands ?? []).map(({ command, status = 'ok', basis }) => ({
    ...{ seq, time: timestamp, tool: toolNames.bash },
    ...askedFor({ command }),
    verdict: verdictOf(status),
    ...(basis === undefined ? {} : { basis }),
    reason: 'A command of a skill.',
    ...nothing,
  }));
}

function taskRow({ seq, timestamp, message, data }: KindEntry<'task'>): AuditRow {
  return {
    ...{ seq, time: timestamp, tool: `task ${data?.id ?? ''}`.trim() },
    ...askedFor(data),
    verdict: data?.stoppedBy !== undefined ? 'interrupted' : data?.code === 0 ? 'ran' : 'failed',
    ...(typeof message.content === 'string' && message.content !== '' ? { reason: message.content } : {}),
    filesChanged: [],
    ...confinedBy(data?.sandbox),
  };
}

function confinedBy(
  sandbox: SandboxRecord | undefined,
): Pick<AuditRow, 'sandbox' | 'hosts' | 'refusedHosts'> {
  if (sandbox === undefined) return { hosts: [], refusedHosts: [] };
  const { hosts = [], refusedHosts = [] } = sandbox;
  return { sandbox: sandboxText(sandbox), hosts, refusedHosts };
}

/** Names of the arguments that describe a call best, in order of preference. */
const TITLE_FIELDS = ['file_path', 'path', 'url', 'pattern', 'task_id'];

function askedFor(input: unknown): Pick<AuditRow, 'title' | 'command'> {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>;
  const { command } = fields;
  if (typeof command === 'string') return { title: bare(command).split('\n')[0] ?? '', command };
  const title = TITLE_FIELDS.map((name) => fields[name]).find((value) => typeof value === 'string');
  return { title: typeof title === 'string' ? title : '' };
}

/** True if the call did more than read: it changed something, needed approval, was denied, or contacted a host. */
export function isNotable({ basis, verdict, tool, hosts, refusedHosts }: AuditRow): boolean {
  if (hosts.length > 0 || refusedHosts.length > 0 || verdict === 'denied') return true;
  return basis === undefined ? !READ_ONLY_BEFORE_BASIS.has(tool) : basis !== 'read-only';
}

/** Read-only tools; used for older sessions, which do not record the basis of an approval. */
const READ_ONLY_BEFORE_BASIS = new Set<string>([
  toolNames.read,
  toolNames.grep,
  toolNames.glob,
  toolNames.recall,
  toolNames.todoWrite,
  toolNames.bashOutput,
]);

/** Counts missing positions in the log. Positions arrive in ascending order and may repeat. */
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

/** Returns a warning that the log is incomplete; undefined if it is complete. */
export function incompleteness(missing: number, damagedLines: number): string | undefined {
  if (missing === 0 && damagedLines === 0) return undefined;
  const lost = missing === 0 ? '' : `${missing} ${missing === 1 ? 'entry is' : 'entries are'} missing`;
  const damaged =
    damagedLines === 0 ? '' : `${damagedLines} ${damagedLines === 1 ? 'line is' : 'lines are'} altered`;
  return `This log is incomplete: ${[lost, damaged].filter(Boolean).join(', ')}. Their calls are missing here or unreliable.`;
}

/** Lays out the rows in log order. `looked`: number of read-only calls left out; `problem`: see `incompleteness`. */
export function auditPage(rows: readonly AuditRow[], looked: number, problem?: string): Page {
  const left = looked === 0 ? '' : ` ${looked} read-only ${looked === 1 ? 'call is' : 'calls are'} left out.`;
  const count = `${rows.length} ${rows.length === 1 ? 'call' : 'calls'}.${left}`;
  const warning = problem === undefined ? [] : [pageLine({ text: problem, role: 'warning' })];
  return () => [heading(count), ...warning, ...rows.flatMap(auditLines)];
}

/** Returns the lines of one row. */
export function auditLines(row: AuditRow): readonly PageLine[] {
  const { seq, time, tool, title, command, verdict } = row;
  const [first = '', ...more] = command === undefined ? [title] : shownLines(command);
  const head = pageLine(
    { text: `#${seq}`.padEnd(7), role: 'dim' },
    { text: `${localIso(new Date(time)).slice(0, 19).replace('T', ' ')}  `, role: 'dim' },
    { text: verdict, role: roleOf[verdict] },
    `  ${tool}  ${visible(first)}`,
  );
  const details = [
    decidedBy(row),
    row.sandbox === undefined ? undefined : `sandbox: ${row.sandbox}`,
    row.hidden === undefined ? undefined : `hidden from it: ${row.hidden.join(', ')}`,
    row.hosts.length === 0 ? undefined : `reached: ${row.hosts.join(', ')}`,
    row.refusedHosts.length === 0 ? undefined : `refused: ${row.refusedHosts.join(', ')}`,
    row.filesChanged.length === 0 ? undefined : listed(row.filesChanged),
  ].filter((line) => line !== undefined);
  return [
    hanging(head, 7),
    ...more.map((line) => hanging(pageLine(`       │ ${visible(line, INDENT.exec(line)?.[0])}`), 9)),
    ...details.map((text) => hanging(pageLine({ text: `       ${visible(text)}`, role: 'dim' }), 9)),
  ];
}

/** Trims only spaces, tabs and line breaks; other whitespace is part of the command. */
const bare = (command: string): string => command.replace(/^[ \t\n]+|[ \t\n]+$/g, '');

/** Display limits of a long command and of each of its lines; JSON output is complete. */
const MAX_LINES = 20;
const MAX_CHARACTERS = 2000;
const INDENT = /^ {0,40}/;

/** Splits a command into lines. Keeps both ends of a long one: the harmful part may be the last line. */
function shownLines(command: string): readonly string[] {
  const lines = bare(command).split('\n').map(shortened);
  const left = lines.length - MAX_LINES;
  if (left <= 0) return lines;
  const cut = `… ${left} more ${left === 1 ? 'line' : 'lines'}; clawdcode session audit --json shows them …`;
  return [...lines.slice(0, MAX_LINES / 2), cut, ...lines.slice(-MAX_LINES / 2)];
}

function shortened(line: string): string {
  const left = line.length - MAX_CHARACTERS;
  if (left <= 0) return line;
  const half = MAX_CHARACTERS / 2;
  return `${line.slice(0, half).toWellFormed()} … ${left} more characters … ${line.slice(-half).toWellFormed()}`;
}

/**
 * Puts text on one line. Replaces control characters with their code points: the printer would strip them, and hide
 * part of the command.
 */
function visible(text: string, indent = ''): string {
  const flat = text
    .replace(/[ \t\n]+/g, ' ')
    .replace(/^ | $/g, '')
    .replace(
      /\p{Cc}/gu,
      (control) => `‹U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`,
    );
  return `${indent}${flat}`;
}

const roleOf: Readonly<Record<AuditRow['verdict'], Role>> = {
  ran: 'success',
  failed: 'warning',
  interrupted: 'warning',
  unfinished: 'warning',
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
    return [verdict === 'denied' ? 'you denied it' : 'you approved it', reason && `why it asked: ${reason}`]
      .filter(Boolean)
      .join(' · ');
  return (
    [basis === undefined ? '' : (bases[basis] ?? basis), reason].filter(Boolean).join(' · ') || undefined
  );
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
