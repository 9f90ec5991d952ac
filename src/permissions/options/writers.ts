/**
 * Programs that write the files they are pointed at, with what makes them write: editors for scripts, formatters,
 * linters that fix. Excludes archives, downloads and version control, which `unnamedWrites.ts` covers.
 */
import { programName } from './programTable.ts';

interface Writer {
  /** Names as `programName` returns them. */
  readonly programs: string;
  /** The subcommand with which it writes. */
  readonly subcommand?: RegExp;
  /** An option without which it writes nothing. */
  readonly option?: RegExp;
  /** An option with which it writes nothing. */
  readonly unless?: RegExp;
  /** The files that it writes in a folder; absent = any. */
  readonly files?: RegExp;
  /** It writes only files that its words name, and nothing in a folder. */
  readonly namesFiles?: true;
  /** Its words are patterns: it writes files of the current folder. */
  readonly searches?: true;
}

const go = /\.go$/;
const python = /\.(?:pyi?|ipynb)$/;
const ruby = /\.(?:rb|rake|ru|gemspec)$|file$/i;
const shell = /\.\w*sh$|^[^.]*$/;
const code = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|html?)$/;

const writers: readonly Writer[] = [
  { programs: 'tee truncate touch sponge shred unlink rm split csplit', namesFiles: true },
  { programs: 'cp mv ln install rsync scp ditto' },
  { programs: 'dd', option: /^of=(?!\/dev\/null$)/, namesFiles: true },
  { programs: 'curl', option: /^(?:-[a-zA-Z#]*[oOJ]|--(?:output|remote-name))/, namesFiles: true },
  {
    programs: 'wget',
    unless: /^(?:-|-[a-zA-Z]*O-|--spider|--output-document=-|\/dev\/null)$/,
    namesFiles: true,
  },
  { programs: 'sed gsed', option: /^(?:-[nErsuz]*i|--in-place)/, namesFiles: true },
  { programs: 'perl ruby', option: /^-[pnlaw0-9]*i/, namesFiles: true },
  { programs: 'awk gawk', option: /^(?:inplace|-iinplace|--include=inplace)$/, namesFiles: true },
  { programs: 'sort', option: /^(?:-[a-zA-Z]*o|--output)/, namesFiles: true },
  { programs: 'yq', option: /^(?:-[a-zA-Z]*i|--inplace|--in-place)$/, namesFiles: true },
  { programs: 'sd dos2unix unix2dos mac2unix', unless: /^(?:-p|--preview)$/, namesFiles: true },
  { programs: 'ed ex red', namesFiles: true },
  { programs: 'patch gpatch', unless: /^--dry-run$/ },

  { programs: 'prettier prettierd pretty-quick', option: /^(?:-w|--write|--staged)$/ },
  {
    programs: 'eslint oxlint tslint standard xo ts-standard semistandard neostandard',
    option: /^--fix(?!-dry)/,
    files: code,
  },
  { programs: 'stylelint markdownlint markdownlint-cli2 textlint', option: /^(?:--fix|-f)$/ },
  { programs: 'biome rome', option: /^--(?:write|fix|apply)/ },
  { programs: 'dprint treefmt', unless: /^(?:check|--ci|--fail-on-change)$/ },
  { programs: 'deno', subcommand: /^fmt$/, unless: /^--check$/ },
  { programs: 'deno', subcommand: /^lint$/, option: /^--fix$/, files: code },
  { programs: 'nx', subcommand: /^format(?::write)?$/ },
  { programs: 'lint-staged' },
  { programs: 'pre-commit prek', subcommand: /^run$/ },
  { programs: 'jscodeshift', unless: /^(?:-d|--dry)$/, files: code },

  { programs: 'ruff', subcommand: /^format$/, unless: /^--(?:check|diff)$/, files: python },
  {
    programs: 'ruff',
    subcommand: /^check$/,
    option: /^--(?:fix|fix-only|add-noqa)$/,
    unless: /^--diff$/,
    files: python,
  },
  { programs: 'black pyink', unless: /^(?:--check|--diff|-c|--code)$/, files: python },
  { programs: 'isort', unless: /^(?:-c|--check|--check-only|--diff|-d|--stdout)$/, files: python },
  { programs: 'autopep8 yapf autoflake docformatter', option: /^(?:-[a-z]*i|--in-place)$/, files: python },
  { programs: 'pyupgrade', files: python },
  { programs: '2to3', option: /^(?:-w|--write)$/, files: python },

  { programs: 'gofmt gofumpt goimports golines gci', option: /^-{1,2}w(?:rite)?$/, files: go },
  { programs: 'go', subcommand: /^(?:fmt|fix|generate)$/, files: go },
  { programs: 'golangci-lint', option: /^--fix$/, files: go },
  { programs: 'rustfmt', unless: /^--(?:check|emit=stdout)$/, files: /\.rs$/ },
  { programs: 'cargo', subcommand: /^fmt$/, unless: /^--check$/, files: /\.rs$/ },
  { programs: 'cargo', subcommand: /^(?:fix|clippy)$/, option: /^(?:fix|--fix)$/, files: /\.rs$/ },
  { programs: 'rubocop standardrb', option: /^(?:-[aAx]$|--auto-?correct|--fix)/, files: ruby },
  {
    programs: 'php-cs-fixer rector',
    subcommand: /^(?:fix|process)$/,
    unless: /^(?:-n|--dry-run)$/,
    files: /\.php$/,
  },
  { programs: 'phpcbf pint', unless: /^--test$/, files: /\.php$/ },
  { programs: 'clang-format', option: /^-{1,2}i$/ },
  { programs: 'shfmt', option: /^(?:-[a-z]*w|--write)$/, files: shell },
  { programs: 'swiftformat', unless: /^--(?:lint|dryrun)$/, files: /\.swift$/ },
  { programs: 'swiftlint', option: /^--(?:fix|autocorrect)$/, files: /\.swift$/ },
  { programs: 'ktlint', option: /^(?:-F|--format)$/, files: /\.kts?$/ },
  { programs: 'ktfmt', unless: /^(?:-n|--dry-run)$/, files: /\.kts?$/ },
  { programs: 'google-java-format', option: /^(?:-i|-r|--replace)$/, files: /\.java$/ },
  { programs: 'scalafmt', unless: /^--(?:check|test|list)$/, files: /\.(?:scala|sbt|sc)$/ },
  {
    programs: 'dart',
    subcommand: /^(?:format|fix)$/,
    unless: /^(?:--output=none|--dry-run|-n)$/,
    files: /\.dart$/,
  },
  { programs: 'dotnet', subcommand: /^format$/, unless: /^--verify-no-changes$/ },
  {
    programs: 'mix',
    subcommand: /^format$/,
    unless: /^--(?:check-formatted|dry-run)$/,
    files: /\.(?:exs?|heex|leex)$/,
  },
  { programs: 'zig', subcommand: /^fmt$/, unless: /^--check$/, files: /\.zig$/ },
  { programs: 'elm-format', unless: /^--validate$/, files: /\.elm$/ },
  { programs: 'stylua', unless: /^--check$/, files: /\.luau?$/ },
  { programs: 'terraform tofu', subcommand: /^fmt$/, unless: /^--?check$/, files: /\.tf(?:vars)?$/ },
  { programs: 'nixfmt nixpkgs-fmt alejandra', unless: /^(?:-c|--check)$/, files: /\.nix$/ },
  { programs: 'buf', subcommand: /^format$/, option: /^(?:-w|--write)$/, files: /\.proto$/ },
  { programs: 'sqlfluff', subcommand: /^(?:fix|format)$/, files: /\.sql$/ },
  { programs: 'taplo', subcommand: /^(?:fmt|format)$/, unless: /^--check$/, files: /\.toml$/ },

  { programs: 'codespell typos', option: /^(?:-[a-z]*w|--write-changes)$/ },
  { programs: 'comby', option: /^-(?:i|in-place)$/, searches: true },
  { programs: 'sad', searches: true },
  { programs: 'ast-grep sg', option: /^(?:-U|--update-all)$/ },
  { programs: 'fastmod codemod' },
];

const byProgram = new Map<string, readonly Writer[]>();
for (const writer of writers)
  for (const name of writer.programs.split(' '))
    byProgram.set(name, [...(byProgram.get(name) ?? []), writer]);

/** How a call writes the files it is pointed at; undefined if it is not known to. */
export function writerOf(argv: readonly (string | null)[]): Writer | undefined {
  const words = argv.slice(1).filter((word) => word !== null);
  // `-o /dev/null` writes nothing.
  const given = words.filter(
    (word, at) => word !== '/dev/null' && !(word.startsWith('-') && words[at + 1] === '/dev/null'),
  );
  const [subcommand] = given.filter((word) => !word.startsWith('-'));
  return byProgram
    .get(programName(argv[0]))
    ?.find(
      (writer) =>
        (writer.subcommand === undefined || writer.subcommand.test(subcommand ?? '')) &&
        (writer.option === undefined || given.some((word) => writer.option?.test(word))) &&
        !words.some((word) => writer.unless?.test(word)) &&
        (writer.namesFiles === undefined || subcommand !== undefined || argv.includes(null)),
    );
}
