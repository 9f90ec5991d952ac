/** Finds the parts of patches in a text: what git, diff and other programs print, also in mails and other outputs. */
import { withoutEscapes } from '../../protocol/text/escapes.ts';

/** The lines about one file. */
interface PatchPart {
  /** The rest of the lines that begin it: one or two paths, perhaps with dates. */
  readonly title: string;
  /** The paths of the file before and after. */
  readonly paths: readonly string[];
  /** Its lines, old and new ones, without the marks in front of them. */
  readonly text: string;
}

/** True for the path of a patch, of changes that could not be applied, or of mails; also of a copy. Pure. */
export const isPatch = (path: string): boolean =>
  /\.(?:patch|diff|rej|mbox|mbx|eml)(?:\.(?:gz|bak|old|orig|\d+)|~)*$/i.test(path);

/** Graphs of commits, quotes in mails, indentation, and marks of a patch that contains another. */
const front = String.raw`[ \t>|*+\\/-]{0,40}`;
/** The longest path, and more than a date. */
const rest = '(.{1,5000})';
/** The line after a name. It shows that a patch begins, not a command or a heading. */
const next = String.raw`\n(?=${front}(?:@@ |\*{3}|---|\+{3}|={9}|\d[\d,]*[acd]\d|diff |index |Binary ))`;

const start = new RegExp(
  [
    `diff --(?:git|cc|combined) ${rest}$`,
    `(?:diff|Index:|={4}) ${rest}${next}`,
    String.raw`(?:---|\*{3}) ${rest}\n${front}(?:\+{3}|---) ${rest}$`,
    String.raw`\*{3} (?:Add|Update) File: ${rest}$`,
  ]
    .map((one) => `^${front}${one}`)
    .join('|'),
  'gm',
);

/** What a line that begins a part contains. Most texts have none of these, and looking for them takes little time. */
const hints = ['diff ', 'Index: ', '==== ', '--- ', '*** '];

/** The parts of all patches in a text, in order. Pure; every repetition is bounded, so that it takes linear time. */
export function partsOfPatches(written: string): readonly PatchPart[] {
  if (!hints.some((hint) => written.includes(hint))) return [];
  const text = withoutEscapes(written).replace(/\r\n?/g, '\n');
  const starts = [...text.matchAll(start)];
  return starts.map((match, at) => {
    const titles = match.slice(1).filter((title) => title !== undefined);
    return {
      title: titles.join(' '),
      paths: [...new Set(titles.map(pathIn))].filter((path) => path !== '/dev/null'),
      text: withoutMarks(text.slice(match.index + match[0].length, starts[at + 1]?.index)),
    };
  });
}

/** The path in a title, without a date, quotes, and git's `a/` or `b/`. */
const pathIn = (title: string): string =>
  title
    .replace(/\t.*| {1,9}\d{4}-\d\d-\d\d .*/, '')
    .replace(/^"(.*)"$/, '$1')
    .replace(/^[abciow]\//, '');

/** After `@@ … @@`, git shows another line of the file. */
const withoutMarks = (lines: string): string =>
  lines.replace(/^(?:[>|] ?){0,9}(?:@@[^@\n]{1,99}@@ ?|\+\+|--(?!-)|[-+!<> ])/gm, '');
