import type { LanguageServerState, LanguageServerStatus } from '../../protocol/diagnostics.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import { hanging, type Page, type PageLine, pageLine, textLines } from '../pages/page.ts';
import type { Command } from '../types.ts';

/** Shows the language servers that check edits. */
export const lsp: Command = {
  name: 'lsp',
  aliases: [],
  description: 'language servers that check edits',
  run: async (_, { languageServers }) => {
    if (languageServers === undefined)
      return { type: 'notice', text: 'Edits are not checked: "lsp" is false in your settings.' };
    return { type: 'page', page: serversPage(await languageServers.status()) };
  },
};

function serversPage(all: readonly LanguageServerStatus[]): Page {
  return () => all.flatMap(linesOf);
}

function linesOf({ language, program, state, log }: LanguageServerStatus): PageLine[] {
  const { text, role } = stateText(state);
  return [
    hanging(pageLine({ text: language, role: 'strong' }, '  ', { text, role }), 2),
    ...(program === undefined
      ? []
      : [hanging(pageLine({ text: `  ${visibleLine(program, 500)}`, role: 'dim' }), 4)]),
    ...(state.type === 'failed' ? textLines(log.trimEnd().split('\n').slice(-5).join('\n'), 4) : []),
  ];
}

function stateText(state: LanguageServerState): {
  readonly text: string;
  readonly role: 'dim' | 'success' | 'warning' | 'error';
} {
  switch (state.type) {
    case 'idle':
      return { text: 'starts with the first edit', role: 'dim' };
    case 'starting':
      return { text: 'starting', role: 'dim' };
    case 'running':
      return { text: `running${state.isConfined ? ' in the sandbox' : ''}`, role: 'success' };
    case 'failed':
      return { text: `failed: ${visibleLine(state.reason, 300)}`, role: 'error' };
    case 'unusable':
      return { text: state.reason, role: state.reason === 'not installed' ? 'dim' : 'warning' };
  }
}
