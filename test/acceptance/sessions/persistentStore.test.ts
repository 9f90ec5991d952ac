/** Entries are saved completely, once, and in order. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { textOf } from '../../e2e/support/wire.ts';
import { SUMMARY } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const BOUNDARY = '=== Context Compaction Boundary ===';

test('200 entries saved at once are in order and chained', async () => {
  const app = await createTestApp();
  const log = await app.store.createSession();
  await Promise.all(
    Array.from({ length: 200 }, (_, n) => {
      const id = `call_${n}`;
      if (n % 4 === 0) return log.saveMessage('user', `message ${n}`);
      if (n % 4 === 1) return log.saveToolUse({ id, name: 'Read', arguments: '{ "file_path": "a.ts" }' });
      if (n % 4 === 2) return log.saveToolResult({ id: `call_${n - 1}`, output: `résultat ${n} 😀` });
      return log.saveCompaction(`summary ${n}`, { trigger: 'manual', preTokens: n });
    }),
  );
  await log.close();
  const lines = (await readFile(log.filePath, 'utf8')).trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line));
  expect(entries).toHaveLength(250);
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
  expect(entries.map(({ parentUuid }) => parentUuid)).toEqual([
    null,
    ...entries.slice(0, -1).map(({ uuid }) => uuid),
  ]);
  const said = entries.map(
    ({ message, tool, toolResult }) => tool?.id ?? toolResult?.output ?? message.content,
  );
  const expected = Array.from(
    { length: 200 },
    (_, n) => [[`message ${n}`], [`call_${n}`], [`résultat ${n} 😀`], [BOUNDARY, `summary ${n}`]][n % 4],
  );
  expect(said).toEqual(expected.flat());
  expect(entries.find(({ tool }) => tool !== undefined)?.tool).toMatchObject({
    input: { file_path: 'a.ts' },
    arguments: '{ "file_path": "a.ts" }',
  });
});

test('a crash between the boundary and its summary leaves a complete session', async () => {
  const app = await createTestApp();
  const first = await app.open();
  await first.ask('first question', { text: `A long answer. ${'It goes on. '.repeat(400)}` });
  const [before] = await first.ask('second question', { text: 'Short.' });
  await first.submit({ type: 'compact' }, { text: SUMMARY });
  const file = first.context.filePath() ?? '';
  await first.close();
  const lines = (await readFile(file, 'utf8')).split('\n');
  const at = lines.findIndex((line) => line.includes(BOUNDARY));
  expect(lines[at + 1]).toContain('isCompactSummary');
  const cut = lines[at + 1]?.slice(0, 100) ?? '';
  for (const end of ['', `\n${cut}`]) {
    await writeFile(file, `${lines.slice(0, at + 1).join('\n')}${end}`);
    const second = await app.open(first.sessionId);
    const [after] = await second.ask('third question', { text: 'Here.' });
    expect(after?.messages.slice(0, before?.messages.length)).toEqual(before?.messages);
    expect(after?.messages.map(textOf).slice(-2)).toEqual(['Short.', 'third question']);
    await second.close();
  }
});
