/**
 * The files of the project that its approved hooks, MCP servers, status line and notification command name. A grant covers
 * the settings; this covers the scripts: a `git pull` that changes one asks again. What changes during a session is left
 * to the review of hooks.
 */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from '../../config/files.ts';
import { AGENT_GRANT } from '../../config/grants.ts';
import { isFolderServer } from '../../config/mcpServers.ts';
import type { ChangedFile, Grant, LoadedSettings } from '../../config/types.ts';
import { readFileNow } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/paths.ts';
import { quotedName } from '../../protocol/text/visible.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { executedFiles } from './executedFiles.ts';

/** Content up to this many bytes is kept, so that a change can be shown. */
const MAX_KEPT_BYTES = 64 * 1024;
/** A larger file is told apart by its size and times only. */
const MAX_READ_BYTES = 20_000_000;

const recordSchema = z.looseObject({
  /** Size, inode and times: while these stay, the file is not read. */
  stamp: z.string(),
  /** Of the content; empty if there was no file. */
  digest: z.string(),
  size: z.number(),
  content: z.string().optional(),
});
const recordsSchema = z.looseObject({ files: z.record(z.string(), recordSchema).default({}) });
type FileRecord = z.infer<typeof recordSchema>;
type Records = Readonly<Record<string, FileRecord>>;

type Place = Pick<AppPaths, 'root' | 'home' | 'dataRoot'>;

/**
 * Holds back what names a file that has changed since the user approved it. A file that is not recorded yet, because it
 * has just been approved, is recorded. For a trusted folder.
 */
export async function withApprovedFiles(
  place: Place,
  loaded: LoadedSettings,
  granted: readonly Grant[] = [],
): Promise<LoadedSettings> {
  const users = [...usersOf(place, loaded), ...agentsOf(place, loaded, granted)];
  if (users.length === 0) return loaded;
  const known = await readRecords(place);
  const current = new Map<string, FileRecord>();
  for (const path of new Set(users.flatMap(({ files }) => files)))
    current.set(path, recordOf(path, known[path]));
  const isChanged = ([path, now]: readonly [string, FileRecord]): boolean =>
    (known[path]?.digest ?? now.digest) !== now.digest;
  const changed = [...current].filter(isChanged);
  const isNew = [...current].some(([path, now]) => known[path]?.stamp !== now.stamp);
  const kept = Object.fromEntries([...current].filter((one) => !isChanged(one)));
  if (isNew && Object.keys(kept).length > 0) await writeRecords(place, { ...known, ...kept });
  if (changed.length === 0) return loaded;
  const paths = new Set(changed.map(([path]) => path));
  const held = users.filter(({ files }) => files.some((path) => paths.has(path)));
  const changedFiles = changed.map(([path, now]): ChangedFile => {
    const runs = held.filter(({ files }) => files.includes(path)).map(({ what }) => what);
    return { path, name: relative(place.root, path), users: [...new Set(runs)], before: known[path], now };
  });
  return withoutHeld(loaded, held, changedFiles);
}

/** Records the files as the user has seen them: one that has changed again since then asks again. */
export async function approveFiles(place: Place, files: readonly ChangedFile[]): Promise<void> {
  if (files.length === 0) return;
  const known = await readRecords(place);
  const approved = Object.fromEntries(files.map(({ path, now }) => [path, { ...now }]));
  await writeRecords(place, { ...known, ...approved });
}

/** Something approved that runs files of the project. */
interface User {
  /** For display: "the hook ./check.sh". */
  readonly what: string;
  readonly files: readonly string[];
  readonly type: 'hook' | 'server' | 'statusLine' | 'notificationCommand' | 'agent';
  /** Its place in the list of hooks or servers. */
  readonly at: number;
}

function usersOf(
  { root, home }: Place,
  { hooks, servers, settings, sources, files }: LoadedSettings,
): User[] {
  const ofFolder = new Set(
    files.flatMap(({ layer, name }) => (layer === 'project' || layer === 'local' ? [name] : [])),
  );
  const none = {
    hooks: [],
    servers: [],
    settings: { statusLine: null, notificationCommand: null, providers: {} },
  };
  const filesOf = (
    command: string,
    part: Partial<Parameters<typeof executedFiles>[0]>,
  ): readonly string[] => {
    const found = executedFiles({ ...none, ...part }, { root, home });
    return found.filter((path) => !isOutput(path, command, root));
  };
  const ofHooks = hooks.flatMap((source, at): User[] => {
    const { hook, scope, ignored } = source;
    if (hook.type !== 'command' || ignored !== undefined) return [];
    if (scope !== 'project' && scope !== 'local') return [];
    const command = [hook.command, ...(hook.args ?? [])].join(' ');
    return [{ what: 'hooks', type: 'hook', at, files: filesOf(command, { hooks: [source] }) }];
  });
  const ofServers = servers.flatMap((server, at): User[] => {
    if (!isFolderServer(server)) return [];
    const { command = '', args = [] } = server.definition;
    const files = filesOf([command, ...args].join(' '), { servers: [server] });
    return [{ what: `the MCP server ${server.name}`, type: 'server', at, files }];
  });
  const ofSettings = (['statusLine', 'notificationCommand'] as const).flatMap((key): User[] => {
    const value = settings[key];
    if (value === null || !ofFolder.has(sources[key] ?? sources[`${key}.command`] ?? '')) return [];
    const command = typeof value === 'string' ? value : value.command;
    const files = filesOf(command, { settings: { ...none.settings, [key]: value } });
    return [{ what: key === 'statusLine' ? 'the status line' : 'notifications', type: key, at: 0, files }];
  });
  return [...ofHooks, ...ofServers, ...ofSettings].filter(({ files: run }) => run.length > 0);
}

/** Definitions of subagents that were approved once: their grant holds them back, and this knows what they were. */
function agentsOf({ root }: Place, { grants }: LoadedSettings, granted: readonly Grant[]): User[] {
  const known = new Set(granted.flatMap(({ kind, source }) => (kind === AGENT_GRANT ? [source] : [])));
  const files = grants.filter(({ kind, source }) => kind === AGENT_GRANT && known.has(source));
  return files.map(({ source }, at) => ({
    what: 'a subagent',
    type: 'agent',
    at,
    files: [join(root, source)],
  }));
}

/** True for a file that the command itself writes, such as its log, or only reads as data. */
function isOutput(path: string, command: string, root: string): boolean {
  const name = basename(path);
  const isData = data.test(path) || (notes.test(path) && isShown(name, command));
  if (isData && !isRun(name, command)) return true;
  const written = command.matchAll(/(?:>[>|]?|\btee\s+(?:-a\s+|--append\s+)?)\s*["']?([^\s"'`;&|<>()]+)/g);
  const names = [...written].map(([, target = '']) =>
    target.replace(/^\$\{?(?:CLAUDE|CLAWDCODE)_PROJECT_DIR\}?\//, ''),
  );
  return names.some((target) => resolve(root, target) === path);
}

/** Files that change all the time, or whose change runs nothing: databases, logs. */
const data = /\.(?:log|jsonl|db|sqlite3?|duckdb|csv|tsv|parquet|pid)$/i;
/** Text that a program might also run, or take instructions from. */
const notes = /\.(?:lock|md|txt)$/i;

/** True if the parts of a command that name a file only print it, or give it to a script of the project. */
function isShown(name: string, command: string): boolean {
  const parts = command.split(/[;&|\n]+/).filter((part) => part.includes(name));
  return !intoProgram.test(command) && parts.every((part) => printing.test(part) && !part.includes('<'));
}

const intoProgram = /\|\s*(?:\S*\/)?(?:(?:ba|da|z|k|fi)?sh|xargs|sudo|env|node|bun|python[\d.]*|perl|ruby)\b/;
const printing =
  /^\s*(?:(?:cat|head|tail|grep|rg|wc|jq|less|echo|printf|test|\[|ls|stat|sort|uniq|cut|tr)\s|"?\$\{?CLA\w+_PROJECT_DIR|\.{0,2}\/)/;

/** True if a command runs the file of this name: at the beginning of a part, or by an interpreter. */
function isRun(name: string, command: string): boolean {
  const parts = command.split(name).slice(0, -1);
  return parts.some((before) => runs.test(before.replace(/[\w./${}~"'-]*$/, '')));
}

const runs =
  /(?:^|[;&|(]|(?:^|[\s;&|(/])(?:(?:ba|da|z|k|fi)?sh|node|bun|deno|tsx|python[\d.]*|perl|ruby|php|lua|source|exec|env|\.)(?:\s+-\S+)*)\s*$/;

function withoutHeld(
  loaded: LoadedSettings,
  held: readonly User[],
  changedFiles: readonly ChangedFile[],
): LoadedSettings {
  const names = changedFiles.map(({ name }) => quotedName(name)).join(', ');
  const ignored = `${names} changed since you approved it; run clawdcode here to decide`;
  const isHeld = (type: User['type'], at: number): boolean =>
    held.some((one) => one.type === type && one.at === at);
  const { settings } = loaded;
  const what = [...new Set(held.map((one) => one.what))].join(', ');
  const message = `${names} changed since you approved it, so what runs it is off: ${what}. Run clawdcode here to decide.`;
  return {
    ...loaded,
    hooks: loaded.hooks.map((one, at) => (isHeld('hook', at) ? { ...one, ignored } : one)),
    servers: loaded.servers.filter((_, at) => !isHeld('server', at)),
    settings: {
      ...settings,
      ...(isHeld('statusLine', 0) && { statusLine: null }),
      ...(isHeld('notificationCommand', 0) && { notificationCommand: null }),
    },
    problems: [...loaded.problems, { layer: 'project', file: changedFiles[0]?.name ?? '', message }],
    changedFiles,
  };
}

/** What a file is now. It is read only if its stamp is another one. */
function recordOf(path: string, known: FileRecord | undefined): FileRecord {
  const info = statNow(path);
  if (info === undefined) return { stamp: '', digest: '', size: 0 };
  const stamp = [info.size, info.ino, info.mtimeMs, info.ctimeMs].join(':');
  if (known?.stamp === stamp) return known;
  const content = readFileNow(path, MAX_READ_BYTES);
  const size = Number(info.size);
  if (!content) return { stamp, digest: stamp, size };
  const text = content.length > MAX_KEPT_BYTES ? undefined : content.toString('utf8');
  const isText = text !== undefined && Buffer.from(text).equals(content);
  const digest = createHash('sha256').update(content).digest('hex');
  return { stamp, digest, size, ...(isText && { content: text }) };
}

function statNow(path: string) {
  try {
    const info = statSync(path, { throwIfNoEntry: false, bigint: true });
    return info?.isFile() === true ? info : undefined;
  } catch {
    return undefined;
  }
}

function recordFile({ dataRoot, root }: Place): string {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 32);
  return join(dataRoot, 'approved-files', `${name}.json`);
}

/** Without a readable record, the files count as they are: they are recorded like those of a new grant. */
async function readRecords(place: Place): Promise<Records> {
  const text = await readFile(recordFile(place), 'utf8').catch(() => '{}');
  try {
    return recordsSchema.parse(JSON.parse(text)).files;
  } catch {
    return {};
  }
}

async function writeRecords(place: Place, files: Records): Promise<void> {
  const ofProject = Object.fromEntries(Object.entries(files).filter(([path]) => isInside(path, place.root)));
  await writePrivateFile(recordFile(place), `${JSON.stringify({ root: place.root, files: ofProject })}\n`);
}

/** A change as the question shows it: the lines that differ, or the sizes. */
export function shownChange({ name, users, before, now }: ChangedFile): {
  readonly what: string;
  readonly removed: readonly string[];
  readonly added: readonly string[];
} {
  const sizes = `${before?.size ?? 0} → ${now.size} bytes`;
  const what = `${name} (${users.join(', ')}) has changed: ${sizes}`;
  if (
    before === undefined ||
    now.content === undefined ||
    (before.content === undefined && before.digest !== '')
  )
    return { what, removed: [], added: [] };
  const [old, fresh] = [before.content ?? '', now.content].map((text) => text.split('\n'));
  return { what, ...changedLines(old ?? [], fresh ?? []) };
}

/** The lines between the first and the last difference. */
function changedLines(old: readonly string[], fresh: readonly string[]) {
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const numbered = (lines: readonly string[]): string[] =>
    lines.slice(start, lines.length - end).map((line, at) => `${start + at + 1}: ${line}`);
  return { removed: numbered(old), added: numbered(fresh) };
}
