/** @module-tag long */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readLog } from '../../../src/context/storage/logReader.ts';
import { PersistentStore } from '../../../src/context/storage/PersistentStore.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

const kills = 10;

test(`after ${kills} × kill -9, every acknowledged entry is complete, linked and in order`, {
  tags: 'long',
}, async () => {
  const home = temporaryFolder();
  const root = join(home, 'project');
  await mkdir(root);
  const store = new PersistentStore({ dataRoot: join(home, 'data'), projectRoot: root, programVersion: '0' });
  const first = await store.createSession('killed');
  await first.saveMessage('user', 'begin');
  await first.close();
  let acknowledged = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const child = spawn(process.execPath, [
      join(import.meta.dirname, 'writer.child.ts'),
      join(home, 'data'),
      root,
      'killed',
    ]);
    const output = collect(child);
    await output.opened;
    await wait((kill * 7) % 40);
    if (kill === 0)
      await expect(store.openSession('killed')).rejects.toMatchObject({ holder: { pid: child.pid } });
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(output.errors()).toBe('');
    acknowledged = Math.max(acknowledged, output.lastSeq());

    const started = performance.now();
    const log = await store.openSession('killed');
    expect(performance.now() - started).toBeLessThan(15_000);
    const { entries } = await readLog(log.filePath);
    const held = new Set(entries.map((entry) => entry.seq));
    for (let seq = 0; seq <= acknowledged; seq += 1) expect(held.has(seq)).toBe(true);
    expect(entries.map((entry) => entry.parentUuid)).toEqual([
      null,
      ...entries.slice(0, -1).map((e) => e.uuid),
    ]);
    for (const [index, entry] of entries.entries())
      if (entry.subtype === 'compact_boundary') expect(entries[index + 1]?.isCompactSummary).toBe(true);
    const [after] = await log.saveMessage('user', 'the survivor goes on');
    acknowledged = after?.seq ?? Number.NaN;
    await log.close();
  }
  expect(acknowledged).toBeGreaterThan(kills);
});

function collect(child: ChildProcess): {
  opened: Promise<void>;
  lastSeq(): number;
  errors(): string;
} {
  let text = '';
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const opened = new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve();
    });
    child.on('close', () => resolve());
  });
  return {
    opened,
    // The last line may itself be torn: only lines that end in a line feed count.
    lastSeq: () => Math.max(-1, ...text.split('\n').slice(1, -1).map(Number)),
    errors: () => errors,
  };
}
