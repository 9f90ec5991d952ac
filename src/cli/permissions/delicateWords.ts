/** Finds names of delicate files anywhere in the text of a command, including code passed as an argument. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

interface DelicateRules {
  readonly home: string;
  /** True if a file is a secret, or if a rule denies reading it. */
  readonly isWithheld: (path: string) => boolean;
  /** True if commands may not write the file: other programs execute it or take settings from it. */
  readonly isReadOnlyForCommands: (path: string) => boolean;
}

/** Far more words than any command that a user would read. */
const MAX_WORDS = 2000;

/**
 * Returns the first word that names an existing withheld file, or a missing file that other programs would obey: the
 * sandbox does not hide the former, and cannot prevent creating the latter. `.env` files are exempt, because only their
 * values are secret, and those are redacted from command output. Words in a message (`git commit -m`) count as well,
 * since only a shell could tell them apart.
 */
export function delicateWord(
  command: string,
  cwd: string,
  { home, isWithheld, isReadOnlyForCommands }: DelicateRules,
): string | undefined {
  const words = new Set(command.split(/[\s'"`()<>|;&=,:{}[\]\\$]+/).slice(0, MAX_WORDS));
  return [...words].find((word) => {
    if (!/[\w-]/.test(word)) return false;
    const path = word.startsWith('~/') ? join(home, word.slice(2)) : resolve(cwd, word);
    if (existsSync(path)) return isWithheld(path) && !/\/\.env[^/]*$/.test(path);
    // If the whole folder is read-only for commands, the sandbox already prevents creating files in it.
    return isReadOnlyForCommands(path) && !isReadOnlyForCommands(folderAround(path));
  });
}

/** Returns the nearest existing parent folder. */
function folderAround(path: string): string {
  let at = dirname(path);
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at);
  return at;
}
