/**
 * Finds words that make a program do more than its name says: run another program, load code or configuration, write a
 * file named on the command line, or work elsewhere. A rule with a wildcard covers them only if it spells them out. If
 * the table lists all known options of a program, these are all other words; otherwise those that the table lists, and
 * for programs without a row anything that looks risky.
 */
import { readHarmless } from './harmlessOptions.ts';
import { notUnderstood, type Place } from './knownOptions.ts';
import type { ProgramRow } from './programRow.ts';
import { isForProjects, isOfSystem, programName, rowOf, scriptRow, tableName } from './programTable.ts';

/** The effect of an option; `unknown`: not known to be harmless. */
export type Risk = 'runs' | 'writes' | 'elsewhere' | 'unknown';

/** A word of a command that a rule covers only if it spells it out. */
export interface RiskyWord {
  /** Its index among the words of the command; the program is 0. */
  readonly at: number;
  readonly word: string;
  readonly risk: Risk;
  /** The row of the table, for display: `git --output: git-diff(1)`. */
  readonly row: string;
  /** Index of the `--` that passes it on; a rule that spells that out has allowed the words after it. */
  readonly delimiterAt?: number;
  /** Harmless if its value is a path of this kind. */
  readonly unless?: { readonly place: Place; readonly path: string };
}

/**
 * The words of a command that a rule covers only if it spells them out. Excludes unknown words (null), which the caller
 * has to check first.
 */
export function riskyWords(argv: readonly (string | null)[]): readonly RiskyWord[] {
  // `docker compose` has its own options and subcommands.
  if (/^(?:docker|podman|nerdctl)$/.test(tableName(argv[0])) && argv[1] === 'compose')
    return [...readWords(argv.slice(0, 2), 0), ...readWords(['docker-compose', ...argv.slice(2)], 1)];
  const at = toolAt(argv) || scriptAt(argv);
  if (at === 0) return [...readWords(argv, 0), ...foreignScript(argv), ...readHandedOn(argv)];
  const isOfPackages = /^(?:npm|pnpm|yarn|bun)$/.test(tableName(argv[0]));
  const end = isOfPackages ? argv.indexOf('--', at) : -1;
  // npm parses all options up to `--` itself, even after the tool, and some package managers drop the `--`.
  const own =
    tableName(argv[0]) === 'npm' ? argv.slice(0, end === -1 ? argv.length : end) : argv.slice(0, at);
  const dropped = end === -1 ? [] : riskyWords([argv[at] ?? null, ...argv.slice(end + 1)]);
  return [
    ...readWords(own, 0),
    ...foreignTool(argv, at),
    ...movedBy(at, riskyWords(argv.slice(at))),
    ...movedBy(end, dropped).filter((word) => word.at > end),
    ...readHandedOn(argv),
  ];
}

const movedBy = (offset: number, words: readonly RiskyWord[]): readonly RiskyWord[] =>
  words.map((word) => ({
    ...word,
    at: word.at + offset,
    ...(word.delimiterAt !== undefined && { delimiterAt: word.delimiterAt + offset }),
  }));

/** A runner of project tools that is given a program of the system, or its URL. */
function foreignTool(argv: readonly (string | null)[], at: number): readonly RiskyWord[] {
  const word = argv[at] ?? '';
  const isForeign = rowOf(tableName(argv[0]))?.wraps
    ? word.includes('/') || !isForProjects(tableName(word))
    : isOfSystem(tableName(word)) || isAddress(word);
  if (toolAt(argv) === 0 || !isForeign) return [];
  return [{ at, word, risk: 'runs', row: `${tableName(argv[0])}: programs that are not project tools` }];
}

/** pnpm and bun run a program if there is no script of that name: pnpm.io/cli/run, bun.sh/docs/cli/run. */
function foreignScript(argv: readonly (string | null)[]): readonly RiskyWord[] {
  const name = tableName(argv[0]);
  const row = rowOf(name);
  const at = row && /^(?:pnpm|bun)$/.test(name) ? scriptNameAt(row, argv) : undefined;
  const word = argv[at ?? 0] ?? '';
  if (at === undefined || !(isAddress(word) || (isOfSystem(tableName(word)) && !scriptNames.test(word))))
    return [];
  return [{ at, word, risk: 'runs', row: `${name}: programs that are not project scripts` }];
}

/** Programs whose names are common names of scripts. */
const scriptNames =
  /^(?:test|watch|start|open|time|print|trace|profile|compare|convert|split|env|host|size|install)$/;

/** Words that a shell or make would expand or execute, after a program that passes them on. */
function readHandedOn(argv: readonly (string | null)[]): readonly RiskyWord[] {
  const name = tableName(argv[0]);
  const row = rowOf(name);
  if (row?.handedOn === undefined) return [];
  // In scripts, `concurrently` and the like run a word with spaces as a command.
  const isCommand = (word: string, before: string): boolean =>
    row.passesOn === 'script' &&
    toolAt(argv) === 0 &&
    /\s/.test(word) &&
    !word.startsWith('-') &&
    !/^-./.test(before.replace(/^--$/, ''));
  return argv.flatMap((word, at): readonly RiskyWord[] =>
    at > 0 && word !== null && (row.handedOn?.test(word) || isCommand(word, argv[at - 1] ?? ''))
      ? [{ at, word, risk: 'runs', row: `${name} words that are passed on: ${row.manual}` }]
      : [],
  );
}

/** A repository by its URL, `https://host/x` or `host:x`, instead of the configured one. */
function readRemote(argv: readonly (string | null)[], offset: number, name: string): readonly RiskyWord[] {
  const row = rowOf(name);
  const sub = row?.remotes === undefined ? 0 : subcommandAt(argv);
  if (row === undefined || sub === 0 || row.remotes?.test(argv[sub] ?? '') !== true) return [];
  let isSure = false;
  return argv.flatMap((word, at): readonly RiskyWord[] => {
    if (at <= sub || word == null || /^[-+]/.test(word)) return [];
    const mayBeFirst = !isSure;
    // A word after an option may be its value.
    const before = argv[at - 1] ?? '';
    isSure ||= !/^-[^=]*$/.test(before) || plainFlags.test(before);
    const isAddress =
      /:\/\//.test(word) || (mayBeFirst && /^[^/:]+:/.test(word)) || /^[\w.-]+@[\w.-]+:/.test(word);
    return isAddress
      ? [
          {
            at: at + offset,
            word,
            risk: 'elsewhere',
            row: `${name} ${argv[sub]} to another place: ${row.manual}`,
          },
        ]
      : [];
  });
}

/** Code from a URL, instead of a package of the configured registry or of the project. */
function readFetched(argv: readonly (string | null)[], offset: number, name: string): readonly RiskyWord[] {
  const row = rowOf(name);
  if (row?.fetches === undefined) return [];
  const { by, words } = row.fetches;
  const script = scriptNameAt(row, argv) ?? Number.POSITIVE_INFINITY;
  const from = subcommandsAt(argv, row).find((at) => by.test(argv[at] ?? ''));
  if (from === undefined) return [];
  return argv.flatMap((word, at): readonly RiskyWord[] =>
    at >= from && at < script && word !== null && (isAddress(word) || words?.test(word))
      ? [{ at: at + offset, word, risk: 'runs', row: `${name} from a URL: ${row.manual}` }]
      : [],
  );
}

/** `https://host/x`, `git+ssh://…`, `me@host:x`, `github:me/x`; also as the value of an option, or after a name. */
const isAddress = (word: string): boolean =>
  /(?<=[a-z][a-z\d+.-]*):\/\//i.test(word) ||
  /^[\w.-]+@(?!npm:|workspace:|catalog:|jsr:)[\w.-]+:/.test(word) ||
  /(?:^|[=@\s])(?:github|gitlab|bitbucket|gist|git|exec|https?):/i.test(word);

/** Options without a value: git-push(1), git-pull(1), git-fetch(1). */
const plainFlags =
  /^(?:-[ufnqvd46apt]|--(?:set-upstream|force|force-with-lease|force-if-includes|tags|all|follow-tags|dry-run|quiet|verbose|delete|prune|no-verify|atomic|rebase|no-rebase|ff-only|no-ff|no-edit|autostash|no-cache|pull))$/;

/** Index of a tool that an interpreter runs from the folder of its package (`node node_modules/.bin/eslint`). */
export function scriptAt(argv: readonly (string | null)[]): number {
  if (rowOf(tableName(argv[0]))?.known?.ownWords !== 1) return 0;
  const at = argv.findIndex((word, index) => index > 0 && word !== null && !word.startsWith('-'));
  return /\/(?:node_modules|\.?venv|site-packages|bin)\//.test(`/${argv[at] ?? ''}`) ? at : 0;
}

function readWords(argv: readonly (string | null)[], offset: number): readonly RiskyWord[] {
  const name = tableName((argv[0] ?? '').replace(/\.[cm]?js$|\.py$/, ''));
  const listed = [
    ...readRow(argv, offset, name),
    ...readRemote(argv, offset, name),
    ...readFetched(argv, offset, name),
  ];
  const row = rowOf(name);
  const grammar = row?.known;
  if (row !== undefined && grammar !== undefined)
    return notUnderstood(argv, grammar).map(({ at, unless }): RiskyWord => {
      const word: RiskyWord = {
        at: at + offset,
        word: argv[at] ?? '',
        risk: 'unknown',
        row: `${name}, known options: ${row.manual}`,
      };
      return { ...(listed.find((one) => one.at === word.at) ?? word), ...(unless && { unless }) };
    });
  if (row !== undefined) return listed;
  // A script of the project is named by its path, and has its own options.
  const isScript = /^(?!\/).*\//.test(argv[0] ?? '');
  return argv.flatMap((word, at): readonly RiskyWord[] => {
    if (at === 0 || word === null || !(responseFile.test(word) || (!isScript && telling.test(word))))
      return [];
    return [{ at: at + offset, word, risk: 'runs', row: `${name}: options of programs without a table` }];
  });
}

/** A file with more arguments. */
const responseFile = /^@./;

/** Names of options that run, load or write their value, for programs without a row. */
const telling =
  /^--?(?:[\w-]*-)?(?:exec(?:ute)?|eval|command|cmd|shell|plugins?|preload|loader|require|hooks?|pager|editor|browser|preprocessor|interpreter|script|conf(?:ig)?(?:-?file)?|rc-?file|init-?file|startup-?file|out(?:put)?(?:-?(?:file|dir|path))?|log-?file|in-?place|write)(?:[=:]|$)/i;

/**
 * Index of the tool that a tool runner is given (`npx vitest`, `uv run pytest`, `python -m pytest`); 0 if the program
 * is not such a runner, or names no tool.
 */
export function toolAt(argv: readonly (string | null)[]): number {
  const name = programName(argv[0]);
  const start = /^(?:npx|bunx|pnpx|uvx|c8|nyc)$/.test(name)
    ? 1
    : runners.some(([program, word]) => program.test(name) && word.test(argv[1] ?? ''))
      ? 2
      : 0;
  if (start === 0) return 0;
  const row = rowOf(name);
  const values = row?.wraps ? readHarmless(row, argv, start, argv.length)?.values : undefined;
  const at = argv.findIndex(
    (word, index) => index >= start && word !== null && !word.startsWith('-') && !values?.has(index),
  );
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

/** The index of the subcommand of a program that has subcommands; 0 if there is none. */
export function subcommandAt(argv: readonly (string | null)[]): number {
  const row = rowOf(tableName(argv[0]));
  if (row?.subcommands === undefined && row?.allSubcommands === undefined) return 0;
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

/** Every word that may be the subcommand: a word after an option may be its value. */
function subcommandsAt(argv: readonly (string | null)[], row: ProgramRow): readonly number[] {
  if (row.subcommands === undefined && row.allSubcommands === undefined && row.ofSubcommand === undefined)
    return [];
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

/** True if a program itself has this subcommand, or its subcommands are not listed. */
export function hasSubcommand(program: string, word: string): boolean {
  const known = rowOf(programName(program))?.allSubcommands;
  return known === undefined || known.split(' ').includes(word);
}

function readRow(argv: readonly (string | null)[], offset: number, name: string): RiskyWord[] {
  const row = rowOf(name);
  if (row === undefined) return [];
  const candidates = subcommandsAt(argv, row);
  const [first = 0] = candidates;
  const last = candidates.at(-1) ?? 0;
  const found: RiskyWord[] = [];
  const add = (at: number, risk: Risk, what: string, more: Partial<RiskyWord> = {}): void => {
    found.push({
      at: at + offset,
      word: argv[at] ?? '',
      risk,
      row: `${name} ${what}: ${row.manual}`,
      ...more,
    });
  };
  // The words that are passed on to a script, by its row, or all that may be passed on.
  const addPassed = (from: number, delimiterAt?: number): void => {
    const more = delimiterAt === undefined ? {} : { delimiterAt: delimiterAt + offset };
    if (row.passesOn === 'script')
      for (const risky of readScript(argv.slice(from), from + offset))
        found.push({ ...risky, row: `${name} options for the script: ${row.manual}`, ...more });
    else
      for (const [index, word] of argv.slice(from).entries())
        if (word !== null && (responseFile.test(word) || (word.startsWith('-') && !row.passable?.test(word))))
          add(from + index, 'runs', 'options for the script', more);
  };
  const call = argv.some((word) => word === null || /\s/.test(word)) ? '' : argv.slice(1).join(' ');
  const isSpared = (word: string): boolean =>
    row.spares?.word.test(word) === true && row.spares.call.test(call);
  const end = argv.indexOf('--');
  const script = scriptNameAt(row, argv);
  const own = end === -1 ? argv.length : end;
  // The words after a script's name, or after a subcommand that a rule has to spell out, are read as its own.
  const isOwn = toolAt(argv) === 0 && row.subcommands?.split(' ').includes(argv[first] ?? '') === true;
  const reading = readHarmless(row, argv, 1, isOwn ? first : Math.min(own, script ?? own));
  let valueAt = 0;
  for (let at = 1; at < own; at += 1) {
    const word = argv[at];
    if (word == null || isSpared(word)) continue;
    if (candidates.includes(at)) {
      if (row.subcommands?.split(' ').includes(word)) add(at, 'runs', word);
      else if (at === first && !hasSubcommand(name, word)) add(at, 'runs', 'unknown subcommands');
      else if (row.covered?.split(' ').includes(word) === false) add(at, 'runs', word);
      else if (row.words?.test(word)) add(at, 'runs', 'words');
      continue;
    }
    if (row.harmless?.test(word)) continue;
    const value = takenBy(row, argv, at, candidates);
    if (value === 'harmless') {
      if (!word.includes('=')) valueAt = at + 1;
      continue;
    }
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
    const [fullName = ''] = text.split('=');
    // The full name of a known option is not an abbreviation of another one.
    const isMeant = (option: string): boolean =>
      isOption(text, option, row) &&
      !(
        reading?.known.has(at) &&
        text.startsWith('--') &&
        option.startsWith(fullName) &&
        option !== fullName
      );
    const hit = risks
      .map(([risk, list]) => [risk, list?.split(' ').find(isMeant)] as const)
      .find(([, option]) => option !== undefined);
    const unless = value && { unless: value };
    if (hit?.[1] !== undefined) add(at, hit[0], hit[1], unless);
    else if (row.words?.test(word)) add(at, 'runs', 'words', unless);
    else if (reading?.unknown.has(at) && at !== valueAt) add(at, 'unknown', 'known options', unless);
  }
  // pnpm, yarn and bun pass on the words after a script's name, with or without `--`.
  if (script !== undefined) addPassed(script + 1);
  else if (end !== -1 && row.passesOn !== undefined) addPassed(end + 1, end);
  const discards = row.wordsOf?.[argv[first] ?? ''];
  if (discards !== undefined)
    for (let at = first + 1; at < argv.length; at += 1)
      if (discards.test(argv[at] ?? '')) add(at, 'runs', `${argv[first]}, words that discard something`);
  const operand = argv.findIndex((word, at) => at > 0 && word !== null && !word.startsWith('-'));
  if (row.first?.test(argv[operand] ?? '')) add(operand, 'elsewhere', 'other folders');
  if (end !== -1 && row.words !== undefined)
    for (let at = end + 1; at < argv.length; at += 1)
      if (row.words.test(argv[at] ?? '') && !found.some((risky) => risky.at === at + offset))
        add(at, 'runs', 'words');
  return found;
}

/** Letters that are common flags: with most programs they run nothing. */
const plainLetters = /^-(?:[tugvqswbhj]|\d+|j\d+|v+)$/;

/**
 * The words that a script of the project is given. The program that reads them is unknown, so it may be any of several.
 */
function readScript(words: readonly (string | null)[], offset: number): readonly RiskyWord[] {
  const risky = readRow([scriptRow.programs, ...words], offset - 1, scriptRow.programs);
  const others = words.flatMap((word, index): readonly RiskyWord[] => {
    const at = index + offset;
    if (word === null || risky.some((one) => one.at === at)) return [];
    const isLetter = /^-[^-]/.test(word) && !plainLetters.test(word);
    const isTaken = takenBy(scriptRow, [scriptRow.programs, ...words], index + 1, []) !== undefined;
    const isTelling = (isLetter || telling.test(word)) && !isTaken;
    return isTelling || responseFile.test(word) ? [{ at, word, risk: 'runs', row: '' }] : [];
  });
  return [...risky, ...others];
}

/** Index of a script's name after which all words belong to the script. */
export function scriptNameAt(row: ProgramRow, argv: readonly (string | null)[]): number | undefined {
  const name = programName(argv[0]);
  if (row.passesOn !== 'script' || !/^(?:pnpm|yarn|yarnpkg|bun)$/.test(name)) return undefined;
  const at = argv.findIndex((word, index) => index > 0 && word !== null && !word.startsWith('-'));
  if (at === -1 || packageCommands.test(argv[at] ?? '')) return undefined;
  return /^run(?:-script)?$/.test(argv[at] ?? '') ? at + 1 : at;
}

/** Subcommands of pnpm, yarn and bun that are not scripts: pnpm.io/cli, yarnpkg.com/cli, bun.sh/docs/cli. */
const packageCommands =
  /^(?:add|i|install|ci|remove|rm|uninstall|update|up|upgrade|outdated|audit|list|ls|ll|why|info|view|prune|rebuild|dedupe|fetch|import|licenses|root|bin|version|pack|cache|config|help)$/;

/**
 * Whether a word is an option with a harmless value, or the place that has to be checked; undefined if it is neither.
 */
function takenBy(
  row: ProgramRow,
  argv: readonly (string | null)[],
  at: number,
  candidates: readonly number[],
): 'harmless' | { readonly place: Place; readonly path: string } | undefined {
  const word = argv[at] ?? '';
  if (row.takes === undefined || !word.startsWith('-')) return undefined;
  if (row.takesIn !== undefined && !candidates.some((one) => row.takesIn?.test(argv[one] ?? '')))
    return undefined;
  const [name = '', ...rest] = word.split('=');
  const entry = Object.entries(row.takes).find(([options]) =>
    options.split(' ').some((option) => isSameOption(name, option, row)),
  );
  const value = rest.length > 0 ? rest.join('=') : argv[at + 1];
  if (entry === undefined || value == null || value === '') return undefined;
  const [, fits] = entry;
  if (typeof fits !== 'string') return fits.test(value) ? 'harmless' : undefined;
  // `-` is standard input.
  return /^-./.test(value) ? undefined : { place: fits, path: value };
}

/** Requires the full name: an abbreviation may be that of another option. */
const isSameOption = (name: string, option: string, { style }: ProgramRow): boolean =>
  name === option ||
  (option.length > 2 &&
    (style === 'single'
      ? bare(name) === bare(option)
      : style !== 'gnu' && name.startsWith('--') && bare(name) === bare(option)));

/** True if a word is this option of the table: alone, abbreviated, in a cluster, or with its value. */
function isOption(word: string, option: string, row: ProgramRow): boolean {
  if (word === option) return true;
  if (!word.startsWith('-') || word === '-' || word === '--') return false;
  const [name = ''] = word.split('=');
  // In npm `--C x` means `-C x`.
  if (
    row.style === 'nopt' &&
    option.length <= 4 &&
    /^-[A-Za-z]+$/.test(option) &&
    bare(name) === bare(option)
  )
    return bare(name).length > 1 || name.slice(-1) === option.slice(-1);
  if (row.style === 'single')
    return option.length > 2
      ? bare(name.replace(/^--?test\./, '-')) === bare(option)
      : name.replace(/^--/, '-') === option;
  if (option.startsWith('--')) {
    // `--all` is a separate option, not an abbreviation.
    if (row.style === 'nopt')
      return bare(name).length > 1 && bare(name) !== 'all' && bare(option).startsWith(bare(name));
    if (!name.startsWith('--')) return false;
    if (row.style === 'gnu' || row.global !== undefined) return name.length > 2 && option.startsWith(name);
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

/**
 * Most JavaScript programs treat `--global-setup` and `--globalSetup` as the same option, and node treats `_` as `-`.
 */
const bare = (option: string): string => option.replace(/[-_]/g, '').toLowerCase();
