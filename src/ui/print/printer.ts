/** Renders finished output as text for the scrollback. Remembers the tool calls that results belong to. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Print } from '../controller/view.ts';
import type { Theme } from '../theme/theme.ts';
import { renderEntry } from './entry.ts';
import type { MarkdownRenderer } from './markdown.ts';
import { renderPage } from './page.ts';
import { shownText } from './sanitize.ts';
import { prefixLines, wrapText } from './spans.ts';
import { renderReads } from './toolLine.ts';
import type { EntryOptions } from './toolResult.ts';

export interface Printer {
  /** Returns text that ends in a newline, or an empty string if there is nothing to show. */
  render(prints: readonly Print[], width: number): string;
}

export interface PrinterOptions {
  readonly theme: Theme;
  /** Read on each call, because the renderer is loaded after the first frame. */
  readonly markdown: () => MarkdownRenderer;
  /** Read on each call, because a key toggles it. */
  readonly showReasoning: () => boolean;
  /** The session's entries, for entries that refer to others. */
  readonly entries?: () => readonly JSONLEntry[];
  /** The user's home folder, shown as `~`. */
  readonly home?: string | undefined;
  /** See `EntryOptions`. Read on each call, because a key can be rebound. */
  readonly transcriptKey?: () => string | undefined;
}

export function createPrinter(options: PrinterOptions): Printer {
  const { theme, markdown, showReasoning, entries, home, transcriptKey } = options;
  const calls = new Map<string, JSONLEntry['tool']>();
  const renderOne = (print: Print, width: number): string | undefined => {
    switch (print.type) {
      case 'entry': {
        const { entry } = print;
        if (entry.tool !== undefined) calls.set(entry.tool.id, entry.tool);
        const room: EntryOptions = {
          width,
          theme,
          markdown: markdown(),
          tools: (id) => calls.get(id),
          showReasoning: showReasoning(),
          home,
          transcriptKey: transcriptKey?.(),
          seqOf: (uuid) => entries?.().find((one) => one.uuid === uuid)?.seq,
        };
        const text = renderEntry(entry, room);
        if (entry.toolResult !== undefined) calls.delete(entry.toolResult.id);
        return text;
      }
      case 'reads':
        for (const { toolResult } of print.entries) calls.delete(toolResult?.id ?? '');
        return renderReads(print.entries, width, theme);
      case 'markdown':
        return print.text.trim() === '' ? undefined : markdown()(print.text, { width, theme });
      case 'command':
        return renderCommand(print.text, width, theme);
      case 'page':
        return renderPage(print.page, width, theme);
      case 'notice':
        return renderNotice(print.level, print.text, width, theme);
    }
  };
  return {
    render(prints, width) {
      const blocks = prints.flatMap((print) => {
        const text = renderOne(print, width);
        return text === undefined ? [] : [{ text, list: listOf(print) }];
      });
      return blocks
        .map(({ text, list }, at) =>
          list !== undefined && list === blocks[at + 1]?.list ? `${text}\n` : `${text}\n\n`,
        )
        .join('');
    },
  };
}

/** What is kept together without blank lines: the mentions of one prompt, and the instruction files. */
function listOf(print: Print): 'attachment' | 'instructions' | undefined {
  const subtype = print.type === 'entry' ? print.entry.subtype : undefined;
  return subtype === 'attachment' || subtype === 'instructions' ? subtype : undefined;
}

function renderCommand(text: string, width: number, theme: Theme): string {
  const lines = wrapText(shownText(text).trim(), width - 2, theme.dim);
  return prefixLines(lines, theme.accent('> '), '  ').join('\n');
}

function renderNotice(
  level: 'info' | 'warning' | 'error',
  text: string,
  width: number,
  theme: Theme,
): string {
  const [mark, paint] =
    level === 'error' ? ['✗ ', theme.error] : level === 'warning' ? ['! ', theme.warning] : ['· ', theme.dim];
  const lines = wrapText(shownText(text).trim(), width - 2);
  return prefixLines(lines, mark, '  ')
    .map((line) => paint(line))
    .join('\n');
}
