/** Fits a permission dialog to the screen: the choices always fit, the preview gets the remaining rows. */
import { stripVTControlCharacters } from 'node:util';
import type { PermissionQuestion, Preview } from '../../protocol/permissions.ts';
import { reveal, revealLine } from '../../protocol/text/reveal.ts';
import { joinWithDots, keyHints } from '../keys/keyHints.ts';
import type { DialogFocus, Keymap } from '../keys/keymap.ts';
import { renderDiff } from '../print/diff.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import { sanitizeLine, shownLine } from '../print/sanitize.ts';
import { paintLine, prefixLines, titledRule, wrapColumns, wrapText } from '../print/spans.ts';
import { textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import {
  type Choice,
  choiceLinesWithin,
  choicesFocus,
  type DialogRoom,
  fittedChoiceLines,
} from './choices.ts';
import { acceptsEdits, pathText, previewNotice, reasonItems, takesComment } from './permission.ts';
import { reasonNotShown, titleNamesFile, titleOf } from './permissionTitle.ts';

interface PermissionLayoutInput {
  readonly question: PermissionQuestion;
  readonly preview: readonly string[];
  readonly top: number;
  readonly choiceRows: readonly string[];
  readonly isCommenting: boolean;
  /** Lines of the preview that have been on the screen before, from the first one on. */
  readonly seen: number;
  /** The user has tried to approve lines that were not on the screen yet. */
  readonly isWarned: boolean;
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly keymap: Keymap;
}

/** Where the keys of the comment are read: typing inserts text; Enter and Esc end it. */
export const commentFocus: DialogFocus = { contexts: ['Confirmation'], typing: 'text' };

interface PermissionLayout {
  /** Lines above and below the comment field. */
  readonly above: readonly string[];
  readonly below: readonly string[];
  /** Lines of the preview that are visible at once. */
  readonly previewRows: number;
  /** Lines of the preview that have been on the screen in full, from the first one on, now that this page is. */
  readonly seen: number;
  /** True if the dialog has a row for the number of unseen lines. */
  readonly canWarn: boolean;
  /** True if the preview is shown one line at a time, next to its number. */
  readonly isNumbered: boolean;
}

/** Lays out at most `rows` lines including the comment field, provided that the choices fit in `rows`. */
export function permissionLayout(input: PermissionLayoutInput): PermissionLayout {
  const { question, preview, choiceRows, isCommenting, isWarned, width, rows, theme, keymap } = input;
  const title = titledRule(titleOf(question), width, theme);
  const keys = hintText(question, isCommenting, keymap);
  const hints = wrapText(keys, width, theme.dim);
  const reasons = reasonLines(reasonNotShown(question, titleNamesFile(question, width)), width, theme);
  const worktree = worktreeLines(question, width, theme);
  let left = rows - choiceRows.length - (isCommenting ? 1 : 0);
  const reserve = (lines: number, kept = previewShare(preview.length, rows)): boolean => {
    const fits = left - lines >= Math.min(preview.length, kept);
    if (fits) left -= lines;
    return fits;
  };
  // The title matters more than explanations.
  const showTitle = reserve(1, 1);
  const showWorktree = worktree.length > 0 && reserve(worktree.length, 1);
  const reasonRows = rowsToTry(reasons.length).find((rows) => reserve(rows)) ?? 0;
  const hint = reserve(hints.length) ? hints : reserve(1) ? [theme.dim(truncate(keys, width))] : [];
  const showBlank = reserve(1);
  const overflows = preview.length > left;
  const previewRows = Math.max(overflows && left > 1 ? left - 1 : Math.min(left, preview.length), 0);
  const top = Math.max(0, Math.min(input.top, preview.length - previewRows));
  const shown = preview.slice(top, top + previewRows);
  const isNumbered = overflows && left === 1;
  // A page after one that was skipped does not count.
  const isNext = top <= input.seen;
  const seen = isNext ? Math.max(input.seen, top + shown.length) : input.seen;
  const place = `lines ${top + 1}–${top + previewRows} of ${preview.length}`;
  const position = positionLine(question, place, preview.length - seen, isWarned, keymap);
  return {
    above: [
      ...(showTitle ? [title] : []),
      ...(showWorktree ? worktree : []),
      ...(isNumbered
        ? shown.map((line) => numbered(line, numberText(top + 1, preview.length), width, theme))
        : shown),
      ...(overflows && left > 1 ? [theme.warning(truncate(position, width))] : []),
      ...shortened(reasons, reasonRows, theme),
      ...(showBlank ? [''] : []),
      ...choiceRows.slice(0, Math.max(0, rows - (isCommenting ? 1 : 0))),
    ],
    below: hint,
    previewRows: Math.max(1, previewRows),
    seen,
    canWarn: overflows && left > 1,
    isNumbered,
  };
}

/** Fewest columns for a line next to its number. */
const LEAST_COLUMNS = 8;

/**
 * The columns for the lines of a preview that is shown one line at a time, so that each has room for its number. If the
 * screen is too narrow, lines get all of it, and a wide one has no number. `linesAt`: the preview, wrapped.
 */
export function columnsForNumbered(linesAt: (columns: number) => readonly string[], width: number): number {
  for (let count = linesAt(width).length; ; ) {
    const columns = width - textWidth(numberText(count, count));
    if (columns < LEAST_COLUMNS) return width;
    const lines = linesAt(columns).length;
    if (String(lines).length <= String(count).length) return columns;
    count = lines;
  }
}

const numberText = (line: number, of: number): string => ` (${line} of ${of})`;

/** Where the page is, and what approving takes while there are lines that have not been on the screen. */
function positionLine(
  { canSkim }: PermissionQuestion,
  place: string,
  unseen: number,
  isWarned: boolean,
  keymap: Keymap,
): string {
  const hints = keyHints(keymap, choicesFocus);
  const keys = listed('/', hints.key('confirm:pageUp'), hints.key('confirm:pageDown'));
  if (unseen === 0) return `  ${joinWithDots(place, keys)}`;
  if (canSkim !== true) return `  ${joinWithDots(place, keys, 'read to the end to approve')}`;
  if (!isWarned) return `  ${joinWithDots(place, keys)}`;
  const lines = unseen === 1 ? '1 line' : `${unseen} lines`;
  return `  ${joinWithDots(`${lines} not shown`, 'again approves', keys)}`;
}

/** Without colors, and without the spaces that extend a background color to the edge of the screen. */
const unpadded = (line: string): string => stripVTControlCharacters(line).trimEnd();

/** A line and its number, if there is room for it: what the line says matters more. */
function numbered(line: string, number: string, width: number, theme: Theme): string {
  const text = unpadded(line);
  return textWidth(text) + textWidth(number) <= width ? text + theme.warning(number) : truncate(text, width);
}

/** Which copy of the files this is about, since the title and the preview name them as in the project. */
function worktreeLines({ worktree }: PermissionQuestion, width: number, theme: Theme): readonly string[] {
  return worktree === undefined ? [] : wrapText(`In its worktree ${shownLine(worktree)}`, width, theme.dim);
}

/** Maximum lines of a single reason, and of each of several. */
const REASON_ROWS = 2;

/** A single reason as a paragraph, several as a list. */
function reasonLines(reason: string, width: number, theme: Theme): readonly string[] {
  return reasonItems(reason).flatMap((line) => {
    const lines = wrapText(line, width);
    const shown = lines.slice(0, REASON_ROWS);
    const isCut = lines.length > REASON_ROWS;
    return shown.map((one, at) =>
      theme.dim(isCut && at === REASON_ROWS - 1 ? truncate(`${one} …`, width) : one),
    );
  });
}

/** Row counts to try for the reasons, best first: a single reason is shown in full or not at all, a list can be cut. */
function rowsToTry(lines: number): readonly number[] {
  if (lines === 0) return [];
  return lines <= REASON_ROWS ? [lines] : Array.from({ length: lines - 1 }, (_, index) => lines - index);
}

/** Cuts the list to `rows`; its last line then shows that there is more. */
function shortened(lines: readonly string[], rows: number, theme: Theme): readonly string[] {
  return rows === 0 || rows >= lines.length
    ? lines.slice(0, rows)
    : [...lines.slice(0, rows - 1), theme.dim('- …')];
}

/**
 * Lines that the preview keeps before explanations get any: all of them if they fit in two thirds of the dialog, else
 * half of the dialog.
 */
function previewShare(lines: number, rows: number): number {
  return lines <= (rows * 2) / 3 ? lines : Math.max(3, Math.floor(rows / 2) - 1);
}

/**
 * The choices in the rows that the preview leaves, or in a third of the dialog: their details go first, then the ends of
 * labels. If not even the labels leave a row for the preview, only the choices around the selected one are shown, since
 * nothing is approved unseen.
 */
export function choiceRowsFor(
  choices: readonly Choice[],
  selected: number,
  previewLines: number,
  { width, rows, theme }: DialogRoom,
): readonly string[] {
  const share = Math.max(rows - previewLines - 1, Math.floor(rows / 3));
  const lines = choiceLinesWithin(choices, selected, width, share, theme);
  return lines.length < rows || previewLines === 0
    ? lines
    : fittedChoiceLines(choices, selected, width, Math.max(1, rows - 1), theme);
}

function hintText(question: PermissionQuestion, isCommenting: boolean, keymap: Keymap): string {
  if (isCommenting)
    return joinWithDots(keyHints(keymap, commentFocus).does('confirm:accept', 'sends it'), 'Esc goes back');
  const hints = keyHints(keymap, choicesFocus);
  return joinWithDots(
    listed(' ', hints.keys('confirm:previous', 'confirm:next'), hints.key('confirm:accept')),
    listed('/', hints.key('confirm:yes'), hints.key('confirm:no')),
    'Esc no',
    takesComment(question) ? hints.does('confirm:comment', 'no, with a comment') : undefined,
    acceptsEdits(question) ? hints.does('confirm:cycleMode', 'accept edits') : undefined,
  );
}

function listed(between: string, ...keys: readonly (string | undefined)[]): string {
  return keys.filter((key) => key !== undefined).join(between);
}

// The preview: everything that a call would do as lines, with hidden characters marked.

/**
 * Painted lines of at most `width` columns, preceded by a notice if characters in them are marked. `isNamed`: the title
 * above names the file.
 */
export function previewLines(
  preview: Preview,
  width: number,
  theme: Theme,
  markdown: MarkdownRenderer,
  isNamed: boolean,
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
      // Repeats the path if the title has no room for it, or if it is a link to another file.
      const isLinked = preview.realPath !== undefined && preview.realPath !== preview.path;
      const head =
        isLinked || !isNamed ? wrapped(pathText(preview.path, preview.realPath), width, theme) : [];
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
        ...(preview.changed ?? []).flatMap((line) =>
          prefixLines(wrapColumns([{ text: revealLine(line) }], width - 2).map(paintLine), '✎ ', '  ').map(
            (row) => theme.warning(row),
          ),
        ),
        ...wrapped(
          [`In ${revealLine(preview.cwd)}.`, preview.confinement ?? ''].join(' ').trimEnd(),
          width,
          theme,
        ),
        ...(preview.description === undefined
          ? []
          : wrapped(`The model says: ${shownLine(preview.description)}`, width, theme)),
      ];
    }
    case 'paths':
      // A single file that the title names is not repeated.
      if (isNamed) return [];
      return [
        ...wrapped(`${sanitizeLine(preview.verb)}:`, width, theme),
        ...preview.paths.flatMap((path, index) => {
          const text = pathText(path, preview.realPaths?.[index]);
          return prefixLines(wrapColumns([{ text }], width - 2).map(paintLine), '  ');
        }),
      ];
    case 'plan':
      return markdown(preview.plan, { width, theme }).split('\n');
    case 'text':
      return wrapText(reveal(preview.text).trimEnd(), width);
    // Has its own dialog: `form/FormDialog.tsx`.
    case 'form':
      return [];
  }
}

function wrapped(text: string, width: number, theme: Theme): string[] {
  return wrapText(text, width, theme.dim);
}
