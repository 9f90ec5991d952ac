/**
 * What fills the context.
 *
 * @module-tag long
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runPrint, use } from '../support/project.ts';

test('the parts sum to the total, in /context and in the JSON result', async () => {
  const first = await runPrint('look', {
    files: { 'AGENTS.md': 'Be kind.\n' },
    replies: [{ calls: [use('Read', { file_path: 'lib/utils.js' })] }, { text: 'Seen.' }],
  });
  const { parts, used_tokens, compacts_at, context_window } = first.result?.context_usage ?? {
    parts: [],
    used_tokens: 0,
    compacts_at: 0,
    context_window: 0,
  };
  expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(used_tokens);
  expect(parts.filter(({ tokens }) => tokens > 0).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['tools', 'system', 'instructions']),
  );
  expect(compacts_at).toBeLessThan(context_window);
  const { stdout } = await first.again('/context', { format: 'text' });
  for (const { name, tokens } of parts.filter(
    ({ name: one, tokens: many }) => many > 0 && (one === 'system' || one === 'tools'),
  ))
    expect(stdout).toMatch(new RegExp(`${name}\\s+~?${tokens.toLocaleString('en-US')}`));
  expect(stdout).toContain(context_window.toLocaleString('en-US'));
});

test('--debug writes to a file or to standard error, never into the reply', {
  tags: 'long',
}, async () => {
  const { project, stdout, code } = await runPrint('hello', {
    format: 'text',
    flags: ['--debug'],
    replies: [{ text: 'Hi.' }],
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hi.\n' });
  const names = await readdir(project.work.data, { recursive: true });
  const logs = await Promise.all(
    names
      .filter((name) => /^logs\/.*\.log$/.test(name))
      .map((name) => readFile(join(project.work.data, name), 'utf8')),
  );
  expect(logs.join('')).toMatch(/context \{"model":/);
});
