/** Sessions on disk, as the program writes them. */
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { openCatalogue } from '../../../../src/context/storage/catalogue/SessionCatalogue.ts';
import { messageEntry, toolResultEntry, toolUseEntry } from '../../../../src/context/storage/newEntries.ts';
import type { JSONLEntry, NewEntry } from '../../../../src/protocol/entries.ts';

export type Catalogue = ReturnType<typeof openCatalogue>;

/** Minute 0 of every session in these tests. */
export const START = Date.parse('2026-03-01T10:00:00Z');

export const say = (text: string): NewEntry => messageEntry('user', text);
export const reply = (text: string, usage?: [number, number]): NewEntry =>
  messageEntry('assistant', text, {
    model: 'gpt-4.1',
    ...(usage === undefined ? {} : { usage: { input_tokens: usage[0], output_tokens: usage[1] } }),
  });
export const use = (name: string, input: object): NewEntry =>
  toolUseEntry({ id: 'call', name, arguments: JSON.stringify(input) });
export const result = (name: string, output: string, more: object = {}): NewEntry =>
  toolResultEntry({ id: 'call', name, status: 'ok', output, ...more });
export const title = (text: string, source: 'user' | 'model'): NewEntry => ({
  type: 'system',
  subtype: 'title',
  message: { role: 'system', content: text },
  data: { source },
});
export const header = (data: object = {}): NewEntry => ({
  type: 'system',
  subtype: 'session_start',
  message: { role: 'system', content: '' },
  data: { systemPrompt: 'zebra', environment: {}, configuration: { model: 'gpt-4.1' }, ...data },
});

export interface Place {
  readonly project?: string;
  readonly id: string;
  readonly cwd?: string;
  /** Minutes after `START` of the first entry; each later entry is one minute later. */
  readonly minute?: number;
  /** Position of the first entry. */
  readonly seq?: number;
}

export function entriesOf(
  drafts: readonly NewEntry[],
  { id, cwd = '/gone', minute = 0, seq = 0 }: Place,
): JSONLEntry[] {
  return drafts.map((draft, index) => ({
    v: 1,
    seq: seq + index,
    uuid: `${id}-${seq + index}`,
    parentUuid: null,
    sessionId: id,
    timestamp: new Date(START + (minute + index) * 60_000).toISOString(),
    cwd,
    gitBranch: 'main',
    version: '1.0.0',
    ...draft,
  }));
}

export const linesOf = (entries: readonly JSONLEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

/** Returns the path of the file. */
export async function makeSession(
  dataRoot: string,
  place: Place,
  drafts: readonly NewEntry[],
): Promise<string> {
  const file = join(dataRoot, 'projects', place.project ?? 'p', `${place.id}.jsonl`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, linesOf(entriesOf(drafts, place)));
  return file;
}

export async function addTo(file: string, place: Place, drafts: readonly NewEntry[]): Promise<void> {
  await appendFile(file, linesOf(entriesOf(drafts, place)));
}
