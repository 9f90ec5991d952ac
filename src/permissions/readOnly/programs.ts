/** The read-only programs, except for those that run others. Pure. */
import { isSensitive } from '../files/sensitive.ts';
import { programName, rowOf, tableName } from '../options/programTable.ts';
import { hasOnly, type OptionList, readOptions } from '../options/readOptions.ts';
import { filledByRead, isStricter } from '../shell/grammar.ts';
import { awkUse } from './awk.ts';
import { commands } from './commands.ts';
import { gitUse } from './git.ts';
import { jqUse } from './jq.ts';
import { searchUse } from './search.ts';
import { sedUse } from './sed.ts';
import { toolUse } from './tools.ts';
import type { ReadOnlyUse } from './use.ts';

const nothing: ReadOnlyUse = { contents: [], names: [] };

/** System programs that start no others, in addition to those in the tables of options and of read-only commands. */
const plainPrograms = new Set(
  ': cd cp echo exit false true mv mkdir touch mktemp pushd popd dirs clear reset stty tput open gzip bzip2 xz zstd lz4 rmdir pbcopy pbpaste wl-copy xclip xsel numfmt tsort base32 sha224sum sha384sum sync logger wait jobs bg fg umask type'.split(
    ' ',
  ),
);

/** True if the tables describe the program; any other may start a program that its words name. */
export function hasKnownPurpose(word: string): boolean {
  const name = programName(word);
  return (
    rowOf(tableName(word)) !== undefined ||
    plainPrograms.has(name) ||
    Object.hasOwn(commands, name) ||
    /^(?:[ef]?grep|rg|ag|fd|fdfind|[gm]?awk|sed|jq|git)$/.test(name)
  );
}

/** The accesses of a program when called with exactly these words; undefined if it is not known to be read-only. */
export function programUse([name = '', ...args]: readonly string[]): ReadOnlyUse | undefined {
  // Only looks up a command; without an option it would run it.
  if (name === 'command') return /^-[vV]$/.test(args[0] ?? '') ? nothing : undefined;
  if (name === 'set') return isStricter(args) ? nothing : undefined;
  if (name === 'read') return filledByRead([name, ...args]) === undefined ? undefined : nothing;
  const version = versionUse(name, args);
  if (version !== undefined) return version;
  if (name === 'git') return gitUse(args);
  if (name === 'sed') return sedUse(args);
  if (/^[gm]?awk$/.test(name)) return awkUse(args);
  if (name === 'jq') return jqUse(args);
  if (/^(?:[ef]?grep|rg|ag|fd|fdfind)$/.test(name)) return searchUse(name, args);
  const other = systemUse(name, args);
  if (other !== undefined) return other;

  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return undefined;
  const read = readOptions(args, command);
  if (read === undefined || read.operands.length > (command.most ?? Number.POSITIVE_INFINITY))
    return undefined;
  const operands = read.operands.map((word) => word ?? '');
  if (operands.length < (command.least ?? 0)) return undefined;
  if (command.only && !operands.every((word) => command.only?.test(word))) return undefined;
  if (command.value && !read.options.every(({ value }) => command.value?.test(value ?? '') || value === ''))
    return undefined;
  const files = operands.filter((word) => word !== '-');
  // With --gitignore, tree reads an operand that is a file as a list of patterns.
  const patterns = args.includes('--gitignore') ? files.filter(isSensitive) : [];
  if (command.operands === 'names') return { contents: patterns, names: files };
  if (command.operands === 'words') return nothing;
  const form = hasOnly(args, command.plain) ? {} : { rewrites: true };
  if (command.operands === 'input') return { ...nothing, ...form };
  const shown = [...files, ...read.late];
  const kind = { ...form, ...(measures.test(name) ? { printsNoText: true } : { printsBinary: true }) };
  if (name !== 'diff') return { contents: shown, names: [], ...kind };
  // Two folders are compared file by file, following links in them.
  const trees = shown.map((path) => ({ path, hidden: true, follows: true }));
  return { contents: [], names: [], trees, ...form };
}

/** Programs that print numbers about a file. */
const measures = /^(?:wc|cksum|\w*sum)$/;

/**
 * Programs and options that only print a version. Excludes programs that run code of the project for it (`pytest`,
 * `mvn`, `yarn`) or contact a server.
 */
const versions: Readonly<Record<string, readonly string[]>> = {
  'apt-get': ['--version'],
  awk: ['--version', '-V'],
  bash: ['--version'],
  bun: ['--version'],
  clang: ['--version'],
  cmake: ['--version'],
  curl: ['--version', '-V'],
  deno: ['--version'],
  docker: ['--version', '-v'],
  fd: ['--version', '-V'],
  ffmpeg: ['-version'],
  'g++': ['--version'],
  gawk: ['--version', '-V'],
  gcc: ['--version'],
  gh: ['--version'],
  git: ['--version', 'help', 'help -a', 'help --all', 'help -g'],
  go: ['version'],
  grep: ['--version', '-V'],
  java: ['-version', '--version'],
  javac: ['-version', '--version'],
  jq: ['--version'],
  kubectl: ['version --client'],
  ld: ['--version'],
  ls: ['--version'],
  lua: ['-v'],
  make: ['--version'],
  mysql: ['--version'],
  ninja: ['--version'],
  node: ['--version', '-v'],
  npm: ['--version', '-v'],
  openssl: ['version'],
  perl: ['--version', '-v'],
  php: ['--version', '-v'],
  pip: ['--version', '-V'],
  pip3: ['--version', '-V'],
  'pkg-config': ['--version'],
  protoc: ['--version'],
  psql: ['--version', '-V'],
  python: ['--version', '-V'],
  python3: ['--version', '-V'],
  rg: ['--version', '-V'],
  ruby: ['--version', '-v'],
  sed: ['--version'],
  sqlite3: ['--version', '-version'],
  ssh: ['-V'],
  tar: ['--version'],
  tmux: ['-V'],
  tsc: ['--version', '-v'],
  uv: ['--version'],
  vim: ['--version'],
  zsh: ['--version'],
};

/** Rust tools: a file in the project may name a folder from which they are run. */
const rust: Readonly<Record<string, readonly string[]>> = {
  cargo: ['--version', '-V', 'version'],
  clippy: ['--version'],
  rustc: ['--version', '-V'],
  rustfmt: ['--version', '-V'],
};

/** Programs, besides those above, that only print how they are called, without a pager or the project's files. */
const printingHelp = new Set(
  `awk base64 bash basename bun cat clang cmake curl cut date deno df diff dirname docker du fd fdfind file find gawk gcc g++
  git grep egrep fgrep head java javac jq ld ls make node od openssl perl pip pip3 ps psql python python3 rg readlink realpath
  ruby sed seq sha256sum sort stat tail tar tr tree uniq uv wc xargs xxd zsh`.split(/\s+/),
);

function versionUse(name: string, args: readonly string[]): ReadOnlyUse | undefined {
  const asked = args.join(' ');
  if (asked === '--help' && printingHelp.has(name)) return { contents: [], names: [] };
  if (Object.hasOwn(versions, name) && versions[name]?.includes(asked)) return { contents: [], names: [] };
  if (Object.hasOwn(rust, name) && rust[name]?.includes(asked))
    return { contents: [], names: [], versionFiles: ['rust-toolchain', 'rust-toolchain.toml'] };
  return undefined;
}

// Programs that report the state of the system: processes, memory, sockets, archives, installed packages.

const noOptions: ReadOnlyUse = { contents: [], names: [] };

/** Columns of `ps`, one at a time; the environment is not among them. */
const columns =
  /^(?:(?:pid|ppid|pgid|sid|tid|lwp|nlwp|user|uid|gid|group|comm|cmd|args|command|ucmd|%cpu|%mem|pcpu|pmem|cputime|rss|rssize|vsz|vsize|size|sz|stat|state|s|start|start_time|lstart|bsdstart|time|bsdtime|etime|etimes|tty|tt|tname|ni|nice|pri|psr|wchan|class|cls|f|flags|c)(?:=[\w %]*)?)$/i;

/**
 * Excludes `e` and `E`, which show the environment. `-e` selects all processes on Linux, but shows the environment on
 * BSD, and on Linux if ps reads all options in BSD style because it cannot interpret them otherwise (`-axe`, `-eTH`):
 * ps(1), "Cluster of options". So `-e` is allowed only with options that are valid next to it.
 */
function psUse(args: readonly string[]): ReadOnlyUse | undefined {
  const dashed = args.filter((word) => /^-[A-Za-z]+$/.test(word)).join('');
  if (dashed.includes('e') && /[xTLH]/.test(dashed)) return undefined;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (/^(?:-o|-O|o|--sort|-eo|-Ao|axo|-axo|axco|--format)$/.test(word)) {
      at += 1;
      const list = (args[at] ?? '').split(',').map((name) => name.replace(/^[-+]/, ''));
      if (!list.every((name) => columns.test(name))) return undefined;
    } else if (/^(?:-p|-C|-u|-U|-t|--pid|--ppid)$/.test(word)) {
      at += 1;
      if (!/^[\w,.-]+$/.test(args[at] ?? '')) return undefined;
    } else if (/^--sort=[-+]?[\w%,+-]+$/.test(word) || /^--(?:forest|no-headers|headers|version)$/.test(word))
      continue;
    else if (!/^(?:-[AadefFHjLlwxyT]+|[aflruwxjTLhH]+|\d+(?:,\d+)*)$/.test(word)) return undefined;
  }
  return noOptions;
}

/** Commands that are read-only if their words, joined to one line, match the pattern. */
const lines: Readonly<Record<string, RegExp>> = {
  docker:
    /^(?:ps|images|container ls|image ls|volume ls|network ls|version|context ls)(?: (?:-a|-q|-aq|-s|-l|--all|--quiet|--no-trunc|--digests))*$/,
  free: /^(?:-(?:[bkmghltwv]+|-human|-mega|-giga|-si|-total|-wide)(?: |$))*$/,
  // A builtin of bash. A page is named by its topic or a pattern.
  help: /^[\w:.[]+$/,
  getconf: /^(?:_NPROCESSORS_ONLN|PAGE_SIZE|PAGESIZE|LONG_BIT|ARG_MAX|PATH)$/,
  ifconfig: /^(?:-a)?$/,
  ip: /^(?:-(?:br|brief|4|6|c|s|o|j|p|color)(?: |$))*(?:(?:a|addr|address|l|link|r|route|n|neigh)(?: (?:show|list|ls)(?: (?:dev )?[\w.-]+)?)?)$/,
  locale: /^(?:-a)?$/,
  lsblk: /^(?:-[abdfilmnpSt]+(?: |$))*$/,
  lscpu: /^(?:-[abcejpx]+)?$/,
  lsof: /^(?:-[nPt]+ )*(?:-[nPt]*i(?: ?(?:(?:tcp|udp|TCP|UDP)?:?[\d,-]*|tcp|udp))?)(?: -[nPt]+)*(?: -sTCP:LISTEN)?$/,
  netstat: /^-[aeilnoprstuvw]+(?: -[aelnoprstuvw]+)*$/,
  pgrep: /^(?:-[aflnoxuc]+ )*(?!-)[\w./-]+$/,
  pidof: /^[\w.-]+$/,
  stty: /^(?:size|-a)$/,
  tput: /^(?:cols|lines|colors)$/,
  ss: /^(?:-[tulnpaemorsxiH460]+(?: |$))*$/,
  vmstat: /^(?:-[asdSwtn]+(?: |$))*(?:\d+ \d+)?$/,
  w: /^(?:-[hsfoi]+)?$/,
  whereis: /^(?:-[bms]+ )?(?!-)[\w.+-]+(?: (?!-)[\w.+-]+)*$/,
  who: /^(?:-[abdHlmqrstTu]+)?$/,
  lsmod: /^$/,
  // `jobs -x` runs a command; with a number, `ulimit` and `umask` set what they otherwise print.
  jobs: /^(?:-[lp]+)?$/,
  top: /^-(?:b ?n ?|b -n ?)1$/,
  ulimit: /^(?:-[SH]?a)?$/,
  umask: /^(?:-S)?$/,
  cal: /^(?:-?\w+(?: |$))*$/,
};

/**
 * `tar tf`: the letters may be written with or without a dash. A colon in the name of an archive means another machine,
 * so the name must be known.
 */
function tarUse(args: readonly string[]): ReadOnlyUse | undefined {
  const [letters = '', file, ...rest] = args;
  const isList = /^-?(?=[tvzjJ]*t)[tvzjJ]+f$/.test(letters) || letters === '--list';
  if (!isList || file === undefined || !/^[\w./~][\w./@%+, ~-]*$/.test(file)) return undefined;
  return rest.every((word) => /^[\w./][\w./ -]*$/.test(word)) ? { contents: [file], names: [] } : undefined;
}

function archiveUse(name: string, args: readonly string[]): ReadOnlyUse | undefined {
  // These programs still parse options, and look for the archive, after a `--`.
  if (args.includes('--')) return undefined;
  const read = readOptions(args, { flags: name === 'unzip' ? 'lvqZ1' : '1lmsvhtzT' });
  if (read === undefined) return undefined;
  const lists = name === 'zipinfo' || read.options.some((option) => /^-[lvZ]$/.test(option.name));
  const [file] = read.operands;
  // Without such a file, it looks for one with the ending. Source: unzip(1).
  return lists && file != null ? { contents: [file, `${file}.zip`, `${file}.ZIP`], names: [] } : undefined;
}

/**
 * Calls that print, list or test a file packed by gzip. Without `-c` they would replace it; with `-f`, or for a name without the ending,
 * another file may be opened: gzip(1). What other programs unpack cannot be searched for secrets here.
 */
const printsUnpacked = /^(?:g?zcat|gunzip -c|gzip -(?:dc|cd|v?[lt]v?))$/;

function unpackedUse(name: string, args: readonly string[]): ReadOnlyUse | undefined {
  const files = args.filter((word) => !word.startsWith('-'));
  const call = [name, ...args.filter((word) => word.startsWith('-'))].join(' ');
  const isKnown =
    printsUnpacked.test(call) && files.length > 0 && files.every((word) => /\.t?gz$/.test(word));
  return isKnown ? { contents: files, names: [] } : undefined;
}

/** Without options that print parts of lines. */
const packedSearch: OptionList = { flags: 'EFHchilnqsvwx', values: 'ABCem', numbers: true };

/** `zgrep`, a script that older versions of gzip let the name of a file change: so every name must be known and plain. */
function packedSearchUse(args: readonly string[]): ReadOnlyUse | undefined {
  const read = readOptions(args, packedSearch);
  const pattern = read?.options.some((option) => option.name === '-e') ? 0 : 1;
  const files = read?.operands.slice(pattern).map((word) => word ?? '') ?? [];
  const isKnown = files.length > 0 && files.every((word) => /^[\w./][\w./@ -]*\.t?gz$/.test(word));
  return isKnown ? { contents: files, names: [] } : undefined;
}

/** `bash -n script` parses a script without running it. Its errors quote lines. */
function syntaxUse([option, ...files]: readonly string[]): ReadOnlyUse | undefined {
  const [file] = files;
  const isKnown = option === '-n' && files.length === 1 && file !== undefined && /^[^-+]/.test(file);
  return isKnown ? { contents: [file], names: [], rewrites: true } : undefined;
}

/** undefined for another program, or other options. */
function systemUse(name: string, args: readonly string[]): ReadOnlyUse | undefined {
  if (name === 'ps') return psUse(args);
  if (name === 'tar') return tarUse(args);
  if (name === 'unzip' || name === 'zipinfo') return archiveUse(name, args);
  if (/^(?:ba|da)?sh$/.test(name)) return syntaxUse(args);
  const other = /^z[ef]?grep$/.test(name)
    ? packedSearchUse(args)
    : (unpackedUse(name, args) ?? toolUse(name, args));
  if (other !== undefined) return other;
  return Object.hasOwn(lines, name) && lines[name]?.test(args.join(' ')) === true ? noOptions : undefined;
}
