/**
 * The options that a rule with an open end covers, for programs of which all of them are written down here. Data only;
 * `knownOptions.ts` reads it. Left out are those that run a program, load code or configuration, write a file, read a
 * list of files, or follow links; `riskyOptionRows.ts` says of most of them which they are.
 */

import { awkOnlyPrints, awkVariable } from '../readOnly/awk.ts';
import { commands, type ReadOnlyCommand } from '../readOnly/commands.ts';
import { jqSeesInput } from '../readOnly/jq.ts';
import { searchOptions } from '../readOnly/search.ts';
import { onlyPrints as sedOnlyPrints } from '../readOnly/sedScript.ts';
import type { Grammar } from './knownOptions.ts';
import type { OptionList } from './readOptions.ts';

const long = (names: string): readonly string[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `--${name}`);

/** The options with which a command only looks, and more that do no harm where a rule names the program. */
function looking(name: string, more: OptionList = {}): Omit<Grammar, 'programs' | 'manual'> {
  const { only, ...own }: Partial<ReadOnlyCommand> = commands[name] ?? {};
  return {
    ...own,
    ...(only && { operand: only }),
    flags: (own.flags ?? '') + (more.flags ?? ''),
    values: (own.values ?? '') + (more.values ?? ''),
    long: [...(own.long ?? []), ...(more.long ?? [])],
    longValues: [...(own.longValues ?? []), ...(more.longValues ?? [])],
  };
}

/**
 * A variable for a Makefile that says how much or which, by its name or its value. Others may be programs (`CC`, `SHELL`)
 * or options of programs (`CFLAGS`): gnu.org/software/make/manual, "Implicit Variables".
 */
const makeVariable =
  /^(?!SHELL|MAKE|PATH|LD_)(?:(?:V|VERBOSE|Q|DEBUG|CI|ENV|TESTS?|T|FILTER|PLATFORM|ARCH|OS|GOOS|GOARCH|MODE|BUILD_TYPE|PROFILE|VERSION|TAG|JOBS|N|COUNT|SEED|PREFIX|DESTDIR)=[\w.,:@%+/][\w.,:@%+/-]*|[A-Z][A-Z0-9_]*=(?:v?\d[\w.-]*|y|yes|n|no|on|off|true|false|debug|release)?)$/;

const address =
  /^(?:https?:\/\/)?(?:[\w.~%-]+(?::[^@/]*)?@)?(?:[\w.-]+|\[[\da-f:]+\])(?::\d+)?(?:[/?#].*)?$/i;
const cookies = { '-b': /^[^=@/]+=/, '--cookie': /^[^=@/]+=/ };
/** A field of a form that is sent as it stands: `@` and `<` are files, and more may follow a semicolon. */
const field = /^[\w.[\]-]+=(?![@<])[^;]*$/;
const fields = { '-F': field, '--form': field };
const machine = /^(?:ssh:\/\/)?(?:[\w.-]+@)?[\w.:[\]-]+$/;
const plainFile = /^[\w./ @%-]+$/;
const nothing = /(?!)/;
const printed = /^(?:-|\/dev\/null)$/;
const scriptFile = /^[^@-]/;

/** Functions of yq that see their input and nothing else: mikefarah.gitbook.io/yq/operators. */
const yqFunctions = new Set(
  'select map map_values keys length sort sort_by sort_keys has to_entries from_entries with_entries with del delpaths unique unique_by group_by join split test match capture sub contains any all any_c all_c first flatten reverse not and or true false null if then else elif end reduce as ref each tag type kind style anchor alias explode path paths getpath setpath pick omit pivot min max add to_string to_number tojson fromjson to_json from_json to_yaml from_yaml to_props to_csv to_tsv to_xml upcase downcase ascii_upcase ascii_downcase trim ltrimstr rtrimstr startswith endswith inside empty recurse values arrays objects strings numbers range limit documentIndex document_index di file_index fi line column comments line_comment head_comment foot_comment shuffle array_to_map parent parents root key now with_dtf format_datetime from_unix to_unix tz d s r y json yaml props csv tsv base64 base64d uri urid sh error'.split(
    ' ',
  ),
);

const yqSeesInput = (filter: string): boolean => {
  const bare = filter.replace(/"(?:[^"\\(]|\\[^(])*"/g, '""').replace(/[.$][A-Za-z_][\w-]*/g, '');
  return (
    !bare.includes('\\(') && [...bare.matchAll(/[A-Za-z_]\w*/g)].every(([name]) => yqFunctions.has(name))
  );
};

/** Dot commands that show what is there: sqlite.org/cli.html. Their names may be abbreviated, so these are whole words. */
const dotCommands =
  /^\.(?:tables?|schema|indexes|indices|databases|fullschema|headers? (?:on|off)|mode \w+|nullvalue \S*|separator \S+|show|stats|timer (?:on|off)|width [\d ]+|dump|changes (?:on|off)|eqp (?:on|off)|help|quit|exit)(?: [\w%]+)*$/;
/** Functions and statements that open other files or load code: sqlite.org/cli.html, sqlite.org/lang.html. */
const reachingSql =
  /\b(?:attach|vacuum|load_extension|writefile|readfile|edit|fts3_tokenizer|fsdir|zipfile|sqlar_\w+|temp_store_directory|data_store_directory|csv|virtual)\b/i;

/**
 * Statements that stay in the database: none that run programs, load code or open files on the server's machine.
 * Sources: postgresql.org/docs/current/sql-commands.html, functions-admin.html; dev.mysql.com/doc/refman, "SQL Statements".
 */
const plainSql =
  /^\s*(?:select|with|values|table|show|explain|desc|describe|insert|update|delete|analyze|begin|commit|rollback|(?:create|drop|alter) (?:table|index|view|schema)|truncate)\s+\S|^\s*(?:begin|commit|rollback)\s*$/i;
const reachingSqlServer =
  /\b(?:pg_(?:read|ls|stat_file|logdir|write|file|reload|terminate|cancel|rotate|switch|promote|current_logfile|hba|ident)\w*|lo_\w+|dblink\w*|\w*_to_xml\w*|copy|program|load|load_file|outfile|dumpfile|system|language|extension|server|wrapper|sys_exec|sys_eval|do|execute|prepare|call|handler|delimiter|source)\b/i;
function isPlainSql(text: string): boolean {
  const statements = text.replace(/;\s*$/, '').split(';');
  return (
    !/[\\\n]/.test(text) && statements.every((one) => plainSql.test(one)) && !reachingSqlServer.test(text)
  );
}

/** The same, or a command of psql that describes what is there. */
function isOwnSql(text: string): boolean {
  return /^\\(?:d\w*\+?|l\+?|conninfo|dt\+?)(?: [\w.*]+)?$/.test(text) || isPlainSql(text);
}

/** Lists of words that make up `find` expressions: find(1) of GNU and BSD. */
const findTests =
  /^-(?:empty|not|o|or|a|and|prune|print|print0|ls|depth|d|mount|xdev|x|daystart|readable|writable|executable|true|false|quit|noleaf|nouser|nogroup|warn|nowarn|ignore_readdir_race|noignore_readdir_race|P|E|X|s)$/;
const findValued =
  /^-(?:i?name|i?path|i?wholename|i?lname|i?regex|regextype|type|xtype|maxdepth|mindepth|size|[amcB]time|[amcB]min|perm|user|group|uid|gid|links|inum|newer|anewer|cnewer|newer[aBcm][aBcmt]|samefile|fstype|used|flags|printf|context)$/;

export const grammars: readonly Grammar[] = [
  {
    programs: 'sed gsed',
    manual: 'sed(1)',
    flags: 'nErsuz',
    values: 'e',
    long: long('quiet silent regexp-extended separate unbuffered null-data posix debug sandbox'),
    longValues: long('expression'),
    isFirst: true,
    // To BSD the word behind `-i` is an ending, and the next one the script.
    script: { options: ['-e', '--expression'], isHarmless: sedOnlyPrints, behind: /^$/ },
  },
  {
    programs: 'awk gawk mawk nawk original-awk',
    manual: 'awk(1), gawk(1)',
    values: 'Fv',
    longAttached: long('field-separator assign'),
    checks: { '-v': awkVariable, '--assign': awkVariable },
    isFirst: true,
    script: { options: [], isHarmless: awkOnlyPrints },
  },
  {
    programs: 'jq',
    manual: 'jq(1)',
    flags: 'CMRSacejnrs',
    long: long(`ascii-output color-output compact-output exit-status join-output monochrome-output null-input
      raw-input raw-output raw-output0 seq slurp sort-keys tab unbuffered stream stream-errors args jsonargs version help`),
    longValues: long('indent'),
    paired: long('arg argjson'),
    script: { options: [], isHarmless: jqSeesInput },
  },
  {
    programs: 'yq',
    // There are two programs of this name; the other one hands its filter on to jq.
    manual: 'mikefarah.gitbook.io/yq, kislyuk.github.io/yq',
    flags: 'CMNPejnrv0',
    values: 'opI',
    long: long('colors no-colors no-doc prettyPrint exit-status tojson null-input unwrapScalar verbose'),
    longValues: long('output-format input-format indent'),
    script: {
      options: [],
      isHarmless: (text) => yqSeesInput(text) && jqSeesInput(text),
      behind: /^(?:e|ea|eval|eval-all)$/,
    },
  },
  {
    programs: 'find gfind',
    manual: 'find(1)',
    isSingle: true,
    options: findTests,
    valued: findValued,
    runsUntil: /^-(?:exec|execdir|ok|okdir)$/,
  },
  {
    programs: 'fd fdfind',
    manual: 'fd(1)',
    ...searchOptions.fd,
    long: [
      ...(searchOptions.fd.long ?? []),
      ...long('prune strip-cwd-prefix one-file-system hyperlink no-follow'),
    ],
  },
  { programs: 'grep egrep fgrep zgrep ggrep', manual: 'grep(1)', ...searchOptions.grep },
  {
    programs: 'rg',
    manual: 'rg(1)',
    ...searchOptions.rg,
    long: [
      ...(searchOptions.rg.long ?? []),
      ...long(`auto-hybrid-regex stop-on-nonmatch no-ignore-dot no-ignore-parent no-ignore-global no-ignore-exclude
        no-mmap mmap include-zero multiline-dotall no-pcre2 no-stats no-trim no-unicode pcre2-version`),
    ],
    longValues: [...(searchOptions.rg.longValues ?? []), ...long('type-add type-clear')],
  },
  { programs: 'ag', manual: 'ag(1)', ...searchOptions.ag },
  {
    programs: 'sort',
    manual: 'sort(1)',
    ...looking('sort', {
      flags: 'cCm',
      values: 'S',
      long: long(`ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting
        month-sort random-sort check merge stable zero-terminated debug`),
      longValues: long('buffer-size parallel batch-size sort'),
    }),
  },
  {
    programs: 'uniq',
    manual: 'uniq(1)',
    ...looking('uniq', {
      long: long('ignore-case zero-terminated all-repeated group'),
      longValues: long('skip-fields skip-chars check-chars'),
    }),
  },
  {
    programs: 'date',
    manual: 'date(1)',
    ...looking('date', { long: long('rfc-email rfc-2822 universal debug resolution') }),
  },
  {
    programs: 'file',
    manual: 'file(1)',
    ...looking('file', {
      flags: 'Nnpr0E',
      long: long('no-buffer no-pad preserve-date raw print0 keep-going no-dereference extension apple'),
    }),
  },
  { programs: 'strings', manual: 'strings(1)', ...looking('strings', { long: long('all') }) },
  {
    programs: 'tree',
    manual: 'tree(1)',
    ...looking('tree', {
      long: long('sort du si filesfirst matchdirs ignore-case metafirst inodes device charset'),
    }),
  },
  { programs: 'xxd', manual: 'xxd(1)', ...looking('xxd') },
  { programs: 'iconv', manual: 'iconv(1)', ...looking('iconv', { longValues: long('from-code to-code') }) },
  { programs: 'hexdump hd', manual: 'hexdump(1)', ...looking('hexdump') },
  { programs: 'hostname', manual: 'hostname(1)', ...looking('hostname') },
  {
    programs: 'diff',
    manual: 'diff(1)',
    ...looking('diff', {
      flags: 'ediTtlB',
      values: 'FSI',
      long: long(`minimal ignore-case ignore-blank-lines ignore-space-change ignore-trailing-space text normal context
        expand-tabs initial-tab left-column show-c-function strip-trailing-cr speed-large-files no-dereference ed rcs`),
      longValues: long('width tabsize show-function-line ignore-matching-lines'),
    }),
  },
  {
    programs: 'tar gtar bsdtar',
    manual: 'tar(1)',
    flags: 'ctvzjJZapkmSOWl',
    values: 'fb',
    bundled: true,
    long: long(`create list verbose gzip bzip2 xz zstd lzma compress auto-compress exclude-vcs exclude-backups
      exclude-caches no-recursion numeric-owner totals wildcards no-wildcards anchored ignore-case preserve-permissions
      sparse verify to-stdout force-local posix show-defaults utc one-file-system same-order version help`),
    longValues: long('file exclude sort owner group mtime mode format blocking-factor label'),
    // A colon means another machine, which is reached with a program.
    checks: { '-f': /^[^:@]+$/, '--file': /^[^:@]+$/ },
    operand: /^[^@]/,
  },
  {
    programs: 'zip',
    manual: 'zip(1)',
    flags: 'rqvjDlgeuyX0123456789',
    values: 'x',
    long: long('recurse-paths quiet verbose junk-paths no-dir-entries symlinks no-extra update'),
    operand: /^[^@]/,
  },
  {
    programs: 'unzip zipinfo',
    manual: 'unzip(1)',
    flags: 'lvtzqZp1',
    // Behind a dash of its own a letter takes back what it said before: `unzip -l -- -l x` unpacks.
    isEndless: true,
    // Otherwise it unpacks, whatever names the archive holds.
    needs: /^-[qzv1]*[lvtZp]/,
  },
  {
    programs: '7z 7za 7zr 7zz',
    manual: '7-zip.org, 7z(1)',
    isSingle: true,
    options: /^-(?:y|r|mx=?\d|t(?:7z|zip|gzip|bzip2|tar|xz)|bd|slt)$/,
    operandAt: (word, index) => (index === 0 ? /^[latuhib]$/.test(word) : !word.startsWith('@')),
  },
  {
    programs: 'gzip bzip2 xz zstd lz4 zcat bzcat xzcat zstdcat',
    manual: 'gzip(1), xz(1), zstd(1)',
    flags: 'cfklnqtv0123456789',
    options: /^-(?:dc|cd|dck|kdc)$/,
    long: long('stdout to-stdout force keep list quiet test verbose best fast'),
    numbers: true,
  },
  {
    programs: 'gunzip bunzip2 unxz unzstd',
    manual: 'gzip(1), xz(1), zstd(1)',
    flags: 'cfklqtv',
    long: long('stdout to-stdout keep list quiet test verbose'),
    // Otherwise the name of the archive, or one that it holds, says what is written.
    needs: /^(?:-[fkqv]*[clt]|--(?:stdout|to-stdout|list|test))/,
  },
  {
    programs: 'curl',
    manual: 'curl(1)',
    flags: 'sSfLiIvkgGN46#',
    values: 'XHdAemuryYwobF',
    long: long(`silent show-error fail fail-with-body location head include verbose insecure globoff get no-buffer ipv4
      ipv6 compressed http1.1 http2 http1.0 progress-bar no-progress-meter tcp-nodelay tlsv1.2 tlsv1.3 retry-connrefused
      retry-all-errors version raw styled-output parallel path-as-is`),
    longValues:
      long(`request header data data-raw data-binary data-urlencode json user-agent referer max-time user
      connect-timeout retry retry-delay retry-max-time range write-out max-redirs max-filesize limit-rate output url cookie form form-string`),
    harmlessWith: { '-o': printed, '--output': printed },
    checks: {
      // `%output{file}` goes on in another file, and `@file` is read.
      '-w': /^(?!@)(?!.*%output)/s,
      '--write-out': /^(?!@)(?!.*%output)/s,
      '--url': address,
      // Without an equals sign it is a file.
      ...cookies,
      ...fields,
    },
    operand: address,
  },
  {
    programs: 'wget',
    manual: 'wget(1)',
    flags: 'qvScd46',
    values: 'OtTwU',
    long: long(`quiet verbose no-verbose server-response spider no-check-certificate no-proxy no-cache inet4-only
      inet6-only show-progress no-hsts https-only`),
    longValues: long(
      'tries timeout wait user-agent output-document max-redirect method header post-data body-data',
    ),
    harmlessWith: { '-O': printed, '--output-document': printed },
    operand: address,
    // Otherwise the address names the file that is written.
    needs: /^(?:--spider|-[qvScd46]*O(?:-|\/dev\/null)?|--output-document.*)$/,
  },
  {
    programs: 'http https xh',
    manual: 'httpie.io/docs/cli',
    flags: 'vhbjfpI',
    values: 'a',
    long: long('verbose headers body json form pretty print follow check-status ignore-stdin timeout'),
    operand: /^(?!.*@)/,
  },
  {
    programs: 'ssh',
    manual: 'ssh(1)',
    flags: 'vqTtnNaxkC46',
    values: 'plb',
    operandAt: (word, index) => index > 0 || machine.test(word),
    ownWords: 2,
  },
  { programs: 'scp', manual: 'scp(1)', flags: 'rpqvC346B', values: 'Pl' },
  {
    programs: 'rsync',
    manual: 'rsync(1)',
    flags: 'avzrhnqPcutlpgoDHxSiWAXOJ',
    long: long(`archive verbose compress recursive human-readable dry-run quiet progress stats checksum update times
      links perms group owner devices specials hard-links one-file-system itemize-changes list-only whole-file existing
      ignore-existing size-only numeric-ids partial prune-empty-dirs omit-dir-times safe-links info`),
    longValues: long('exclude include bwlimit timeout port chmod max-size min-size'),
  },
  {
    programs: 'make gmake',
    manual: 'make(1)',
    flags: 'ksnBqwipt',
    attached: 'jlO',
    long: long(`keep-going silent quiet dry-run just-print recon always-make question print-directory no-print-directory
      debug ignore-errors print-data-base touch jobs output-sync load-average trace version help warn-undefined-variables`),
    values: 'f',
    longValues: long('file makefile'),
    places: { '-f': 'input', '--file': 'input', '--makefile': 'input' },
    // Nothing that make would expand, and of variables those that name no program.
    operandAt: (word) => /^[\w./%@:+,-]+$/.test(word) || makeVariable.test(word),
  },
  {
    programs: 'node nodejs',
    manual: 'node(1)',
    flags: 'cvh',
    long: long(`test check watch enable-source-maps no-warnings trace-warnings trace-uncaught trace-deprecation
      no-deprecation throw-deprecation expose-gc harmony max-old-space-size stack-trace-limit stack-size test-only
      test-concurrency test-timeout test-force-exit test-shard experimental-strip-types experimental-transform-types
      experimental-test-coverage experimental-vm-modules experimental-sqlite experimental-test-module-mocks
      unhandled-rejections version help no-experimental-strip-types`),
    longValues: long('test-name-pattern test-skip-pattern test-reporter'),
    harmlessWith: { '--test-reporter': /^(?:spec|tap|dot|junit|lcov)$/ },
    operand: /^(?!(?:inspect|debug)$)/,
    ownWords: 1,
  },
  {
    programs: 'python python2 python3 pypy pypy3 py',
    manual: 'python(1)',
    flags: 'BbdEIOqsSuvVhP',
    long: long('version help'),
    operand: /^[^-]/,
    ownWords: 1,
  },
  { programs: 'perl', manual: 'perlrun(1)', flags: 'wv', operand: scriptFile, ownWords: 1 },
  {
    programs: 'ruby',
    manual: 'ruby(1)',
    flags: 'wv',
    long: long('version'),
    operand: scriptFile,
    ownWords: 1,
  },
  {
    programs: 'php',
    manual: 'php(1)',
    flags: 'vl',
    long: long('version'),
    operand: scriptFile,
    ownWords: 1,
    // What follows is for the script that it reads from its input.
    isEndless: true,
  },
  {
    programs: 'tsx ts-node',
    manual: 'tsx.is, typestrong.org/ts-node',
    long: long('version no-cache enable-source-maps'),
    longValues: long('tsconfig project'),
    places: { '--tsconfig': 'input', '--project': 'input' },
    operand: scriptFile,
    ownWords: 1,
  },
  {
    programs: 'lua luajit rscript julia tclsh',
    manual: 'lua(1), tclsh(1)',
    flags: 'v',
    long: long('version'),
    operand: scriptFile,
    ownWords: 1,
  },
  {
    programs: 'bash sh dash zsh ksh ash',
    manual: 'bash(1)',
    flags: 'euxnvf',
    long: long('version'),
    operand: scriptFile,
    ownWords: 1,
  },
  {
    programs: 'gcc g++ cc c++ clang clang++',
    manual: 'gcc(1), clang(1)',
    isSingle: true,
    longValues: ['--o'],
    places: { '--o': 'output' },
    options:
      /^-(?:[cSEsvwMPHQ]|MM|MG|g\w*|O\w*|W(?:no-)?(?!l|a|p|l,|a,|p,)\w[\w-]*(?:=[\w-]*)?|Wall|Wpedantic|std=[\w+]+|pedantic(?:-errors)?|ansi|pipe|pthread|shared|static|static-libgcc|static-libstdc\+\+|rdynamic|m(?:32|64|arch=[\w.+-]+|tune=[\w.+-]+|sse[\d.]*|avx\w*)|[DU]\w+(?:=.*)?|[IL].+|l[\w.+-]+|f(?:no-)?(?:PIC|pic|PIE|pie|exceptions|rtti|strict-aliasing|omit-frame-pointer|lto|common|inline|builtin|stack-protector[\w-]*|unroll-loops|fast-math|openmp|visibility=\w+|sanitize=[\w,-]+|syntax-only|diagnostics-\w+(?:=\w+)?|color-diagnostics)|nostdlib|nostdinc|nodefaultlibs|version|dumpversion|dumpmachine)$|^--?version$|^--help$/,
    operand: /^[^@]/,
  },
  {
    programs: 'java',
    manual: 'java(1), docs.oracle.com/en/java',
    isSingle: true,
    options:
      /^--?(?:version|showversion|help|ea|da|enableassertions|disableassertions|server|jar|enable-preview|X(?:m[sx]|ss)\d+[kmgKMG]?)$/,
    valued: /^(?:-cp|-classpath|--class-path)$/,
    operand: /^[^@]/,
    ownWords: 1,
  },
  {
    programs: 'javac kotlinc scalac',
    manual: 'javac(1)',
    isSingle: true,
    options: /^-(?:g(?::\w+)?|verbose|nowarn|deprecation|Werror|Xlint(?::[\w,-]+)?|parameters|version|help)$/,
    valued: /^(?:-cp|-classpath|--class-path|-source|-target|--release|-encoding)$/,
    operand: /^[^@]/,
  },
  {
    programs: 'sqlite3',
    manual: 'sqlite.org/cli.html',
    isSingle: true,
    long: long(
      'header noheader csv json line column list box table markdown html tabs ascii quote readonly batch bail safe version stats echo',
    ),
    longValues: long('separator nullvalue newline'),
    // The views and triggers of a database may call edit(), which starts a program: sqlite.org/security.html.
    acts: {
      operands: /^(?!\.(?:tables?|schema|indexes|indices|databases|mode|headers?|help|show)\b)/,
      stoppedBy: /^--?safe$/,
    },
    operandAt: (word, index) =>
      index === 0
        ? !/^file:|\|/i.test(word)
        : word.startsWith('.')
          ? dotCommands.test(word)
          : !reachingSql.test(word),
  },
  {
    programs: 'psql',
    manual: 'psql(1)',
    flags: 'AlnqtwWxXVE1abS',
    values: 'cdhpUFR',
    long: long(
      'list no-psqlrc csv no-align tuples-only quiet expanded version no-password single-transaction',
    ),
    longValues: long('command dbname host port username'),
    checks: { '-R': /^[^/]*$/, '-c': { test: isOwnSql }, '--command': { test: isOwnSql } },
  },
  {
    programs: 'mysql mariadb',
    manual: 'mysql(1)',
    flags: 'ABNEHtsvVwXCr',
    values: 'ehuPDS',
    attached: 'p',
    checks: { '-e': { test: isPlainSql }, '--execute': { test: isPlainSql } },
    long: long('batch table vertical silent skip-column-names html xml version compress'),
    longValues: long('execute host user port database'),
  },
  {
    programs: 'redis-cli',
    manual: 'redis.io/docs/latest/develop/tools/cli',
    isSingle: true,
    long: long('raw no-raw csv json scan bigkeys stat latency version no-auth-warning verbose'),
    longValues: long('h p n a u r i pattern user pass'),
    operand:
      /^(?!(?:config|eval|eval_ro|evalsha|evalsha_ro|script|function|fcall|module|debug|slaveof|replicaof|migrate|restore|shutdown|flushall|flushdb|bgsave|save|bgrewriteaof|acl|cluster|failover|sync|psync)$)/i,
  },
  {
    programs: 'less more most',
    manual: 'less(1), more(1)',
    flags: 'eEfFgGiIJmMnNqQrRsSuUwW',
    values: 'hjyz',
    // In `-j5kx` the k takes x for the file that says what keys, and which programs, are used.
    isSpaced: true,
    numbers: true,
    long: long(`LINE-NUMBERS quit-if-one-screen chop-long-lines RAW-CONTROL-CHARS no-init ignore-case IGNORE-CASE
      squeeze-blank-lines quiet silent version`),
    operand: /^[^+]/,
  },
  {
    programs: 'man',
    manual: 'man(1)',
    flags: 'kfwa',
    long: long('whatis apropos where path all version'),
    // Neither a file nor an option of the pager.
    operand: /^[\w.:@[][\w.:+@[-]*$/,
  },
  {
    programs: 'bat batcat',
    manual: 'bat(1)',
    flags: 'pnAuPfS',
    values: 'lrHm',
    long: long(`plain number show-all unbuffered paging color decorations wrap style theme tabs italic-text squeeze-blank
      no-paging chop-long-lines force-colorization list-languages list-themes diff version`),
    longValues: long('language line-range highlight-line map-syntax file-name terminal-width'),
  },
  {
    programs: 'ps',
    manual: 'ps(1)',
    // Without x, T, L and H: together with -e they show the environment. Where it cannot, they need no rule.
    flags: 'AadefFjlNwycMm',
    values: 'oOpCuUtgGs',
    long: long('forest headers no-headers cols columns rows width deselect'),
    longValues: long('sort format pid ppid user'),
    // A cluster without a dash that holds an e shows the environment.
    operand: /^(?:[adflruwxjTLhHcg]+|\d[\d,]*)$/,
    checks: Object.fromEntries(['-o', '-O', '--format'].map((name) => [name, /^(?!.*environ)/is])),
  },
  { programs: 'top htop', manual: 'top(1)', flags: 'bciSHI1', values: 'ndpuUo' },
  {
    programs: 'openssl',
    manual: 'openssl(1)',
    isSingle: true,
    long: long(`text noout dates startdate enddate subject issuer fingerprint serial hash modulus pubkey purpose ext
      sha1 sha256 sha384 sha512 md5 hex base64 d e a A showcerts brief tls1_2 tls1_3 verify_return_error help binary r check`),
    longValues: long('in inform connect servername checkend certopt nameopt'),
    operandAt: (word, index) =>
      index > 0 ||
      /^(?:version|x509|dgst|rand|s_client|verify|req|crl|asn1parse|ciphers|list|prime|base64|sha\d+|md5|rsa|pkey|ec)$/.test(
        word,
      ),
  },
  {
    programs: 'gpg gpg2',
    manual: 'gpg(1)',
    flags: 'kKva',
    long: long(`list-keys list-secret-keys list-sigs list-signatures check-sigs fingerprint verify armor version with-colons
      list-packets print-mds`),
    longValues: long('keyid-format'),
    // Otherwise it may decrypt into a file.
    needs: /^(?:-[av]*[kK]|--(?:list|check|verify|fingerprint|version|print).*)$/,
  },
  {
    programs: 'ffprobe',
    manual: 'ffprobe(1)',
    isSingle: true,
    long: long(
      'show_format show_streams show_entries hide_banner pretty version show_packets show_frames count_frames',
    ),
    longValues: long('v loglevel of print_format select_streams i show_entries'),
    operand: plainFile,
  },
  {
    programs: 'ffmpeg',
    manual: 'ffmpeg(1)',
    isSingle: true,
    options: /^-(?:y|n|an|vn|sn|hide_banner|nostdin|shortest|version|formats|codecs)$/,
    valued:
      /^-(?:i|ss|t|to|r|s|b:[av]|c(?::[avs])?|vcodec|acodec|crf|preset|pix_fmt|ar|ac|loglevel|v|threads|frames:v|q:v)$/,
    // Names with a colon are protocols, and those with a percent sign stand for many files.
    checks: { '-i': /^[\w./ @-]+$/ },
    operand: /^[\w./ @-]+$/,
  },
  {
    programs: 'convert magick identify mogrify compare montage composite',
    manual: 'imagemagick.org/script/command-line-options.php',
    isSingle: true,
    options:
      /^[-+](?:strip|flip|flop|negate|normalize|auto-orient|monochrome|trim|repage|verbose|version|append)$/,
    valued:
      /^-(?:resize|quality|crop|rotate|geometry|density|depth|colors|alpha|background|gravity|extent|thumbnail|scale|sample|format|colorspace|type|blur|sharpen)$/,
    // A colon is a format of its own, `@` a file with names in it, and other formats may be scripts.
    operand: /^[\w./ -]+\.(?:png|jpe?g|gif|webp|tiff?|bmp|ico|avif|heic)$/i,
  },
  {
    programs: 'pandoc',
    manual: 'pandoc.org/MANUAL.html',
    flags: 'sNpv',
    values: 'ftrwMV',
    long: long(`standalone number-sections toc table-of-contents wrap columns strip-comments version list-input-formats
      list-output-formats citeproc mathjax katex mathml section-divs incremental no-highlight`),
    longValues: long(
      'from to read write metadata toc-depth shift-heading-level-by highlight-style id-prefix',
    ),
    // Formats may be scripts.
    checks: Object.fromEntries(
      ['-f', '-t', '-r', '-w', '--from', '--to', '--read', '--write'].map((name) => [name, /^[\w+-]+$/]),
    ),
  },
  {
    programs: 'fzf sk',
    manual: 'fzf(1)',
    flags: 'eix0m1',
    values: 'qfndNt',
    long: long('exact no-sort tac multi select-1 exit-0 read0 print0 ansi cycle reverse no-color version'),
    longValues: long('query filter nth with-nth delimiter tiebreak'),
    operand: nothing,
  },
  {
    programs: 'dot neato fdp circo twopi sfdp',
    manual: 'dot(1)',
    options: /^-(?:T\w+(?::\w+)*|[GNE]\w+=[\w.,#]*|V|\?|q|v|n\d*)$/,
  },
  {
    programs: 'pdflatex xelatex lualatex latex tex pdftex',
    manual: 'pdftex(1)',
    isSingle: true,
    options:
      /^--?(?:interaction=\w+|halt-on-error|file-line-error|draftmode|no-shell-escape|synctex=-?\d|version|help)$/,
    // An operand that begins with a backslash is a text of its own.
    operand: /^[\w./-]+$/,
  },
  {
    programs: 'vim vi nvim view ex ed red emacs nano pico micro hx joe dc sftp ftp telnet crontab at',
    manual: 'the manual of each: commands are read from words, files and the input',
    operand: nothing,
  },
];
