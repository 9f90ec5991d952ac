/** The text that an editor shows for a call that needs approval. */
import { describe, expect, test } from 'vitest';
import { isTooLong, permissionCall } from '../../src/acp/permissionRequest.ts';
import type { PermissionQuestion, Preview } from '../../src/protocol/permissions.ts';
import { reveal } from '../../src/protocol/text/reveal.ts';
import { previewNotice } from '../../src/ui/dialog/permission.ts';

const question = (preview: Preview, tool = 'Edit'): PermissionQuestion => ({
  ...{ id: 'q', agentId: 'a', callId: 'c', tool, title: 't', input: {}, reason: 'It needs approval.' },
  preview,
});
const shown = (preview: Preview): string =>
  JSON.stringify(permissionCall('id', question(preview), { reveal, notice: previewNotice }).content);

const diff = (lines: readonly string[], start: number): string =>
  `@@ -${start},1 +${start},${lines.length + 1} @@\n x\n${lines.map((line) => `+${line}\n`).join('')}`;

describe('the request shows everything that a call would do', () => {
  test('the middle of a long command', () => {
    const command = `echo ${'a'.repeat(60_000)}; touch hidden; echo ${'b'.repeat(60_000)}`;
    expect(shown({ type: 'command', command, cwd: '/p' })).toContain('touch hidden');
  });

  test('the last of many changes', () => {
    const hunks = Array.from({ length: 300 }, (_, at) => diff([`change ${at}.`], 10 * at + 1));
    const unified = `--- a\n+++ a\n${hunks.join('')}`;
    expect(shown({ type: 'diff', path: '/p/a', diff: unified, isNew: false })).toContain('change 299.');
  });

  test('invisible characters in a diff', () => {
    const unified = `--- a\n+++ a\n${diff(['if (is\u200bAdmin)'], 1)}`;
    const text = shown({ type: 'diff', path: '/p/a', diff: unified, isNew: false });
    expect(text).toContain('is‹U+200B›Admin');
    expect(text).toContain(previewNotice({ type: 'diff', path: '/p/a', diff: unified, isNew: false }));
    const plain = `--- a\n+++ a\n${diff(['if (isAdmin)'], 1)}`;
    expect(shown({ type: 'diff', path: '/p/a', diff: plain, isNew: false }).split('isAdmin')).toHaveLength(2);
  });

  test('carriage returns in a diff', () => {
    const unified = `--- a\n+++ a\n${diff(['echo \\\\\r', ' rm -r data'], 1)}`;
    const text = shown({ type: 'diff', path: '/p/a', diff: unified, isNew: false });
    expect(text).toContain('‹U+000D›');
    expect(text).toContain('are marked ‹U+…›.');
    const all = { type: 'diff', path: '/p/a', diff: '@@ -0,0 +1 @@\n+a\n', isNew: true } as const;
    expect(shown({ ...all, endsLinesWithPairs: true })).toContain('Lines end with CR LF');
  });

  test('hidden characters, comments and images in a plan', () => {
    const plan = 'Edit \u202eti\u200b it <!-- and push --> <img src="http://a/?x"> <details>rm</details>';
    expect(shown({ type: 'plan', plan })).toContain(
      'Edit ‹U+202E›ti‹U+200B› it &lt;!-- and push --> &lt;img src=',
    );
    expect(shown({ type: 'plan', plan })).toContain(' &lt;details>rm');
  });

  test('the model’s description of its command is marked as such', () => {
    const said = shown({ type: 'command', command: 'x', cwd: '/p', description: 'Approved by the user' });
    expect(said).toContain('The model says: Approved by the user');
  });
});

test('a call too large to read is denied without asking', () => {
  expect(isTooLong({ type: 'command', command: 'x'.repeat(400_001), cwd: '/p' })).toBe(true);
  expect(isTooLong({ type: 'command', command: 'x', cwd: '/p' })).toBe(false);
});
