/**
 * Which variables a command may set. Shells evaluate some as arithmetic (`COLUMNS` in zsh, which runs `$(…)` in a
 * subscript), others change how shells parse (`LC_ALL`, `IFS`), and still others make programs load code. So only listed
 * names are understood, and only with ordinary values. Pure.
 */

/** One assignment; `value` is null if it is known only to the shell. */
export interface Assignment {
  readonly name: string;
  readonly value: string | null;
}

/**
 * A word that stays one word wherever a program pastes it. Make, just and the scripts of npm expand variables as text:
 * in `$(shell …)`, quotes or `;` a value is code; with `-` in front it is an option, and with `/` or `..` another place.
 */
const word = /^(?:\w[\w.-]*)?$/;
/** As above, separated by commas: names of parts of a program (`app:*,-app:db`, `@scope/package:*`). */
const nameList = listOf(/-?(?:@\w[\w.-]*\/)?\w[\w.-]*(?::\w[\w.-]*)*(?::?\*)?|\*/);
/** As above: levels, for a part of a program or for all of it (`warn,hyper::proto=debug`). */
const levelList = listOf(/\w[\w-]*(?:::\w+)*(?:=(?:off|error|warn|info|debug|trace))?/i);
/** Locales in which every byte below 128 is that ASCII character, as the three shells must read it. */
const language = /^(?:C|POSIX|(?:C|[a-z]{2}_[A-Z]{2})\.(?:UTF-8|utf8))$/;
/** A plain number, which every shell leaves as it is. */
const size = /^[1-9]\d{0,4}$/;

/** Nothing, or items separated by commas; the first must not look like an option. */
function listOf({ source, flags }: RegExp): RegExp {
  return new RegExp(`^(?!-)(?:(?:${source})(?:,(?:${source}))*)?$`, flags);
}

/**
 * Variables that change how a program prints or logs, not what it runs, with the values that they may have. Without
 * `LANGUAGE`: GNU gettext interprets a path in it as the folder of translations, and translations are the formats that
 * programs print with. `LANG`, `TZ` and `TERM` are parts of file names for the C library:
 * https://www.gnu.org/software/gettext/manual/gettext.html#Locating-Catalogs.
 */
const harmless: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    [
      ...['NODE_ENV', 'CI', 'FORCE_COLOR', 'NO_COLOR', 'CLICOLOR', 'CLICOLOR_FORCE', 'VERBOSE', 'LOG_LEVEL'],
      ...['RUST_BACKTRACE', 'PYTHONUNBUFFERED', 'PYTHONDONTWRITEBYTECODE', 'DO_NOT_TRACK'],
    ].map((name) => [name, word]),
  ),
  // Prints as if there were no pager.
  ...Object.fromEntries(['PAGER', 'GIT_PAGER', 'GH_PAGER', 'MANPAGER'].map((name) => [name, /^(?:cat)?$/])),
  DEBUG: nameList,
  RUST_LOG: levelList,
  PORT: /^\d{0,5}$/,
  GOOS: /^[a-z\d]*$/,
  GOARCH: /^[a-z\d]*$/,
  COLUMNS: size,
  LINES: size,
  LANG: language,
  LC_ALL: language,
  LC_COLLATE: language,
  LC_CTYPE: language,
  LC_MESSAGES: language,
  LC_MONETARY: language,
  LC_NUMERIC: language,
  LC_TIME: language,
  TERM: /^[a-z][a-z\d]*(?:-[a-z\d]+)*$/,
  TZ: /^[A-Z][\w+-]*(?:\/[A-Z][\w+-]*){0,2}$/,
};

/** True if a variable, set for a command, is known to be harmless. */
export const isHarmlessAssignment = ({ name, value }: Assignment): boolean =>
  value !== null && Object.hasOwn(harmless, name) && harmless[name]?.test(value) === true;

/** Lower-case names that a program or a shell uses or sets: in zsh `path` is the `PATH`, and `=~` sets `match`. */
const specialVariables =
  /^(?:\w*proxy|p?npm_\w+|_|(?:cd|f|mail|man|module_)?path|fignore|histchars|auto_resume|prompt\d?|psvar|argv|status|pipestatus|signals|watch|\w*aliases|(?:dis_)?(?:builtins|commands|functions|functions_source|patchars|reswords)|options|\w*dirs|dirstack|epochtime|errnos|func\w*|history\w*|job\w*|keymaps|langinfo|mapfile|match|mbegin|mend|modules|parameters|sysparams|termcap|terminfo|usergroups|widgets|z(?:curses|gdbm|le|sh)_\w+|\w+_functions)$/;

/** Names in capitals that bash, zsh or dash use or set themselves. Sources: bash(1), zshparam(1), dash(1). */
const ofShell =
  /^(?:ARGV0|BAUD|BASH\w*|BUFFER|CDPATH|COLUMNS|COMP\w*|COPROC|CORRECT_\w*|CPUTYPE|CURSOR|DIRSTACK\w*|EGID|EMACS|ENV|EPOCH\w*|ERRNO|EUID|EXECIGNORE|FCEDIT|FIGNORE|FPATH|FUNC\w*|GID|GLOB\w*|GROUPS|HIST\w*|HOME|HOST\w*|IFS|IGNOREEOF|INPUTRC|INSIDE_EMACS|KEY\w*|LANG|LANGUAGE|LC_\w*|LINENO|LINES|LISTMAX|LOGCHECK|LOGNAME|MACHTYPE|MAIL\w*|MANPATH|MAPFILE|MARK|MATCH|MBEGIN|MEND|MODULE_PATH|NULLCMD|OLDPWD|OPT\w*|OSTYPE|PATH|PIPESTATUS|POSIX\w*|POSTEDIT|PPID|PROMPT\w*|PS[0-9]|PWD|RANDOM|READ\w*|REPLY|REPORT\w*|RP\w*|SAVEHIST|SECONDS|SHELL\w*|SHLVL|SPROMPT|SRANDOM|STTY|TERM\w*|TIMEFMT|TIMEFORMAT|TMOUT|TMPDIR|TMPPREFIX|TMPSUFFIX|TRY_BLOCK_\w*|TTY\w*|TZ|UID|USER\w*|VENDOR|WATCH\w*|WIDGET\w*|WORDCHARS|ZBEEP|ZDOTDIR|ZLE_\w*|ZSH_\w*)$/;

/** True if a shell uses a variable of this name for itself. */
export const isOfShell = (name: string): boolean =>
  ofShell.test(name) || (/^[a-z_]/.test(name) && !isPlainVariable(name));

/**
 * Usual names in capitals that no shell and no program in our tables uses, and that are rarely exported: `TARGET`,
 * `URL` or `TAG` may steer an approved script.
 */
const ordinaryCapitals = /^(?:F|FILES?|D|DIRS?|N|I|PATTERN|QUERY|LINE|RESULT|COUNT)$/;

/** True if only the command itself uses a variable of this name. */
export const isPlainVariable = (name: string): boolean =>
  ordinaryCapitals.test(name) || (/^[a-z_][a-z0-9_]*$/.test(name) && !specialVariables.test(name));

const words =
  'A|B|BASE|BRANCH|BRANCHES|C|COMMIT|COMMITS|COUNT|CURRENT|DATE|DIR|DIRS|END|ERRORS|FILE|FILES|FIRST|FOLDER|HASH|ID|IDS|LAST|LATEST|LOCAL|MAIN|MERGE|MESSAGE|MODULE|MSG|NAME|NAMES|NEW|NOW|OLD|ORIGIN|OUT|OUTPUT|PACKAGE|PKG|PREV|PREVIOUS|PROJECT|REMOTE|REPO|RESULT|RESULTS|ROOT|SHA|SIZE|SOURCE|SRC|START|SUM|TAG|TAGS|TARGET|TEST|TESTS|TEXT|TODAY|TOTAL|V|VALUE|VER|VERSION|WARNINGS|X|Y';
const unread = new RegExp(`^(?:${words})(?:_(?:${words}))*\\d?$`);

/**
 * Usual names in capitals, such as `VERSION` or `LATEST_TAG`, that no shell and no read-only program uses: they are harmless
 * if nothing else runs in the command, even if the user has exported such a variable for a script.
 */
export const isUnreadVariable = (name: string): boolean => unread.test(name);
