/** Names of delicate files in the text of a command, wherever in it they stand: in code, too, that a command is given. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface DelicateRules {
  readonly home: string;
  /** Whether a file is a secret, or one that a rule keeps from being read. */
  readonly isWithheld: (path: string) => boolean;
  /** Whether commands may not write it: other programs execute what is in it, or follow it. */
  readonly isReadOnlyForCommands: (path: string) => boolean;
}

/** Far more words than anybody would read. */
const MAX_WORDS = 2000;

/**
 * The first word that is a withheld file which is there, or a file that is not and that other programs would obey: the sandbox shows
 * the one and cannot keep the other from being made. Of `.env` files only the values are secret, and those are taken out
 * of what commands print. A message that speaks of a file counts as well, since only a shell could tell.
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
    // In a folder that is obeyed as a whole the sandbox lets nothing be made.
    return isReadOnlyForCommands(path) && !isReadOnlyForCommands(folderAround(path));
  });
}

/** The nearest that exists. */
function folderAround(path: string): string {
  let at = dirname(path);
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at);
  return at;
}
