import { readOptions } from '../options/readOptions.ts';
import type { ReadOnlyUse } from './use.ts';

/** Words of a filter that show the environment or read other files. */
const refused = /\$__loc__|\b(?:env|ENV|import|include|modulemeta|get_search_list|input_filename)\b/;

/** The same words as names: a field, or the key of an object. Inside brackets a colon belongs to a slice. */
const field = /(?<![.\d])\.(?:env|ENV|import|include)\b/g;
const firstKey = /(?<=\{\s*)(?:env|ENV|import|include)(?=\s*[:,}])/g;
const laterKey = /(?<=,\s*)(?:env|ENV|import|include)(?=\s*:)/g;

/** True if a filter accesses nothing but its input. */
export function jqSeesInput(filter: string): boolean {
  // A dot in a comment or a string is not a field access, and text after a backslash may be a filter.
  if (/[#\\]/.test(filter)) return !refused.test(filter);
  const named = filter.replace(field, '.x').replace(firstKey, 'x');
  return !refused.test(filter.includes('[') ? named : named.replace(laterKey, 'x'));
}

/** `jq` with a filter that accesses nothing but its input. */
export function jqUse(args: readonly string[]): ReadOnlyUse | undefined {
  const read = readOptions(withoutVariables(args), {
    flags: 'CMRSaceijnrs',
    long: [
      '--ascii-output',
      '--color-output',
      '--compact-output',
      '--exit-status',
      '--join-output',
      '--monochrome-output',
      '--null-input',
      '--raw-input',
      '--raw-output',
      '--seq',
      '--slurp',
      '--sort-keys',
      '--stream',
      '--tab',
      '--unbuffered',
    ],
    longValues: ['--indent'],
  });
  if (read === undefined || read.options.some(({ name }) => name === '-i')) return undefined;
  const [filter = '.', ...files] = read.operands.map((word) => word ?? '');
  return jqSeesInput(filter) ? { contents: files, names: [], rewrites: true } : undefined;
}

/** Removes `--arg name value` with its two words, if both are plain and it is neither a value itself nor a file. */
function withoutVariables(args: readonly string[]): readonly string[] {
  const at = args.findIndex(
    (word, index) =>
      /^--arg(?:json)?$/.test(word) &&
      args[index - 1] !== '--indent' &&
      !args.slice(0, index).includes('--') &&
      /^[A-Za-z_]\w*$/.test(args[index + 1] ?? '') &&
      /^[^-]/.test(args[index + 2] ?? ''),
  );
  return at === -1 ? args : withoutVariables([...args.slice(0, at), ...args.slice(at + 3)]);
}
