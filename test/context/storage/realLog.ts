/** A log as the program writes it, and its entries. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLog } from '../../../src/context/storage/logReader.ts';
import { PersistentStore } from '../../../src/context/storage/PersistentStore.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';

export interface RealLog {
  readonly file: string;
  readonly bytes: Buffer;
  readonly entries: readonly JSONLEntry[];
  readonly store: PersistentStore;
}

/** Contains every kind of line, texts that look like lines, and large and small entries. */
export async function realLog(folder: string): Promise<RealLog> {
  const projectRoot = join(folder, 'project');
  await mkdir(projectRoot, { recursive: true });
  const store = new PersistentStore({ dataRoot: join(folder, 'data'), projectRoot, programVersion: '1' });
  const log = await store.createSession('real');
  for (let turn = 0; turn < 6; turn += 1) {
    await log.saveMessage('user', `Please look at {"v":1,"seq":${turn}} in “a\\b”\n\tand 中文 😀 \0 too.`);
    await log.saveToolUse({ id: `c${turn}`, name: 'Read', arguments: '{ "file_path": "a.ts", "limit": 3 }' });
    await log.saveToolResult({ id: `c${turn}`, output: 'const a = "{}";\n'.repeat(1 + turn * 7) });
    await log.saveMessage('assistant', 'é'.repeat(turn * 40), { model: 'm' });
  }
  await log.saveCompaction('The summary.', { trigger: 'manual', preTokens: 9 });
  await log.saveMessage('user', 'the last words');
  await log.close();
  const { entries } = await readLog(log.filePath);
  return { file: log.filePath, bytes: await readFile(log.filePath), entries, store };
}
