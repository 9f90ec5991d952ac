/** The prompt history file: one JSON line per prompt, readable only by its user, bounded, and tolerant of damage. */
import { constants } from 'node:fs';
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createWorkQueue } from '../../protocol/workQueue.ts';

/**
 * Where prompts are remembered between runs. Neither call rejects: a history that cannot be read or written
 * costs only itself.
 */
export type HistoryPort = {
  /** Returns the prompts, oldest first. */
  load(): Promise<string[]>;
  /** Returns the newest prompts of all projects, oldest first. */
  loadAll?(): Promise<string[]>;
  add(text: string): Promise<void>;
};

/**
 * A walk through earlier prompts. `Draft` is the editor's representation of its text. Edits made at each visited entry
 * are kept, so that ↑ never loses typed text.
 */
export type HistoryWalk<Draft> = {
  readonly entries: readonly string[];
  /** Index into `entries`; `entries.length` means the draft itself. */
  readonly position: number;
  readonly edited: ReadonlyMap<number, Draft>;
};

/** The result of a step: text the user has edited at this entry, or the entry as it was sent. */
type HistoryStep<Draft> = {
  readonly walk: HistoryWalk<Draft>;
  readonly show: { readonly draft: Draft } | { readonly entry: string };
};

/** Starts a walk at the draft, after the newest entry. */
export function startWalk<Draft>(entries: readonly string[]): HistoryWalk<Draft> {
  return { entries, position: entries.length, edited: new Map() };
}

/** Adds a sent prompt and returns to the new, empty draft. Skips a repetition of the newest entry. */
export function remember<Draft>(walk: HistoryWalk<Draft>, text: string): HistoryWalk<Draft> {
  return startWalk(walk.entries.at(-1) === text ? walk.entries : [...walk.entries, text]);
}

/** Inserts entries loaded from disk before those of this run; the current position is kept. */
export function prepend<Draft>(walk: HistoryWalk<Draft>, older: readonly string[]): HistoryWalk<Draft> {
  const edited = new Map([...walk.edited].map(([position, draft]) => [position + older.length, draft]));
  return { entries: [...older, ...walk.entries], position: walk.position + older.length, edited };
}

/** Moves one entry older (-1) or newer (1) and keeps `current`; undefined at either end. */
export function moveInHistory<Draft>(
  walk: HistoryWalk<Draft>,
  by: -1 | 1,
  current: Draft,
): HistoryStep<Draft> | undefined {
  const position = walk.position + by;
  const draft = walk.edited.get(position);
  const entry = walk.entries[position];
  if (draft === undefined && entry === undefined) return undefined;
  const edited = new Map(walk.edited).set(walk.position, current);
  const next = { entries: walk.entries, position, edited };
  return { walk: next, show: draft !== undefined ? { draft } : { entry: entry ?? '' } };
}

const maxEntries = 1000;

/** Limits for searching all projects: number of newest files, and bytes per file. */
const maxFiles = 40;
const maxFileBytes = 4 * 1024 * 1024;

/** A longer prompt is kept in memory but not written to the file. */
const maxEntryLength = 256 * 1024;

/**
 * The prompts of one project, stored at `path` (JSONL of `{ text }`, mode 0600) after passing through `clean`. Several
 * processes may append concurrently.
 */
export function createHistoryFile(path: string, clean = (text: string): string => text): HistoryPort {
  const inOrder = createWorkQueue();
  let newest: string | undefined;
  return {
    load: () =>
      inOrder(async () => {
        const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
        const entries = lines.flatMap(parseLine).slice(-maxEntries);
        newest = entries.at(-1);
        // Rewrites only far above the limit, so that this is rare: another process might append at the same time.
        if (lines.length > 2 * maxEntries) await rewrite(path, entries);
        return entries;
      }).catch(() => []),
    loadAll: () => loadFolder(dirname(path)).catch(() => []),
    add: (typed) =>
      inOrder(async () => {
        const text = clean(typed);
        if (text === newest || text.length > maxEntryLength) return;
        await append(path, `${JSON.stringify({ text })}\n`);
        newest = text;
      }).catch(() => undefined),
  };
}

/** The prompts of all projects; the most recently used project comes last. */
async function loadFolder(folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl'));
  const files: { readonly path: string; readonly at: number }[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const info = await lstat(path).catch(() => undefined);
    if (info?.isFile() === true && info.size <= maxFileBytes) files.push({ path, at: info.mtimeMs });
  }
  files.sort((a, b) => b.at - a.at);
  const all: string[] = [];
  for (const { path } of files.slice(0, maxFiles).reverse()) {
    const text = await readFile(path, 'utf8').catch(() => '');
    all.push(...text.split('\n').flatMap(parseLine).slice(-maxEntries));
  }
  return all;
}

function parseLine(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line);
    const text = typeof value === 'object' && value !== null && 'text' in value ? value.text : undefined;
    return typeof text === 'string' && text !== '' ? [text] : [];
  } catch {
    return []; // A line torn by a crash loses only itself.
  }
}

async function append(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    const { size, mode } = await file.stat();
    if ((mode & 0o077) !== 0) await file.chmod(0o600);
    // A single write in append mode is not interleaved with writes of other processes.
    await file.write((await endsWithNewline(file, size)) ? line : `\n${line}`);
  } finally {
    await file.close();
  }
}

async function endsWithNewline(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

async function rewrite(path: string, entries: readonly string[]): Promise<void> {
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    const text = entries.map((entry) => `${JSON.stringify({ text: entry })}\n`).join('');
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
