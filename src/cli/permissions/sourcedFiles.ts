/** The files that a shell script reads or starts as code: what `.` and `source` name, and further scripts. */
import { basename, dirname, resolve } from 'node:path';
import { readFileNow, statOf } from '../../disk/fileLookups.ts';
import { realpath } from '../../disk/paths.ts';

/** More than any script that is written by hand. */
const MAX_SCRIPT_BYTES = 200_000;
/** A script may run another one. */
const MAX_DEPTH = 2;
const MAX_FILES = 100;

/**
 * Existing files, absolute, links resolved. Names are found by their form, in the folder of the script and in `root`, where
 * the settings' programs start; one that is put together at run time is not found. `known`: values of variables.
 */
export function sourcedFiles(
  script: string,
  root: string,
  known: Readonly<Record<string, string>>,
  depth = MAX_DEPTH,
): readonly string[] {
  const text = depth === 0 ? undefined : shellText(script);
  if (text === undefined) return [];
  const folder = dirname(script);
  const found = namesIn(withKnownFolders(text, folder, known)).flatMap((name) =>
    [folder, root].map((place) => realpath(resolve(place, name))),
  );
  const files = [...new Set(found)].filter((path) => statOf(path)?.isFile() === true).slice(0, MAX_FILES);
  const further = files.flatMap((path) => sourcedFiles(path, root, known, depth - 1));
  return [...new Set([...files, ...further])].filter((path) => path !== script);
}

/** Undefined if it is no shell script, as far as its name and its first line tell. */
function shellText(path: string): string | undefined {
  const name = basename(path);
  if (name.includes('.') && !/\.(?:ba|da|z|k)?sh$/.test(name)) return undefined;
  const text = readFileNow(path, MAX_SCRIPT_BYTES)?.toString('utf8');
  return text === undefined || (text.startsWith('#!') && !/^#!.*sh\b/.test(text)) ? undefined : text;
}

const ofScript = String.raw`"?\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?\})"?`;
const ownFolder = new RegExp(
  String.raw`\$\(\s*dirname\s+(?:--\s+)?${ofScript}\s*\)|\x60dirname ${ofScript}\x60|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\}`,
  'g',
);
const enteredFolder = /\$\(\s*cd\s+(?:--\s+|-P\s+)*"?([^"\s)$]+)"?[^()]*&&\s*pwd(?:\s+-P)?\s*\)/g;
const assignment =
  /^[ \t]*(?:export[ \t]+|readonly[ \t]+|local[ \t]+)?([A-Za-z_]\w*)=(?:"([^"$`\n]*)"|([^\s"'$`;]+))/gm;

/** The text with the script's own folder, and variables that have a fixed value, filled in. */
function withKnownFolders(text: string, folder: string, known: Readonly<Record<string, string>>): string {
  const placed = text.replace(ownFolder, () => folder).replace(enteredFolder, (_, path: string) => path);
  const assigned = [...placed.matchAll(assignment)].map(([, name = '', quoted, bare]) => [
    name,
    quoted ?? bare ?? '',
  ]);
  const values: Readonly<Record<string, string>> = { ...known, ...Object.fromEntries(assigned) };
  const filled = placed.replace(/\$(?:\{(\w+)\}|(\w+))/g, (all, inBraces?: string, bare?: string) => {
    const name = inBraces ?? bare ?? '';
    return Object.hasOwn(values, name) ? (values[name] ?? all) : all;
  });
  // `"$DIR"/lib.sh` is one word.
  return filled.replace(/"([^"\s]*)"/g, '$1');
}

const begin = String.raw`(?:^|[\n;&|({]|\b(?:then|do|else|exec|if|env)\s|!\s)[ \t]*`;
const word = String.raw`(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'\x60;&|<>()]+))`;
const readers = String.raw`(?:\.|source|(?:ba|da|z|k)?sh|node|bun|deno|tsx|python[\d.]*|perl|ruby)`;
const byReader = new RegExp(`${begin}${readers}(?:[ \\t]+-[\\w-]+)*[ \\t]+${word}`, 'g');
const byName = new RegExp(`${begin}${word}`, 'g');

/** What is read or started; without a variable in front that is not known: it is most likely a folder of the project. */
function namesIn(text: string): readonly string[] {
  const nameOf = ([, ...parts]: RegExpMatchArray): string => parts.find((part) => part !== undefined) ?? '';
  const read = [...text.matchAll(byReader)].map(nameOf);
  const started = [...text.matchAll(byName)].map(nameOf).filter((name) => name.includes('/'));
  return [...new Set([...read, ...started].map((name) => name.replace(/^\$\{?\w+\}?\//, '')))].filter(
    (name) => name !== '' && !/[$*?\0]/.test(name),
  );
}
