import { readOptions } from '../options/readOptions.ts';
import { onlyPrints } from './sedScript.ts';
import type { ReadOnlyUse } from './use.ts';

/** `sed` that prints, deletes from what it prints, or replaces; without `-i`, `w`, `e` and scripts in files. */
export function sedUse(args: readonly string[]): ReadOnlyUse | undefined {
  const read = readOptions(args, {
    flags: 'nErsz',
    values: 'e',
    long: ['--quiet', '--silent', '--regexp-extended'],
    isFirst: true,
  });
  if (read === undefined) return undefined;
  const given = read.options.filter(({ name }) => name === '-e').map(({ value }) => value);
  const [first, ...rest] = read.operands;
  const scripts = given.length > 0 ? given : [first ?? null];
  if (scripts.includes(null) || !onlyPrints(scripts.join('\n'))) return undefined;
  const files = given.length > 0 ? read.operands : rest;
  return { contents: files.map((word) => word ?? ''), names: [] };
}
