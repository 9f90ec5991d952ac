/**
 * Calls after which a name may start another program: aliases, paths that the shell remembers, builtins and functions
 * that it loads, files that shells run first. Pure.
 */
import { programName } from '../../options/programTable.ts';
import type { CommandPart } from '../../shell/parsedCommand.ts';
import type { Words } from '../../shell/wrappers.ts';

/** True if a later name may start the program of a rule, or anything. `text`: what the rule matches. */
export function changesNames(part: CommandPart, text: string): boolean {
  const [first, ...args] = part.argv;
  const name = programName(first ?? null);
  if (part.envPrefix.some(({ name: variable }) => /^(?:BASH_ENV|ENV|ZDOTDIR|LD_PRELOAD)\+?$/.test(variable)))
    return true;
  if (declares.test(name) && args.some((word) => runsFirst.test(word ?? ''))) return true;
  // Builtins and functions under other names: zshmodules(1), `enable -f` of bash.
  if (/^(?:zmodload|enable|autoload)$/.test(name)) return true;
  if (name === 'hash') return namesProgram(args, programName(text.split(' ')[0]));
  if (name !== 'alias' || !args.some((word) => /^[-+]\w*g/.test(word ?? ''))) return false;
  // In zsh, a global alias may be any word of a later command.
  const words = new Set(args.flatMap((word) => (word ?? '').replace(/^[^=]*=/, '').split(/\s+/)));
  return text.split(' ').some((word) => words.has(word));
}

const declares = /^(?:declare|export|local|readonly|typeset)$/;

/** Variables that name a file that a shell or any program runs first. `ENV` is also a common name for other things. */
const runsFirst = /^(?:(?:BASH_ENV|ZDOTDIR|LD_PRELOAD)\+?=|ENV\+?=.*[./$])/;

/** True if `hash -p /usr/bin/git x`, or `hash x=/usr/bin/git` in zsh, gives a program another name. */
function namesProgram(args: readonly (string | null)[], program: string): boolean {
  const places = args.flatMap((word, at) => {
    const before = args[at - 1];
    const isPlace = word === null || /=|^-[a-z]*p./.test(word) || /^-[a-z]*p$/.test(before ?? '');
    return isPlace ? [word?.replace(/^-[a-z]*p|^[^=]*=/, '')] : [];
  });
  return places.some((place) => place === undefined || program === '*' || programName(place) === program);
}

/** What the aliases that a call defines stand for: after `alias g=git`, `g push` in a later line is `git push`. */
export function aliasedCalls({ argv: [name, ...args] }: CommandPart): readonly Words[] {
  if (name !== 'alias') return [];
  return args.flatMap((word) => {
    const value = word?.includes('=') ? word.slice(word.indexOf('=') + 1) : undefined;
    return value === undefined ? [] : [continued(value)];
  });
}

/** The last command of a text, followed by unknown words. */
export function continued(text: string): Words {
  const last = text.split(/[\n;&|()]/).at(-1) ?? '';
  const words = last
    .replace(/["'\\]/g, '')
    .trim()
    .split(/\s+/);
  return { argv: [...words, null], raw: [...words, '$x'] };
}
