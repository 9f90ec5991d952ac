/**
 * What programs do with their standard input: run it, or only read it. What a command writes into a pipe, a rule for
 * the program that reads it does not show.
 */
import { programName } from './programTable.ts';
import { toolAt } from './riskyOptions.ts';

type Argv = readonly (string | null)[];

const interpreters =
  /^(?:(?:ba|z|da|k|fi|a|c|tc)?sh|pwsh|powershell|python|pypy|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|php|lua|luajit|Rscript|julia|osascript|tclsh|expect|crontab|batch)$/i;
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
const runners = /^(?:at|batch|parallel|m4)$/;
const shells = /^(?:(?:ba|z|da|k|fi|a|c|tc|rba|rk|mk|lk|ok|pdk|ya|xon|pw)?sh|nu|elvish|powershell)$/;
/** Programs that read a script or their configuration from the file that `-f` or `-K` names. */
const readsScript = /^(?:g?awk|g?sed|kubectl|oc|g?make|curl)$/;
const scriptFromInput = /^(?:-[fFK]-|--(?:file|filename|config|makefile)=-)$/;
const scriptOption = /^(?:-[fFK]|--(?:file|filename|config|makefile))$/;

/**
 * True if a program executes its input: an interpreter without a script, a database client or a debugger without
 * commands among its words, `patch`, a shell that another program starts. Its words do not tell what it does.
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
  if (!interpreters.test(name) || words.some((word) => /^--(?:version|help|test)$/.test(word ?? '')))
    return false;
  const [script = '-'] = operands.slice(/^(?:deno|bun) run$/.test(`${name} ${operands[0]}`) ? 1 : 0);
  return /^(?:-|\/dev\/stdin|repl)$/.test(script ?? '') || words.includes('-s');
}

/** `sudo sh`, `docker exec -i box sh`, `ssh host`, `at now`. */
function startsShell(argv: Argv): boolean {
  const name = programName(argv[0]);
  return (
    runners.test(name) ||
    (name === 'ssh' && argv.length === 2) ||
    shells.test(programName(argv.at(-1) ?? null))
  );
}

function namesScriptInput(argv: Argv): boolean {
  if (argv.some((word) => word !== null && /\/dev\/(?:stdin|fd\/0)|\/proc\/self\/fd\/0/.test(word)))
    return true;
  return (
    readsScript.test(programName(argv[0])) &&
    argv.some(
      (word, at) =>
        word !== null &&
        (scriptFromInput.test(word) || (word === '-' && scriptOption.test(argv[at - 1] ?? ''))),
    )
  );
}

/** Filters and clients that treat their input as data, apart from `namesScriptInput`. */
const filters = new Set(
  '[ awk base32 base64 bat bzip2 cat cksum cmp column comm cp csplit curl cut diff echo egrep expand expr false fgrep file fmt fold gawk git grep gunzip gzip head hexdump jq less ls lz4 md5sum mkdir more mv nl numfmt od paste pbcopy pr printf pv rev rg sed sha1sum sha224sum sha256sum sha384sum sha512sum shuf sort split sponge strings tac tail tee test touch tr true tsort unexpand uniq uuencode wc wl-copy xclip xmllint xsel xxd xz yq zcat zstd'.split(
    ' ',
  ),
);

/** Tools that build, test or format a project, and programs that run its code. */
const projectTools =
  /^(?:npm|pnpm|yarn|cargo|go|g?make|just|mvn|gradle|rake|tsc|eslint|prettier|biome|stylelint|vitest|jest|mocha|pytest|tox|mypy|ruff|black|isort|flake8|pylint|gofmt|goimports|rustfmt|shellcheck|shfmt|clang-format)$/;

/** Subcommands of the clients of code hosts that take a text or a request body: gh(1), glab(1). */
const hostTexts = /^(?:pr|mr|issue|api|release|gist|snippet|label)$/;

/** True if a program is known to treat its input as data, so that a rule for it holds whatever is piped into it. */
export function readsInputAsData(argv: Argv): boolean {
  if (runsItsInput(argv)) return false;
  const at = toolAt(argv);
  if (at > 0) return readsInputAsData(argv.slice(at));
  const [program] = argv;
  if (program == null) return false;
  const name = programName(program).replace(/(?<=[a-z])[\d.]+$/, '');
  // Without a tool, these open a shell.
  if (projectTools.test(name)) return !/^(?:exec|x|dlx|shell|repl)$/.test(argv[1] ?? '');
  if (interpreters.test(name)) return !argv.some((word) => /^(?:-\w*i|--interactive)$/.test(word ?? ''));
  if (/^(?:gh|glab)$/.test(name)) return hostTexts.test(argv[1] ?? '');
  return filters.has(programName(program)) || clients.test(name) || isOfProject(program);
}

/** A program that is named by its path in the project. */
const isOfProject = (program: string): boolean => /^(?!\/).*\//.test(program);
