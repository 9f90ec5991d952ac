/**
 * The words of a git command that name a repository to push to or fetch from. Git reads a word as a remote if the
 * settings have one by that name, otherwise as a URL or a path: a repository in the project may have hooks.
 */

import { remoteGroups, remoteNames } from '../../lookups/gitRemotes.ts';
import type { GitSettingsFound } from '../../lookups/gitSettingPrograms.ts';
import { gitAddress } from '../../options/git/gitAddress.ts';

interface RepositoryWord {
  /** Its index among all words of the command. */
  readonly at: number;
  /** null = known only at run time. */
  readonly word: string | null;
  /** Git looks for a remote of that name first. */
  readonly mayBeName: boolean;
}

interface Form {
  /** Letters of options with a value, and their long names: the next word is the value. */
  readonly letters: string;
  readonly long: string;
  /** Which of the operands name repositories. */
  readonly repositories: (
    operands: readonly (string | null)[],
    options: readonly string[],
  ) => readonly number[];
  /** Absent: only URLs and paths. */
  readonly names?: true;
}

const first = (): readonly number[] => [0];
const all = (operands: readonly unknown[]): readonly number[] => operands.map((_, at) => at);
/** The operands after a verb such as `add` in `git remote add`. */
const after =
  (verbs: Readonly<Record<string, (operands: readonly unknown[]) => readonly number[]>>) =>
  (operands: readonly (string | null)[]): readonly number[] => {
    const [verb] = operands;
    // Only the shell knows it.
    if (verb === null) return all(operands);
    return verb !== undefined && Object.hasOwn(verbs, verb) ? (verbs[verb]?.(operands) ?? []) : [];
  };
const rest = (operands: readonly unknown[]): readonly number[] => all(operands).slice(1);

const connecting = 'upload-pack server-option shallow-since shallow-exclude depth filter jobs';

/** git-push(1), git-fetch(1), git-pull(1), git-ls-remote(1), git-clone(1), git-remote(1), git-submodule(1), … */
const forms: Readonly<Record<string, readonly Form[]>> = {
  push: [
    {
      letters: 'o',
      long: 'repo receive-pack exec push-option recurse-submodules',
      ...{ repositories: first, names: true },
    },
  ],
  fetch: [
    {
      letters: 'jo',
      long: `${connecting} deepen refmap negotiation-tip recurse-submodules-default submodule-prefix`,
      repositories: (operands, options) =>
        options.some((option) => '--multiple'.startsWith(option) && option.length > 3)
          ? all(operands)
          : first(),
      names: true,
    },
  ],
  pull: [
    {
      letters: 'joXs',
      long: `${connecting} deepen refmap negotiation-tip strategy strategy-option cleanup`,
      ...{ repositories: first, names: true },
    },
  ],
  'ls-remote': [
    { letters: 'o', long: 'upload-pack exec server-option sort', ...{ repositories: first, names: true } },
  ],
  clone: [
    {
      letters: 'jobuc',
      long: `${connecting} template reference reference-if-able origin branch revision separate-git-dir ref-format config
        bundle-uri`,
      repositories: first,
    },
  ],
  remote: [
    {
      letters: 'tm',
      long: 'track master',
      repositories: after({ update: rest, show: rest, prune: rest, 'set-head': () => [1] }),
      names: true,
    },
    {
      letters: 'tm',
      long: 'track master',
      repositories: after({ add: () => [2], 'set-url': () => [2] }),
    },
  ],
  submodule: [
    {
      letters: 'bj',
      long: 'branch reference name ref-format depth jobs',
      repositories: after({ add: () => [1], 'set-url': () => [2] }),
    },
  ],
  subtree: [
    {
      letters: 'Pmb',
      long: 'prefix message branch annotate onto',
      // `add` may have only one operand, a commit, which may look like a repository.
      repositories: after({ add: () => [1], pull: () => [1], push: () => [1] }),
      names: true,
    },
  ],
  lfs: [
    {
      letters: 'IX',
      long: 'include exclude',
      repositories: after({ fetch: () => [1], pull: () => [1], push: () => [1], prune: () => [] }),
      names: true,
    },
  ],
  'request-pull': [{ letters: '', long: '', repositories: () => [1], names: true }],
  'send-pack': [{ letters: '', long: 'receive-pack exec remote', repositories: first }],
  'fetch-pack': [{ letters: '', long: 'upload-pack exec depth', repositories: first }],
};

/** `at`: the index of the subcommand. */
export function repositoryWords(argv: readonly (string | null)[], at: number): readonly RepositoryWord[] {
  const subcommand = argv[at] ?? '';
  const own = Object.hasOwn(forms, subcommand) ? (forms[subcommand] ?? []) : [];
  return own.flatMap((form) => {
    const { operands, options } = readWords(argv, at, form);
    const words = operands.map((index) => argv[index] ?? null);
    return form.repositories(words, options).flatMap((index) => {
      const place = operands[index];
      return place === undefined
        ? []
        : [{ at: place, word: argv[place] ?? null, mayBeName: form.names === true }];
    });
  });
}

/** The indexes of the operands among the words after the subcommand, and the options: gitcli(7). */
function readWords(argv: readonly (string | null)[], subcommandAt: number, { letters, long }: Form) {
  const names = long.split(/\s+/).map((name) => `--${name}`);
  const operands: number[] = [];
  const options: string[] = [];
  for (let at = subcommandAt + 1; at < argv.length; at += 1) {
    const word = argv[at];
    if (word === '--') {
      for (let index = at + 1; index < argv.length; index += 1) operands.push(index);
      break;
    }
    if (word == null || !/^-./.test(word)) {
      operands.push(at);
      continue;
    }
    options.push(word.replace(/=.*/s, ''));
    if (takesNext(word, letters, names)) at += 1;
  }
  return { operands, options };
}

function takesNext(word: string, letters: string, names: readonly string[]): boolean {
  // An abbreviation; but `--recurse-submodules` is an option of its own.
  if (word.startsWith('--'))
    return names.some((name) => name === word || (name.startsWith(word) && word !== '--recurse-submodules'));
  const index = [...word.slice(1)].findIndex((letter) => letters.includes(letter));
  return index !== -1 && index === word.length - 2;
}

/** What git would use for such a word. */
type RepositoryKind = 'remote' | 'host' | 'folder' | 'unknown';

/** `added`: names of remotes that the same command adds. */
export function kindOfRepository(
  { word, mayBeName }: RepositoryWord,
  settings: GitSettingsFound,
  added: ReadonlySet<string> = new Set(),
): RepositoryKind {
  if (word === null) return 'unknown';
  // `.` is the current repository.
  if (word === '.') return 'remote';
  const every = [...settings.user, ...settings.own];
  if (mayBeName && (remoteNames(every).has(word) || remoteGroups(every).has(word) || added.has(word)))
    return 'remote';
  return gitAddress(word).type === 'host' ? 'host' : 'folder';
}

const initForm: Form = {
  letters: 'b',
  long: 'template separate-git-dir object-format ref-format initial-branch',
  repositories: first,
};

/**
 * Where `git init` or `git clone` creates a repository, relative to where it runs; null = known only at run time,
 * undefined = the subcommand creates none.
 */
export function createdRepository(argv: readonly (string | null)[], at: number): string | null | undefined {
  const subcommand = argv[at];
  const [cloneForm] = forms.clone ?? [];
  const form =
    subcommand === 'clone' ? cloneForm : /^init(?:-db)?$/.test(subcommand ?? '') ? initForm : undefined;
  if (at === 0 || form === undefined) return undefined;
  const words = readWords(argv, at, form).operands.map((index) => argv[index] ?? null);
  if (form === initForm) return words.length === 0 ? '.' : (words[0] ?? null);
  const [source = null, folder] = words;
  return folder === undefined ? clonedName(source) : folder;
}

/** The folder in which git puts a clone: git-clone(1), `<directory>`. */
function clonedName(source: string | null): string | null {
  const [, name] = /([^/:]+?)(?:\/*\.git)?\/*$/.exec(source?.replace(/\/+$/, '') ?? '') ?? [];
  return name ?? null;
}

/** The remote that `git remote add` adds. */
export function addedRemote(argv: readonly (string | null)[], at: number): string | undefined {
  if (argv[at] !== 'remote') return undefined;
  const [form] = forms.remote ?? [];
  const operands = form === undefined ? [] : readWords(argv, at, form).operands;
  const [verb, name] = operands.map((index) => argv[index]);
  return verb === 'add' && name != null ? name : undefined;
}
