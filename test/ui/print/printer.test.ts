import { expect, test } from 'vitest';
import type { Print } from '../../../src/ui/controller/view.ts';
import { createPrinter } from '../../../src/ui/print/printer.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { madeUpEntry } from '../../madeUpEntry.ts';

test('instruction files are listed without blank lines between them', () => {
  const theme = chooseTheme('plain', { noColor: true });
  const printer = createPrinter({ theme, markdown: () => (text) => text, showReasoning: () => false });
  const instructions = (path: string): Print => ({
    type: 'entry',
    entry: madeUpEntry({
      ...{ type: 'user', subtype: 'instructions', data: { path } },
      message: { role: 'user', content: 'Use tabs.' },
    }),
  });
  const prints = [
    instructions('/a/AGENTS.md'),
    instructions('/b/CLAUDE.md'),
    { type: 'command', text: '/help' } as const,
  ];
  expect(printer.render(prints, 80).trimEnd().split('\n')).toEqual([
    '◇ Instructions: /a/AGENTS.md',
    '◇ Instructions: /b/CLAUDE.md',
    '',
    '> /help',
  ]);
});
