import { basename, join } from 'node:path';
import { hasGlob } from './globOverlap.ts';
import { type OptionList, readOptions } from './options.ts';
import type { CommandPart } from './parsedCommand.ts';

const commands: Readonly<Record<string, OptionList>> = {
  mkdir: { flags: 'pv', long: ['--parents', '--verbose'] },
  touch: { flags: 'acm' },
  mv: { flags: 'finv', long: ['--force', '--no-clobber', '--verbose'] },
  cp: { flags: 'aRrfinpuv', long: ['--recursive', '--force', '--no-clobber', '--verbose'] },
};

/** Every path that `mkdir`, `touch`, `mv` or `cp` touches; undefined = another command, or not understood. */
export function editTargets(part: CommandPart): readonly string[] | undefined {
  const [name, ...args] = part.argv;
  const list = name != null && Object.hasOwn(commands, name) ? commands[name] : undefined;
  const read = list && readOptions(args, list);
  if (read === undefined || read.operands.length === 0) return undefined;
  const paths = read.operands.filter((word) => word !== null && !hasGlob(word));
  if (paths.length < read.operands.length) return undefined;
  const known = paths.filter((word) => word !== null);
  if (name === 'mkdir' || name === 'touch') return known;
  const target = known.at(-1);
  if (target === undefined || known.length < 2) return undefined;
  // Into a directory, the file that is written is the one of the same name in it, perhaps a link.
  return [...known, ...known.slice(0, -1).map((source) => join(target, basename(source)))];
}
