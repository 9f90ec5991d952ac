/** A page of changes on disk: totals, the list of files, then the diffs. */
import { basename, relative } from 'node:path';
import type { RestoreStep } from '../../protocol/checkpoints.ts';
import { foldSteps, moreText, type StepRow } from '../../protocol/files/foldSteps.ts';
import { type RawDiffLine, readDiff } from '../../protocol/text/diff.ts';
import { count, grouped } from '../../protocol/text/numbers.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine } from './page.ts';

interface ChangesFacts {
  readonly title: string;
  /** The combined changes, already made or planned. */
  readonly steps: readonly RestoreStep[];
  /** The project's root; paths inside it are shown relative to it. */
  readonly root: string;
  /** Warnings, shown after the diffs. */
  readonly notes?: readonly string[];
}

/** Maximum number of rows in the list of files, and of diff lines. */
const MAX_FILES = 200;
const MAX_LINES = 500;

export function changesPage({ title, steps, root, notes = [] }: ChangesFacts): Page {
  const rows = foldSteps(steps, root);
  const left = rows.slice(MAX_FILES).reduce((sum, row) => sum + (row.type === 'more' ? row.count : 1), 0);
  const lines = [
    heading(title),
    ...rows.slice(0, MAX_FILES).map((row) => rowLine(row, root)),
    ...moreLine(left, 'file'),
    ...diffLines(steps, root),
    ...(notes.length === 0 ? [] : [blankLine]),
    ...notes.map((note) => pageLine({ text: `! ${note}`, role: 'warning' })),
  ];
  return () => lines;
}

/** Summarizes the changes; for example "3 files, +12 −3". */
export function changesStat(steps: readonly RestoreStep[]): string {
  const files = steps.filter(({ from, to }) => (to ?? from)?.type !== 'folder').length;
  const added = steps.reduce((sum, step) => sum + step.added, 0);
  const removed = steps.reduce((sum, step) => sum + step.removed, 0);
  return `${count(files, 'file')}, +${grouped(added)} −${grouped(removed)}`;
}

const kinds: Readonly<Partial<Record<RestoreStep['action'], string>>> = {
  create: 'created',
  delete: 'deleted',
  merge: 'merged',
  refuse: 'left unchanged',
};

function rowLine(row: StepRow, root: string): PageLine {
  if (row.type === 'path') return fileLine(row.step, root);
  const kind = kinds[row.step.action];
  const what = { text: kind === undefined ? '' : `  ${kind}`, role: 'dim' } as const;
  return hanging(pageLine(`  … and ${moreText(row, (path) => `${shown(path, root)}/`)}`, what), 4);
}

function fileLine({ action, path, from, to, added, removed, reason }: RestoreStep, root: string): PageLine {
  const kind = kinds[action] ?? '';
  const what = [
    ...(added + removed > 0 ? [`+${grouped(added)} −${grouped(removed)}`] : []),
    ...(kind === '' ? [] : [kind]),
    ...(modeOf(from) !== undefined && modeOf(to) !== undefined && modeOf(from) !== modeOf(to)
      ? [`permissions ${modeOf(from)} → ${modeOf(to)}`]
      : []),
    ...(reason === undefined ? [] : [reason]),
  ].join(' · ');
  const line = pageLine(`  ${shown(path, root)}`, { text: what === '' ? '' : `  ${what}`, role: 'dim' });
  return hanging(line, 4);
}

function diffLines(steps: readonly RestoreStep[], root: string): PageLine[] {
  const lines: PageLine[] = [];
  for (const [index, { path, diff }] of steps.entries()) {
    if (diff === undefined || diff === '') continue;
    // The heading already names the file.
    const body = readDiff(diff).filter(({ kind }) => kind !== 'file');
    const room = MAX_LINES - lines.length;
    if (room < 5)
      return [...lines, ...moreLine(steps.length - index, 'file with a diff', 'files with diffs')];
    lines.push(blankLine, heading(shown(path, root)), ...body.slice(0, room).flatMap(diffLine));
    lines.push(...moreLine(body.length - room, 'line'));
  }
  return lines;
}

function diffLine({ kind, line }: RawDiffLine): PageLine[] {
  if (line === '') return [];
  const role = roles[kind];
  return [hanging(role === undefined ? pageLine(line) : pageLine({ text: line, role }), 2)];
}

const roles = {
  added: 'success',
  removed: 'error',
  hunk: 'dim',
  note: 'dim',
  context: undefined,
  file: undefined,
  other: undefined,
} as const satisfies Record<RawDiffLine['kind'], string | undefined>;

function moreLine(many: number, what: string, plural = `${what}s`): PageLine[] {
  return many <= 0
    ? []
    : [pageLine({ text: `  … ${grouped(many)} more ${many === 1 ? what : plural}`, role: 'dim' })];
}

function shown(path: string, root: string): string {
  const inside = relative(root, path);
  return inside === '' ? basename(path) : inside.startsWith('..') ? path : inside;
}

function modeOf(state: RestoreStep['from']): string | undefined {
  return state?.type === 'file' || state?.type === 'folder' ? state.mode.toString(8) : undefined;
}
