/** Notices about files of the data folder that could not be read and were moved aside: once for each. */
import { basename, join } from 'node:path';
import { getProjectStoragePath } from '../context/index.ts';
import { checkJsonFile, type DamagedFile, damagedFilesIn } from '../disk/jsonFile.ts';
import type { AppPaths } from './process/appPaths.ts';
import { noticesFile } from './unsupportedNotices.ts';

/** What the user loses, by file. */
const losses: Readonly<Record<string, string>> = {
  'trust.json': 'folders that you trust, their servers and saved rules need approval again',
  'credentials.json': 'log in again with "clawdcode auth login"',
  'credentials-mcp.json': 'log in to MCP servers again with "clawdcode mcp login"',
  'plugins.json': 'plugins need approval again with "clawdcode plugin add"',
};

/** Files to remember; deleted ones are forgotten. */
const MAX_TOLD = 200;

/** Returns the notices that the user has not seen yet, and remembers them. Never rejects. */
export async function damagedNotices({
  dataRoot,
  root,
}: Pick<AppPaths, 'dataRoot' | 'root'>): Promise<readonly string[]> {
  // Some are read only later.
  for (const name of Object.keys(losses)) checkJsonFile(dataRoot, name);
  const folders = [dataRoot, join(dataRoot, 'approved-files'), getProjectStoragePath(dataRoot, root)];
  const found = folders.flatMap(damagedFilesIn);
  if (found.length === 0) return [];
  const notices = noticesFile(dataRoot);
  const told = new Set(notices.read().damagedFiles);
  const fresh = found.filter(({ aside }) => !told.has(aside));
  if (fresh.length === 0) return [];
  const remember = notices.change((known) => ({
    ...known,
    damagedFiles: [...(known.damagedFiles ?? []), ...fresh.map(({ aside }) => aside)].slice(-MAX_TOLD),
  }));
  // Without it, the notice is shown again next time.
  await remember.catch(() => undefined);
  return fresh.map(noticeOf);
}

function noticeOf({ file, aside }: DamagedFile): string {
  const loss = losses[basename(file)];
  const then = loss === undefined ? 'a new one is written when needed' : loss;
  return `${file} could not be read and was moved to ${basename(aside)}: ${then}, or repair it and move it back.`;
}
