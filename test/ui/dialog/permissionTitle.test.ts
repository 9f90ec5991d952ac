import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import type { PermissionQuestion } from '../../../src/protocol/permissions.ts';
import { permissionLayout, previewLines } from '../../../src/ui/dialog/permissionLayout.ts';
import { titleNamesFile } from '../../../src/ui/dialog/permissionTitle.ts';
import { defaultKeymap } from '../../../src/ui/keys/keymap.ts';
import { plainMarkdown } from '../../../src/ui/print/markdown.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';

const theme = chooseTheme('plain', { noColor: true });

/** Title, preview and reason of a question at 100 columns, without rules and colors. */
function dialogText(asked: Omit<PermissionQuestion, 'id' | 'agentId' | 'callId' | 'input'>): string {
  const question = { ...asked, id: 'q', agentId: 'a', callId: 'c', input: {} } as PermissionQuestion;
  const preview = previewLines(question.preview, 100, theme, plainMarkdown, titleNamesFile(question, 100));
  const layout = permissionLayout({
    ...{ question, preview, theme, top: 0, keymap: defaultKeymap, choiceRows: ['❯ 1. Yes'] },
    ...{ isCommenting: false, width: 100, rows: 30, seen: 0, isWarned: false },
  });
  return stripVTControlCharacters(layout.above.join('\n'));
}

test.each([
  [
    'Read',
    '/etc/hosts',
    { type: 'paths', verb: 'Read', paths: ['/etc/hosts'] },
    '/etc/hosts is outside the workspace /p.',
    ['/etc/hosts', 'Outside the workspace /p.'],
  ],
  [
    'WebFetch',
    'https://a.example/x',
    { type: 'text', text: 'GET https://a.example/x' },
    'Sends a request to a.example.',
    ['Fetch this page?', 'GET https://a.example/x'],
  ],
  [
    'mcp__files__note',
    'title: Release',
    { type: 'text', text: 'Tool "note" of the MCP server "files", with:\n{}' },
    'ClawdCode cannot check what an MCP tool does.',
    ['Call this MCP tool?', 'Tool "note" of the MCP server "files", with:'],
  ],
] as const)('%s: the dialog names each thing once', (tool, title, preview, reason, parts) => {
  const text = dialogText({ tool, title, preview, reason });
  for (const part of parts) expect(text.split(part)).toHaveLength(2);
  expect(text).not.toContain(reason);
});

test('the rule that caused the question is always shown', () => {
  const preview = { type: 'text', text: 'GET https://a.example/x' } as const;
  const asked = {
    tool: 'WebFetch',
    title: 'https://a.example/x',
    preview,
    reason: 'Rule WebFetch(domain:a.example) asks.',
  };
  expect(dialogText(asked)).toContain(asked.reason);
});

test('for a link, or if the title has no room, the preview shows the path', () => {
  const linked = { type: 'paths', verb: 'Read', paths: ['/p/a'], realPaths: ['/etc/key'] } as const;
  expect(dialogText({ tool: 'Read', title: '/p/a', preview: linked, reason: '' })).toContain('/etc/key');
  const long = `/${'x'.repeat(120)}`;
  const wide = { type: 'paths', verb: 'Read', paths: [long] } as const;
  expect(dialogText({ tool: 'Read', title: long, preview: wide, reason: '' }).replace(/\s/g, '')).toContain(
    long,
  );
});
