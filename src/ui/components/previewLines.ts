/** What a call would do, as lines for the permission dialog: everything is shown, hidden characters included. */
import type { Preview } from '../../protocol/permissions.ts';
import { pathWords, previewNotice } from '../dialog/permission.ts';
import { renderDiff } from '../print/diff.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import { reveal, revealLine, sanitizeLine } from '../print/sanitize.ts';
import { paintLine, prefixLines, wrapColumns, wrapText } from '../print/spans.ts';
import type { Theme } from '../theme/theme.ts';

/**
 * Painted lines of at most `width` columns; where something is marked in them, that is said first. `isNamed`: the file
 * stands above them in full.
 */
export function previewLines(
  preview: Preview,
  width: number,
  theme: Theme,
  markdown: MarkdownRenderer,
  isNamed = true,
): string[] {
  const notice = previewNotice(preview);
  const lines = linesOf(preview, width, theme, markdown, isNamed);
  return notice === undefined ? lines : [...wrapText(notice, width, theme.warning), ...lines];
}

function linesOf(
  preview: Preview,
  width: number,
  theme: Theme,
  markdown: MarkdownRenderer,
  isNamed: boolean,
): string[] {
  switch (preview.type) {
    case 'diff': {
      // The title names the file; where it has no room for that, or a link leads elsewhere, it is said here.
      const isLinked = preview.realPath !== undefined && preview.realPath !== preview.path;
      const head =
        isLinked || !isNamed ? wrapped(pathWords(preview.path, preview.realPath), width, theme) : [];
      const rows = renderDiff(preview.diff, {
        width,
        theme,
        clean: reveal,
        highlight: markdown.highlight,
        path: preview.path,
      });
      const body = rows === '' ? [theme.dim('(no difference to show)')] : rows.split('\n');
      return [...head, ...body];
    }
    case 'command': {
      const command = wrapColumns([{ text: reveal(preview.command, true).trimEnd() }], width - 2).map(
        paintLine,
      );
      return [
        ...prefixLines(command, theme.accent('$ '), '  '),
        ...wrapped(
          [`In ${revealLine(preview.cwd)}.`, preview.confinement ?? ''].join(' ').trimEnd(),
          width,
          theme,
        ),
        ...(preview.description === undefined
          ? []
          : wrapped(`The model says: ${sanitizeLine(reveal(preview.description))}`, width, theme)),
      ];
    }
    case 'paths':
      return [
        ...wrapped(`${sanitizeLine(preview.verb)}:`, width, theme),
        ...preview.paths.flatMap((path, index) => {
          const text = pathWords(path, preview.realPaths?.[index]);
          return prefixLines(wrapColumns([{ text }], width - 2).map(paintLine), '  ');
        }),
      ];
    case 'plan':
      return markdown(preview.plan, { width, theme }).split('\n');
    case 'text':
      return wrapText(reveal(preview.text).trimEnd(), width);
  }
}

function wrapped(text: string, width: number, theme: Theme): string[] {
  return wrapText(text, width, theme.dim);
}
