/**
 * What programs do with their standard input: run it, or only read it. A rule for a
 * program says nothing about what is piped into it.
 */
import { programName } from './programTable.ts';
import { subcommandAt, toolAt } from './riskyOptions.ts';
import { isInterpreter, isScheduler, isShellName } from './runnerNames.ts';

type Argv = readonly (string | null)[];

const runsCode = (name: string): boolean => isShellName(name) || isInterpreter(name) || name === 'crontab';
const clients = /^(?:sqlite|psql|mysql|mariadb|mongosh|redis-cli|gdb|lldb|ed|ex|sftp|ftp|telnet|bc|dc)$/;
const named = /^(?:-[cefrEQ]|-e[vx].*|-cmd|-batch|--?(?:command|eval|execute|file|init).*)$/;
/** The options with which these read no input, alone or after flags: psql(1), mysql(1). */
const commanded: Readonly<Record<string, RegExp>> = {
  psql: /^(?:-[AnqtwWxXE1abS]*[cflV]|--(?:command|file)(?:=|$)|--(?:list|version)$)/,
  mysql: /^(?:-[ABNEHtsvwXCr]*[eV]|--execute(?:=|$)|--version$)/,
};

/** Programs that write the files that their input names. */
const unpackers = /^(?:g?patch|cpio|pax|uudecode)$/;
/** Programs that run commands from their input, whatever their words: at(1), parallel(1), m4(1). */
const readers = /^(?:parallel|m4)$/;
/** Programs that read a script, or what to do, from the file that an option names. */
const readsScript = /^(?:g?awk|g?sed|jq|yq|kubectl|oc|g?make|just|rake|curl)$/;

/**
 * True if a program executes its input: an interpreter without a script, a database client or a debugger without
 * commands among its words, `patch`, a shell that another program starts. Its words do not show what it does.
 */
export function runsItsInput(argv: Argv): boolean {
  const name = programName(argv[0]).replace(/(?<=[a-z])[\d.]+$/, '');
  const words = argv.slice(1);
  if (startsShell(argv) || namesScriptInput(argv)) return true;
  const operands = words.filter((word) => word === null || word === '-' || !word.startsWith('-'));
  if (name === 'sqlite' && operands.length > 1) return false;
  if (unpackers.test(name)) return true;
  if (name === 'redis-cli') return operands.length === 0;
  const own = commanded[name === 'mariadb' ? 'mysql' : name] ?? named;
  if (clients.test(name)) return !words.some((word) => word !== null && own.test(word));
  if (!runsCode(name) || words.some((word) => /^--(?:version|help|test)$/.test(word ?? ''))) return false;
  const [script = '-'] = operands.slice(/^(?:deno|bun) run$/.test(`${name} ${operands[0]}`) ? 1 : 0);
  return /^(?:-|\/dev\/stdin|repl)$/.test(script ?? '') || words.includes('-s');
}

/** Those with a script that starts no programs. */
const startsNothing = /^(?:jq|yq|kubectl|oc|curl)$/;

/** Those that start other programs when their input says so: not databases or `patch`. */
export function startsFromInput(argv: Argv): boolean {
  const name = programName(argv[0]).replace(/(?<=[a-z])[\d.]+$/, '');
  const isOther = unpackers.test(name) || /^(?:sqlite|psql|mysql|mariadb|mongosh|redis-cli|bc)$/.test(name);
  return !isOther && (startsShell(argv) || (!startsNothing.test(name) && runsItsInput(argv)));
}

/** `sudo sh`, `docker exec -i box sh`, `ssh host`, `at now`. */
function startsShell(argv: Argv): boolean {
  const name = programName(argv[0]);
  return (
    isScheduler(name) ||
    readers.test(name) ||
    (name === 'ssh' && argv.length === 2) ||
    isShellName(programName(argv.at(-1) ?? null))
  );
}

/** `sed -nf-`, `make --makefile=-`, `kubectl apply -f -`. Errs on the side of true. */
function namesScriptInput(argv: Argv): boolean {
  if (argv.some((word) => word !== null && /\/dev\/(?:stdin|fd\/0)|\/proc\/self\/fd\/0/.test(word)))
    return true;
  return (
    readsScript.test(programName(argv[0])) &&
    argv.some(
      (word, at) =>
        word !== null &&
        (/^-[A-Za-z]+-$|^--[\w-]+=-$/.test(word) || (word === '-' && argv[at - 1]?.startsWith('-'))),
    )
  );
}

/**
 * True if a program is known to treat its input as data, so that a rule for it holds whatever is piped into it. A call
 * that is not fully understood may run it.
 */
export function readsInputAsData(argv: Argv): boolean {
  if (runsItsInput(argv) || argv.some((word) => word !== null && isInteractive.test(word))) return false;
  const at = toolAt(argv);
  if (at > 0) return readsInputAsData(argv.slice(at));
  const [program, first] = argv;
  if (program == null) return false;
  const name = programName(program).replace(/(?<=[a-z])[\d.]+$/, '');
  if (runsCode(name)) return namesScript(name, argv.slice(1));
  if (clients.test(name)) return namesQuery(name, argv.slice(1));
  if (name === 'git') return gitTexts.test(argv[subcommandAt(argv)] ?? '') && !argv.some(namesObjects);
  if (/^(?:gh|glab)$/.test(name)) return hostTexts.test(first ?? '');
  if (packageManagers.test(name)) return runsScript(argv);
  if (buildTools.test(name)) return buildTasks.test(first ?? '');
  if (argv.some(namesFiles)) return false;
  return filters.has(programName(program)) || projectTools.test(name) || isOfProject(program);
}

/** Words with which programs of every kind read commands: `manage.py shell`, `rails console`, `node inspect`. */
const isInteractive =
  /^(?:-i|--interactive|--pdb|--debug|shell(?:_plus)?|console|c|repl|tinker|dbshell|inspect|debug)$/;

/** The input names objects or files of a repository; options may be abbreviated: git-log(1), git-add(1). */
const namesObjects = (word: string | null): boolean => /^--(?:std|bat|pathspec-f)/.test(word ?? '');

/** An option says that the input is a list of files, or what to do: `sort --files0-from=-`. Errs on the side of true. */
const namesFiles = (word: string | null, at: number, argv: Argv): boolean =>
  /^--files|^--[\w-]+=-$/.test(word ?? '') || (word === '-' && /^--/.test(argv[at - 1] ?? ''));

/**
 * Before the script's name: flags without a value, by name of the interpreter. An option that takes a value would make
 * that look like the script.
 */
const flags: readonly (readonly [name: RegExp, flag: RegExp])[] = [
  [/^(?:python|pypy)$/, /^-[bBdEIOPqRsSuv]+$/],
  [
    /^node(?:js)?$/,
    /^--(?:enable-source-maps|no-warnings|no-deprecation|experimental-strip-types|test|[\w-]+=.*)$/s,
  ],
  [/^deno$/, /^(?:-A|--(?:allow|no)-[\w-]+(?:=.*)?)$/s],
  [/^(?:perl|ruby)$/, /^-w$/],
  [/sh$/, /^-[eux]+$/],
];

/** Options whose value is the code to run, by name of the interpreter. */
const codeOptions: readonly (readonly [name: RegExp, option: RegExp])[] = [
  [/^(?:python|pypy)$/, /^-c$/],
  [/^node(?:js)?$/, /^(?:-[ep]|--eval|--print)$/],
  [/^perl$/, /^-[lanpw]*[eE]$/],
  [/^(?:ruby|Rscript|lua|julia|osascript)$/, /^-e$/],
  [/^php$/, /^-r$/],
  [/sh$/, /^-[eulx]*c$/],
];

/** True if an interpreter is given a script, or code among its words. */
function namesScript(name: string, words: Argv): boolean {
  const [first, ...rest] = words;
  const isRun = (name === 'deno' || name === 'bun') && first === 'run';
  const own = isRun ? rest : words;
  const flag = flags.find(([some]) => some.test(name))?.[1];
  const at = own.findIndex((word) => word === null || flag?.test(word) !== true);
  const word = own[at];
  if (word == null || own[at + 1] === null) return false;
  const isCode = codeOptions.some(([some, option]) => some.test(name) && option.test(word));
  return isCode ? own[at + 1] !== undefined : /^[^-].*[./]|^\.*\//.test(word);
}

/** True if a client is given its commands among its words, and so reads none. */
function namesQuery(name: string, words: Argv): boolean {
  const own = commanded[name === 'mariadb' ? 'mysql' : name];
  if (own !== undefined) return words.some((word) => word !== null && own.test(word));
  if (name === 'redis-cli') return /^[A-Za-z]/.test(words[0] ?? '');
  if (name !== 'sqlite') return false;
  const at = words.findIndex((word) => word === null || !sqliteFlags.test(word));
  return [words[at], words[at + 1]].every((word) => word != null && !word.startsWith('-'));
}

const sqliteFlags =
  /^-{1,2}(?:bail|batch|box|column|csv|header|html|json|line|list|markdown|readonly|safe|table)$/;

/** Subcommands of git that take a text or nothing from their input, apart from `namesObjects`. */
const gitTexts =
  /^(?:add|blame|branch|checkout|cherry-pick|clone|column|commit|diff|fetch|grep|interpret-trailers|log|ls-files|merge|mv|notes|pull|push|rebase|restore|rev-parse|rm|show|stash|status|stripspace|switch|tag)$/;

/** Subcommands of the clients of code hosts that take a text or a request body: gh(1), glab(1). */
const hostTexts = /^(?:pr|mr|issue|api|release|gist|snippet|label)$/;

const packageManagers = /^(?:npm|pnpm|yarn|bun)$/;
const packageTasks =
  /^(?:test|t|start|build|lint|ci|install|i|add|ls|list|outdated|audit|pack|publish|view)$/;

/** A task of a package manager, or a script by its name. With some of them, `run` also starts installed programs. */
function runsScript([, task, script, ...rest]: Argv): boolean {
  if (task == null) return false;
  if (!/^run(?:-script)?$/.test(task)) return packageTasks.test(task);
  if (script == null || script.startsWith('-')) return false;
  const isProgram = runsCode(script) || clients.test(script) || /^(?:vite-node|ipython)$/.test(script);
  return !isProgram || readsInputAsData([script, ...rest]);
}

const buildTools = /^(?:cargo|go)$/;
const buildTasks = /^(?:build|b|check|test|t|bench|clippy|doc|d|fmt|list|run|r|vet)$/;

/** Filters and clients that treat their input as data, apart from `namesScriptInput` and `namesFiles`. */
const filters = new Set(
  '[ awk base32 base64 bat bzip2 cat cksum cmp column comm cp csplit curl cut diff echo egrep expand expr false fgrep file fmt fold gawk grep gunzip gzip head hexdump jq less ls lz4 md5sum mkdir more mv nl numfmt od paste pbcopy pr printf pv rev rg sed sha1sum sha224sum sha256sum sha384sum sha512sum shuf sort split sponge strings tac tail tee test touch tr true tsort unexpand uniq uuencode wc wl-copy xclip xsel xxd xz yq zcat zstd'.split(
    ' ',
  ),
);

/** Tools that build, test or format a project. */
const projectTools =
  /^(?:g?make|just|mvn|gradle|rake|tsc|eslint|prettier|biome|stylelint|vitest|jest|mocha|pytest|tox|mypy|ruff|black|isort|flake8|pylint|gofmt|goimports|rustfmt|shellcheck|shfmt|clang-format)$/;

/** A program that is named by its path in the project, and is not an installed one. */
const isOfProject = (program: string): boolean =>
  /^(?!\/).*\//.test(program) &&
  !/(?:^|\/)(?:\.?bin|vendor|node_modules|\.?venv|site-packages)\//.test(program);
