import { readOptions } from './options.ts';
import type { ReadOnlyUse } from './readOnly.ts';

const grepOptions = {
  // Without R, which follows the links of a repository to wherever they lead.
  flags: 'EFGPabcHhIiLlnoqrsTUvwxyZz',
  values: 'ABCem',
  long: [
    '--color',
    '--colour',
    '--count',
    '--extended-regexp',
    '--files-with-matches',
    '--files-without-match',
    '--fixed-strings',
    '--ignore-case',
    '--invert-match',
    '--line-number',
    '--no-filename',
    '--only-matching',
    '--perl-regexp',
    '--quiet',
    '--recursive',
    '--with-filename',
    '--word-regexp',
  ],
  longValues: [
    '--after-context',
    '--before-context',
    '--context',
    '--exclude',
    '--exclude-dir',
    '--include',
    '--max-count',
    '--regexp',
  ],
  numbers: true,
};

const ripgrepOptions = {
  flags: 'FHINPSUcilnoqsvwxp0',
  values: 'ABCegjmtT',
  long: [
    '--color',
    '--column',
    '--count',
    '--count-matches',
    '--files',
    '--files-with-matches',
    '--files-without-match',
    '--fixed-strings',
    '--heading',
    '--ignore-case',
    '--json',
    '--line-number',
    '--multiline',
    '--no-filename',
    '--no-heading',
    '--no-line-number',
    '--only-matching',
    '--pcre2',
    '--smart-case',
    '--stats',
    '--trim',
    '--vimgrep',
    '--with-filename',
    '--word-regexp',
  ],
  longValues: [
    '--after-context',
    '--before-context',
    '--context',
    '--glob',
    '--max-count',
    '--max-depth',
    '--regexp',
    '--sort',
    '--type',
    '--type-not',
  ],
};

/** Endings of files that hold no credentials by any usual name: `*.local` would be `.env.local` too. */
const codeEnding =
  /^\*\.(?:[cm]?[jt]sx?|c|cc|cpp|cs|css|go|h|hpp|html?|java|kts?|less|lua|mdx?|php|py|rb|rs|s[ac]ss|scala|sql|svelte|swift|vue)$/;

/** The same by the names that ripgrep has for them. */
const codeType =
  /^(?:c|cpp|cs|css|go|html|java|js|kotlin|lua|md|markdown|php|py|ruby|rust|scala|sh|sql|swift|ts|typescript)$/;

/**
 * `grep` and `rg`. A search through a directory would show what `.env` and key files say, so it is read-only
 * only where it is limited to names that no such file has.
 */
export function searchUse(name: string, args: readonly (string | null)[]): ReadOnlyUse | undefined {
  const ripgrep = name === 'rg';
  const read = readOptions(args, ripgrep ? ripgrepOptions : grepOptions);
  if (read === undefined) return undefined;
  const has = (...names: string[]): boolean => read.options.some((option) => names.includes(option.name));
  const listing = ripgrep && has('--files');
  const pattern = has('-e', '--regexp') || listing ? 0 : 1;
  if (read.operands.length < pattern) return undefined;
  const files = read.operands.slice(pattern);
  if (listing) return { contents: [], names: files };
  if (isLimited(read.options)) return { contents: files, names: [] };
  const recursive = has('-r', '--recursive') || (ripgrep && files.length === 0);
  return recursive ? undefined : { contents: files, names: [], onlyFiles: ripgrep };
}

function isLimited(options: readonly { name: string; value: string | null }[]): boolean {
  const limits = options.filter(({ name }) => ['--include', '--glob', '-g', '--type', '-t'].includes(name));
  return (
    limits.length > 0 &&
    limits.every(({ name, value }) => {
      if (value === null) return false;
      if (name === '--type' || name === '-t') return codeType.test(value);
      return codeEnding.test(value);
    })
  );
}
