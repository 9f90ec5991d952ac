/**
 * Words that make a program do more than its name says: run another program, load code or configuration, write a file that
 * the command line names, or work in another place. A rule with a wildcard does not cover them unless it spells them. Of
 * programs in `knownOptionRows.ts` these are all words that are not known; of others in `riskyOptionRows.ts` those that
 * are listed there; of all others what looks like it.
 */

import { grammars } from './knownOptionRows.ts';
import { type Grammar, notUnderstood } from './knownOptions.ts';
import { type Row, rows } from './riskyOptionRows.ts';

/** What an option makes the program do; `unknown`: nobody has said that it does no harm. */
export type Risk = 'runs' | 'writes' | 'elsewhere' | 'unknown';

/** A word of a command that only a rule which spells it covers. */
export interface RiskyWord {
  /** Where it stands among the words of the command; the program is 0. */
  readonly at: number;
  readonly word: string;
  readonly risk: Risk;
  /** The row of the table, for people: `git --output: git-diff(1)`. */
  readonly row: string;
  /** Where the `--` stands that hands it on; a rule that spells that has opened what follows. */
  readonly behind?: number;
}

/** What each program's row says, ready to look up. */
const table = byProgram<Row>(rows);
const known = byProgram<Grammar>(grammars);

function byProgram<T extends { readonly programs: string }>(list: readonly T[]): ReadonlyMap<string, T> {
  return new Map(list.flatMap((row) => row.programs.split(' ').map((program) => [program, row] as const)));
}

/** `python3.12`, `gcc-12`, `x86_64-linux-gnu-gcc`, `vim.tiny`, `npm.cmd` and `ggrep` are programs of the tables. */
function tableName(word: string | null | undefined): string {
  const name = programName(word);
  const has = (one: string): boolean => table.has(one) || known.has(one);
  const bare = name.replace(/\.(?:exe|cmd|bat|ps1|basic|tiny|gtk3?|nox|traditional|openbsd)$/, '');
  const forms = [
    name,
    bare,
    bare.replace(/[-.]?\d[\d.]*$/, ''),
    bare.replace(/^[\w.]+-linux-\w+-/, ''),
    bare.replace(/^g/, ''),
  ];
  return forms.find(has) ?? name;
}

/** The program's name without its folder, in small letters: some file systems do not tell the difference. */
export const programName = (word: string | null | undefined): string =>
  (word ?? '').replace(/^.*\//, '').toLowerCase();

/**
 * The words of a command that a rule covers only where it spells them. A word that is not known at all (null) is not
 * among them: whoever asks has to look at those first.
 */
export function riskyWords(argv: readonly (string | null)[]): readonly RiskyWord[] {
  // It has options and subcommands of its own.
  if (/^(?:docker|podman|nerdctl)$/.test(tableName(argv[0])) && argv[1] === 'compose')
    return [...readWords(argv.slice(0, 2), 0), ...readWords(['docker-compose', ...argv.slice(2)], 1)];
  const at = toolAt(argv) || scriptAt(argv);
  const outer = argv.slice(0, at === 0 ? argv.length : at);
  const inner = at === 0 ? [] : riskyWords(argv.slice(at));
  const moved = inner.map((word): RiskyWord => {
    const { behind } = word;
    return { ...word, at: word.at + at, ...(behind !== undefined && { behind: behind + at }) };
  });
  return [...readWords(outer, 0), ...moved];
}

/** Where a tool stands that an interpreter runs from the folder of its package (`node node_modules/.bin/eslint`). */
function scriptAt(argv: readonly (string | null)[]): number {
  if (known.get(tableName(argv[0]))?.ownWords !== 1) return 0;
  const at = argv.findIndex((word, index) => index > 0 && word !== null && !word.startsWith('-'));
  return /\/(?:node_modules|\.?venv|site-packages|bin)\//.test(`/${argv[at] ?? ''}`) ? at : 0;
}

function readWords(argv: readonly (string | null)[], offset: number): readonly RiskyWord[] {
  const name = tableName((argv[0] ?? '').replace(/\.[cm]?js$|\.py$/, ''));
  const listed = readRow(argv, offset, name);
  const grammar = known.get(name);
  if (grammar !== undefined)
    return notUnderstood(argv, grammar).map((at): RiskyWord => {
      const row = `${name}, known options: ${grammar.manual}`;
      const risk = 'unknown';
      return (
        listed.find((word) => word.at === at + offset) ?? { at: at + offset, word: argv[at] ?? '', risk, row }
      );
    });
  if (table.has(name)) return listed;
  // A script of the project is named by its path; what it takes is its own.
  const isScript = /^(?!\/).*\//.test(argv[0] ?? '');
  return argv.flatMap((word, at): readonly RiskyWord[] => {
    if (at === 0 || word === null || !(responseFile.test(word) || (!isScript && telling.test(word))))
      return [];
    return [
      { at: at + offset, word, risk: 'runs', row: `${name}: options of programs that are in no table` },
    ];
  });
}

/** A file with further words in it. */
const responseFile = /^@./;

/** Names of options that run, load or write whatever they are given, in programs that nobody has written down. */
const telling =
  /^--?(?:[\w-]*-)?(?:exec(?:ute)?|eval|command|cmd|shell|plugins?|preload|loader|require|hooks?|pager|editor|browser|preprocessor|interpreter|script|conf(?:ig)?(?:-?file)?|rc-?file|init-?file|startup-?file|out(?:put)?(?:-?(?:file|dir|path))?|log-?file|in-?place|write)(?:[=:]|$)/i;

/**
 * Where the tool stands that a runner of tools is given (`npx vitest`, `uv run pytest`, `python -m pytest`); 0 = the
 * program is no such runner, or names no tool.
 */
export function toolAt(argv: readonly (string | null)[]): number {
  const name = programName(argv[0]);
  const start = /^(?:npx|bunx|pnpx|uvx|c8|nyc)$/.test(name)
    ? 1
    : runners.some(([program, word]) => program.test(name) && word.test(argv[1] ?? ''))
      ? 2
      : 0;
  if (start === 0) return 0;
  const at = argv.findIndex((word, index) => index >= start && word !== null && !word.startsWith('-'));
  return at === -1 ? 0 : at;
}

const runners: readonly (readonly [program: RegExp, word: RegExp])[] = [
  [/^(?:npm|pnpm|yarn)$/, /^(?:exec|x|dlx)$/],
  [/^bun$/, /^x$/],
  [/^(?:uv|poetry|pipenv|hatch|pdm)$/, /^run$/],
  [/^bundle$/, /^exec$/],
  [/^coverage$/, /^run$/],
  [/^python[\d.]*$/, /^-m$/],
];

const interpreters =
  /^(?:(?:ba|z|da|k|fi|a|c|tc)?sh|pwsh|powershell|python|pypy|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|php|lua|luajit|Rscript|julia|osascript|tclsh|expect|crontab|batch)$/i;
const clients = /^(?:sqlite|psql|mysql|mariadb|mongosh|redis-cli|gdb|lldb|ed|ex|sftp|ftp|telnet|bc|dc)$/;
const named = /^(?:-[cefrEQ]|-e[vx].*|-cmd|-batch|--?(?:command|eval|execute|file|init).*)$/;

/** Programs that write the files that their input names. */
const unpackers = /^(?:g?patch|cpio|pax|uudecode)$/;

/**
 * Whether a program does what it reads from its input: an interpreter without a script, the client of a database or a
 * debugger without commands among its words, `patch`. Its words do not say what it does then.
 */
export function runsItsInput(argv: readonly (string | null)[]): boolean {
  const name = programName(argv[0]).replace(/(?<=[a-z])[\d.]+$/, '');
  const words = argv.slice(1);
  const operands = words.filter((word) => word === null || word === '-' || !word.startsWith('-'));
  if (name === 'sqlite' && operands.length > 1) return false;
  if (unpackers.test(name)) return true;
  if (name === 'redis-cli') return operands.length === 0;
  if (clients.test(name)) return !words.some((word) => word !== null && named.test(word));
  if (!interpreters.test(name) || words.some((word) => /^--(?:version|help|test)$/.test(word ?? '')))
    return false;
  const [script = '-'] = operands;
  return script === '-' || script === '/dev/stdin' || words.includes('-s');
}

/** The subcommand of a program that has some: its place among the words, 0 where there is none. */
export function subcommandAt(argv: readonly (string | null)[]): number {
  const row = table.get(tableName(argv[0]));
  if (row?.subcommands === undefined && row?.known === undefined) return 0;
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at];
    if (word == null) return 0;
    if (
      row.global !== undefined &&
      /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|exec-path|config-env))$/.test(word)
    )
      at += 1;
    else if (!/^[-+]/.test(word)) return at;
  }
  return 0;
}

/** Every word that may be the subcommand: a word behind an option may be its value. */
function subcommandsAt(argv: readonly (string | null)[], row: Row): readonly number[] {
  if (row.subcommands === undefined && row.known === undefined && row.ofSubcommand === undefined) return [];
  const found: number[] = [];
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at];
    if (word == null) break;
    if (/^[-+]/.test(word)) continue;
    found.push(at);
    if (!/^-[^=]*$/.test(argv[at - 1] ?? '')) break;
  }
  return found;
}

/** Whether a program has this subcommand of its own; true where its subcommands are not known here. */
export function hasSubcommand(program: string, word: string): boolean {
  const known = table.get(programName(program))?.known;
  return known === undefined || known.split(' ').includes(word);
}

function readRow(argv: readonly (string | null)[], offset: number, name: string): RiskyWord[] {
  const row = table.get(name);
  if (row === undefined) return [];
  const candidates = subcommandsAt(argv, row);
  const [first = 0] = candidates;
  const last = candidates.at(-1) ?? 0;
  const found: RiskyWord[] = [];
  const add = (at: number, word: string, risk: Risk, what: string, behind?: number): void => {
    const shown = `${name} ${what}: ${row.manual}`;
    found.push({
      at: at + offset,
      word,
      risk,
      row: shown,
      ...(behind !== undefined && { behind: behind + offset }),
    });
  };
  const end = argv.indexOf('--');
  for (const [at, word] of argv.entries()) {
    if (at === 0 || word === null) continue;
    if (candidates.includes(at)) {
      if (row.subcommands?.split(' ').includes(word)) add(at, word, 'runs', word);
      else if (at === first && !hasSubcommand(name, word)) add(at, word, 'runs', 'subcommands of others');
      else if (row.covered?.split(' ').includes(word) === false) add(at, word, 'runs', word);
      else if (row.words?.test(word)) add(at, word, 'runs', 'words');
      continue;
    }
    if (end !== -1 && at > end) {
      const isOpen = responseFile.test(word) || (word.startsWith('-') && row.passable?.test(word) !== true);
      if (row.passesOn === true && isOpen) add(at, word, 'runs', 'options for the script', end);
      else if (row.words?.test(word)) add(at, word, 'runs', 'words');
      continue;
    }
    if (row.harmless?.test(word)) continue;
    const risks: readonly (readonly [Risk, string | undefined])[] = [
      ['runs', last === 0 || at < last ? row.global : undefined],
      ...candidates.map(
        (place) => ['runs', at > place ? row.ofSubcommand?.[argv[place] ?? ''] : undefined] as const,
      ),
      ['runs', row.runs],
      ['writes', row.writes],
      ['elsewhere', row.elsewhere],
    ];
    const isBundle = row.bundled === true && at === 1 && /^[A-Za-z]+$/.test(word);
    const text = isBundle ? `-${word}` : word;
    const hit = risks
      .map(([risk, list]) => [risk, list?.split(' ').find((option) => isOption(text, option, row))] as const)
      .find(([, option]) => option !== undefined);
    if (hit?.[1] !== undefined) add(at, word, hit[0], hit[1]);
    else if (row.words?.test(word)) add(at, word, 'runs', 'words');
    else if (isPassedOn(row, argv, at)) add(at, word, 'runs', 'options for the script');
  }
  return found;
}

/** pnpm, yarn and bun hand on what follows a script's name, with `--` and without. */
function isPassedOn(row: Row, argv: readonly (string | null)[], at: number): boolean {
  if (row.passesOn !== true || argv[at]?.startsWith('-') !== true) return false;
  if (row.passable?.test(argv[at] ?? '')) return false;
  if (!/^(?:pnpm|yarn|yarnpkg|bun)$/.test(programName(argv[0]))) return false;
  const script = argv.findIndex((word, index) => index > 0 && word !== null && !word.startsWith('-'));
  return script !== -1 && at > script;
}

/** Whether a word gives an option of the table, alone, abbreviated, in a cluster, or with its value. */
function isOption(word: string, option: string, row: Row): boolean {
  if (word === option) return true;
  if (!word.startsWith('-') || word === '-' || word === '--') return false;
  const [name = ''] = word.split('=');
  if (row.style === 'single')
    return option.length > 2
      ? bare(name.replace(/^--?test\./, '-')) === bare(option)
      : name.replace(/^--/, '-') === option;
  if (option.startsWith('--')) {
    // `--all` is an option of its own, and the beginning of none.
    if (row.style === 'nopt')
      return bare(name).length > 1 && bare(name) !== 'all' && bare(option).startsWith(bare(name));
    if (!name.startsWith('--')) return false;
    if (row.style === 'gnu' || row.global !== undefined) return name.length > 3 && option.startsWith(name);
    return [name, name.replace(/\..*$/, ''), `--${name.replace(/^.*\./, '')}`].some(
      (one) => bare(one) === bare(option),
    );
  }
  if (word.startsWith('--') || option.length !== 2) return false;
  const letters = word.slice(1);
  const at = letters.indexOf(option.charAt(1));
  return at !== -1 && !letters.slice(0, at).includes('=') && !hasValue(letters.slice(0, at), row.values);
}

const hasValue = (letters: string, values = ''): boolean =>
  [...letters].some((letter) => values.includes(letter));

/** `--global-setup` and `--globalSetup` are the same option to most programs of JavaScript, and `_` is `-` to node. */
const bare = (option: string): string => option.replace(/[-_]/g, '').toLowerCase();
