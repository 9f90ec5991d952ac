import { readOptions } from './options.ts';
import type { ReadOnlyUse } from './readOnlyUse.ts';

/** Words of a filter that show the environment or read other files. */
const refused = /\$__loc__|\b(?:env|ENV|import|include|modulemeta|get_search_list|input_filename)\b/;

/** Whether a filter sees its input and nothing else. */
export const jqSeesInput = (filter: string): boolean => !refused.test(filter);

/** `jq` with a filter that sees its input and nothing else. */
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
      '--tab',
      '--unbuffered',
    ],
    longValues: ['--indent'],
  });
  if (read === undefined || read.options.some(({ name }) => name === '-i')) return undefined;
  const [filter = '.', ...files] = read.operands.map((word) => word ?? '');
  return jqSeesInput(filter) ? { contents: files, names: [] } : undefined;
}

/** `--arg name value` takes two words, where both are plain, and where it is neither a value itself nor a file. */
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
