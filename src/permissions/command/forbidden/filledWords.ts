/**
 * Finds the commands that a program starts with words that it fills in: what `xargs` and `parallel` read, what `find` and
 * `fd` find, what stands for `{}`. Such a word is known only at run time. Pure; errs on the side of too many.
 */
import { programName } from '../../options/programTable.ts';
import { isShellName } from '../../options/runnerNames.ts';
import type { Words } from '../../shell/wrappers.ts';
import { MAX_WORDS } from './equivalentCalls.ts';

type Argv = readonly (string | null)[];

interface Filled {
  readonly commands: readonly Words[];
  /** True if such a word is part of a script, or is one. */
  readonly isScript: boolean;
}

/** The commands that a call starts with words that it fills in. */
export function filledCommands(argv: Argv): Filled {
  const [first, ...rest] = argv;
  const name = programName(first ?? null);
  if (/^(?:g?find|bfs)$/.test(name)) return together(executed(argv));
  if (/^(?:fd|fdfind)$/.test(name)) return together(executedByFd(argv));
  if (/^g?xargs$/.test(name)) return ofXargs(argv);
  if (/^(?:(?:env_)?parallel|sem|rush|xe)$/.test(name)) return together(joined(rest));
  return together(withPlaceholders(rest));
}

/** A command, and whether a word of it is filled in. */
type Template = readonly { readonly word: string | null; readonly isFilled: boolean }[];

function together(templates: readonly Template[], mayBeOption = false): Filled {
  return {
    commands: templates.map((template) => {
      const isOfShell = !mayBeOption && isShellName(programName(template[0]?.word ?? null));
      // A file that a shell runs is treated like any script; a folder after `-C` is not a subcommand.
      const argv = template.map(({ word, isFilled }, at) =>
        isFilled && at > 0 && (isOfShell || namesFolder.test(template[at - 1]?.word ?? ''))
          ? './x'
          : isFilled
            ? null
            : word,
      );
      return { argv, raw: argv.map((word) => word ?? '$x') };
    }),
    isScript: templates.some((template) => {
      const hasShell = template.some(({ word }) => isShellName(programName(word)));
      return (
        hasShell &&
        template.some(
          ({ word, isFilled }, at) =>
            isFilled && (/\s/.test(word ?? '') || /^-\w*c/.test(template[at - 1]?.word ?? '')),
        )
      );
    }),
  };
}

/** Options whose value is a folder or a file, of every program that has them. */
const namesFolder = /^(?:-C|--(?:git-dir|work-tree|prefix|cwd|dir|directory|chdir|manifest-path))$/;

const ADDED = { word: null, isFilled: true } as const;

const fill = (argv: Argv, mark: RegExp): Template =>
  argv.map((word) => ({ word, isFilled: word !== null && mark.test(word) }));

/**
 * Placeholders that `fd`, `parallel` and others replace by a name or a part of it: fd(1), parallel(1), fzf(1), entr(1).
 */
const placeholder = /\{[\w.,:/#%+-]*\}|^\/_$/;

/** find(1) */
function executed(argv: Argv): readonly Template[] {
  return argv.flatMap((word, at) => {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word ?? '')) return [];
    const rest = argv.slice(at + 1);
    const end = rest.findIndex((one, index) => one === ';' || (one === '+' && rest[index - 1] === '{}'));
    return [fill(end === -1 ? rest : rest.slice(0, end), /\{\}/)];
  });
}

/** fd(1): without a placeholder, it adds the names. */
function executedByFd(argv: Argv): readonly Template[] {
  return argv.flatMap((word, at) => {
    const option = /^(?:-[A-Za-z]*?[xX]|--exec(?:-batch)?(?:=|$))(.*)$/s.exec(word ?? '');
    if (option === null) return [];
    const rest = [...(option[1] === '' ? [] : [option[1] ?? '']), ...argv.slice(at + 1)];
    const end = rest.indexOf(';');
    const template = fill(end === -1 ? rest : rest.slice(0, end), placeholder);
    return [template.some(({ isFilled }) => isFilled) ? template : [...template, ADDED]];
  });
}

/**
 * parallel(1) joins its words to a script and adds what it reads. Which words belong to its options is not known. Without
 * a command, it runs what it reads, including the words after `:::`.
 */
function joined(rest: Argv): readonly Template[] {
  const end = rest.findIndex((word) => /^:{3,4}\+?$/.test(word ?? ''));
  const own = end === -1 ? rest : rest.slice(0, end);
  const hasCommand = own.some((word, at) => !/^-/.test(word ?? '') && !/^-/.test(own[at - 1] ?? ''));
  const inputs = end === -1 || hasCommand ? [] : rest.slice(end + 1).map((word) => [word]);
  const starts = own.slice(0, MAX_WORDS).map((_, at) => own.slice(at));
  return [...starts, ...inputs].map((command) => {
    const words = command.flatMap((word) => (word === null ? [null] : word.trim().split(/\s+/)));
    return [...fill(words, placeholder), ADDED];
  });
}

/** For any other program: a word that names a program, followed by a placeholder. */
function withPlaceholders(rest: Argv): readonly Template[] {
  const last = rest.findLastIndex((word) => word !== null && placeholder.test(word));
  if (last === -1) return [];
  return rest.slice(0, Math.min(last, MAX_WORDS)).flatMap((word, at) => {
    if (word === null || placeholder.test(word)) return [];
    return [fill(rest.slice(at), placeholder)];
  });
}

/** The commands in a text in which a program replaces placeholders: `fzf --preview 'git {}'`. */
export function filledText(text: string): readonly Words[] {
  if (!placeholder.test(text)) return [];
  const marked = text.replace(new RegExp(placeholder, 'g'), '\0');
  return marked.split(/[\n;&|()`:]+/).flatMap((segment) => {
    const words = segment.trim().split(/\s+/).slice(0, MAX_WORDS);
    return words.flatMap((word, at) => {
      if (word.includes('\0') || !words.slice(at).some((one) => one.includes('\0'))) return [];
      return together([fill(words.slice(at), /\0/)]).commands;
    });
  });
}

/**
 * xargs(1): it adds what it reads, or replaces a placeholder with it. Options that are not understood may have a value.
 */
function ofXargs(argv: Argv): Filled {
  const at = commandOfXargs(argv);
  const mark = markOf(argv.slice(1, at));
  if (mark === undefined) {
    const rest = argv.slice(1, MAX_WORDS);
    return together(
      rest.map((_, index) => [...fill(argv.slice(index + 1), /(?!)/), ADDED]),
      true,
    );
  }
  const template = argv.slice(at).map((word) => ({ word, isFilled: word?.includes(mark) === true }));
  return together([template], true);
}

/** Where the command begins that xargs runs. */
function commandOfXargs(argv: Argv): number {
  let at = 1;
  for (; argv[at]?.startsWith('-'); at += 1) if (/^-[IJLnPsdEaR]$/.test(argv[at] ?? '')) at += 1;
  return at;
}

/** The placeholder that xargs replaces with what it reads, according to its options; undefined = none. */
function markOf(options: Argv): string | undefined {
  if (!options.some((option) => /^-[IiJ]|^--replace/.test(option ?? ''))) return undefined;
  let mark = '{}';
  for (const [index, option] of options.entries()) {
    const glued = /^(?:-[IiJ]|--replace=)(.+)$/s.exec(option ?? '')?.[1];
    if (glued !== undefined) mark = glued;
    if (/^-[IJ]$/.test(option ?? '')) mark = options[index + 1] ?? mark;
  }
  return mark;
}
