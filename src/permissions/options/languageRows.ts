/** Interpreters and compilers. Data only. */
import { long, type ProgramRow, type Risks } from './programRow.ts';

const scriptFile = /^[^@-]/;

const nodeRisks: Risks = {
  runs: '-e -p -r -c -i -pe --eval --print --require --import --loader --experimental-loader --inspect --inspect-brk --inspect-port --inspect-wait --env-file --env-file-if-exists --experimental-config-file --experimental-default-config-file --conditions -C --run --snapshot-blob --build-snapshot --openssl-config --icu-data-dir --experimental-policy --interactive --config --import-map --allow-all -A --allow-run --allow-write --allow-read --allow-net --allow-env --allow-ffi --allow-sys --allow-import -R -W -N -E -S --preload --test-global-setup --test-reporter',
  takes: { '--test-reporter': /^(?:spec|tap|dot|junit|lcov)$/ },
  writes:
    '--diagnostic-dir --report-dir --report-directory --cpu-prof-dir --heap-prof-dir --redirect-warnings --trace-event-file-pattern --test-reporter-destination --heapsnapshot-near-heap-limit',
  subcommands: 'eval repl run install jupyter serve',
};

const rubyRisks: Risks = {
  style: 'gnu',
  runs: '-e -E -r -R -B -F -l -d -c -S -I -M -m -C -x -z --eval --print --run --define --init --load',
  writes: '-i',
};

const bashRisks: Risks = {
  style: 'gnu',
  runs: '-c -s -i -l -o -O --init-file --rcfile --login --init-command --command',
};

const gccRisks: Risks = {
  style: 'gnu',
  runs: '-B -wrapper -fplugin -specs --specs -Xclang -load -fuse-ld --config --plugin -Wl',
  writes: '-o -MF -dumpdir --output',
  words: /^(?:@.*|-(?:wrapper|fplugin|specs|Xclang|load|fuse-ld|B|Wl)[^ ]*)$/,
};

export const languagePrograms: readonly ProgramRow[] = [
  {
    programs: 'node nodejs',
    manual: 'node(1)',
    ...nodeRisks,
    expands: { with: /^--test$/ },
    known: {
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
  },
  {
    programs: 'tsx ts-node',
    manual: 'tsx.is, typestrong.org/ts-node',
    ...nodeRisks,
    known: {
      long: long('version no-cache enable-source-maps'),
      longValues: long('tsconfig project'),
      places: { '--tsconfig': 'input', '--project': 'input' },
      operand: scriptFile,
      ownWords: 1,
    },
  },
  {
    programs: 'deno electron',
    manual: 'node(1), docs.deno.com/runtime/reference/cli',
    ...nodeRisks,
    options: `-h -q -V --all --cached-only --check= --clean --compact --deny-env --deny-ffi --deny-import --deny-net --deny-read --deny-run
      --deny-sys --deny-write --doc --doc-only --ext= --fail-fast= --filter: --fix --frozen --help --hide-stacktraces --ignore:
      --indent-width= --json --line-width= --no-check= --no-clear-screen --no-code-cache --no-config --no-lock --no-npm --no-prompt --no-remote
      --no-run --no-semicolons --parallel --permit-no-files --prose-wrap= --quiet --reporter= --rules-exclude= --rules-include=
      --rules-tags= --seed= --shuffle= --single-quote --trace-leaks --use-tabs --version --watch`,
    writes: `${nodeRisks.writes} --coverage --junit-path`,
    takes: { ...nodeRisks.takes, '--coverage --junit-path': 'output' },
    subcommands: `${nodeRisks.subcommands} x compile add upgrade`,
    // deno runs the code it fetches.
    words: /^(?:https?|jsr|npm|data|blob):/i,
  },
  {
    programs: 'python python2 python3 pypy pypy3 py',
    manual: 'python(1)',
    style: 'gnu',
    runs: '-c -m -i -X -W -',
    known: {
      flags: 'BbdEIOqsSuvVhP',
      long: long('version help'),
      operand: /^[^-]/,
      ownWords: 1,
    },
  },
  {
    programs: 'json.tool',
    manual: 'docs.python.org/3/library/json.html#command-line-interface',
    known: {
      long: long('sort-keys no-ensure-ascii json-lines tab compact no-indent help'),
      longValues: long('indent'),
      // A second file is written.
      most: 1,
    },
  },
  {
    programs: 'perl',
    manual: 'perlrun(1)',
    ...rubyRisks,
    known: {
      flags: 'wv',
      operand: scriptFile,
      ownWords: 1,
    },
  },
  {
    programs: 'ruby',
    manual: 'ruby(1)',
    ...rubyRisks,
    known: {
      flags: 'wv',
      long: long('version'),
      operand: scriptFile,
      ownWords: 1,
    },
  },
  {
    programs: 'php',
    manual: 'php(1)',
    ...rubyRisks,
    known: {
      flags: 'vl',
      long: long('version'),
      operand: scriptFile,
      ownWords: 1,
      // The following words belong to the script that it reads from its input.
      isEndless: true,
    },
  },
  {
    programs: 'lua luajit rscript julia tclsh',
    manual: 'lua(1), tclsh(1)',
    ...rubyRisks,
    known: {
      flags: 'v',
      long: long('version'),
      operand: scriptFile,
      ownWords: 1,
    },
  },
  {
    programs: 'osascript Rscript R',
    manual: 'ruby(1), perl(1), php(1), lua(1)',
    ...rubyRisks,
  },
  {
    programs: 'bash sh dash zsh ksh ash',
    manual: 'bash(1)',
    ...bashRisks,
    known: {
      flags: 'euxnvf',
      long: long('version'),
      operand: scriptFile,
      ownWords: 1,
    },
  },
  {
    programs: 'fish csh tcsh pwsh powershell cmd',
    manual: 'bash(1), zsh(1)',
    ...bashRisks,
  },
  {
    programs: 'rustfmt',
    manual: 'rustfmt(1)',
    options:
      '-h -l -q -v -V --backup --check --color= --edition= --files-with-diff --help --quiet --style-edition= --verbose --version',
    runs: '--config --config-path',
    writes: '--emit',
    words: /^@/,
  },
  {
    programs: 'rustc rustup',
    manual: 'rustc(1)',
    options: `-A: -D: -F: -O -V -W: -g -h -q -v --allow: --cap-lints= --cfg: --check-cfg: --color= --crate-name= --crate-type= --deny:
      --edition= --error-format= --explain= --forbid: --force-warn: --help --quiet --target= --test --verbose --version --warn:`,
    words: /^@|^-[CZLl]/,
    runs: '-C --codegen -Z --config --config-path --extern -L -l --sysroot --run --toolchain',
    writes: '-o --out-dir --emit',
    subcommands: 'run self default override toolchain component target update install set',
  },
  {
    programs: 'gcc g++ cc c++ clang clang++',
    manual: 'gcc(1), clang(1)',
    ...gccRisks,
    known: {
      isSingle: true,
      longValues: ['--o'],
      places: { '--o': 'output' },
      options:
        /^-(?:[cSEsvwMPHQ]|MM|MG|g\w*|O\w*|W(?:no-)?(?!l|a|p|l,|a,|p,)\w[\w-]*(?:=[\w-]*)?|Wall|Wpedantic|std=[\w+]+|pedantic(?:-errors)?|ansi|pipe|pthread|shared|static|static-libgcc|static-libstdc\+\+|rdynamic|m(?:32|64|arch=[\w.+-]+|tune=[\w.+-]+|sse[\d.]*|avx\w*)|[DU]\w+(?:=.*)?|[IL].+|l[\w.+-]+|f(?:no-)?(?:PIC|pic|PIE|pie|exceptions|rtti|strict-aliasing|omit-frame-pointer|lto|common|inline|builtin|stack-protector[\w-]*|unroll-loops|fast-math|openmp|visibility=\w+|sanitize=[\w,-]+|syntax-only|diagnostics-\w+(?:=\w+)?|color-diagnostics)|nostdlib|nostdinc|nodefaultlibs|version|dumpversion|dumpmachine)$|^--?version$|^--help$/,
      operand: /^[^@]/,
    },
  },
  {
    programs: 'clang-format',
    manual: 'clang.llvm.org/docs/ClangFormat.html',
    style: 'single',
    options: `-assume-filename= -fallback-style= -ferror-limit= -h -help -i -length= -lines= -n -dry-run -offset= -sort-includes -style= -verbose
      -version -Werror`,
    words: /^@/,
  },
  {
    programs: 'nm objdump readelf size addr2line clang-tidy opt llc',
    manual: 'gcc(1), clang(1)',
    ...gccRisks,
  },
  {
    programs:
      'elixir iex erl ghc ghci runghc scala groovy clojure clj jshell kotlin jrunscript ipython jupyter gawk-script janet guile racket sbcl clisp octave gnuplot maxima gp m4 tclsh8 expect',
    manual: 'the manual of each',
    style: 'gnu',
    runs: '-e -c -m -r -l -s -i -p -x -M -X -A -J --eval --command --execute --load --require --init --script -eval -run -noshell --dot-iex --config --profile-dir --ipython-dir -D -I',
    words: /^@|[;(]/,
  },
  // A subscript is evaluated, and a command in it is run: bash(1), "Arithmetic Evaluation".
  {
    programs: 'ld gold lld as ar ranlib objcopy strip',
    manual: 'ld(1), as(1), ar(1): they write what they are given',
    words: /./s,
  },
  {
    programs: 'java',
    manual: 'java(1), docs.oracle.com/en/java',
    known: {
      isSingle: true,
      options:
        /^--?(?:version|showversion|help|ea|da|enableassertions|disableassertions|server|jar|enable-preview|X(?:m[sx]|ss)\d+[kmgKMG]?)$/,
      valued: /^(?:-cp|-classpath|--class-path)$/,
      operand: /^[^@]/,
      ownWords: 1,
    },
  },
  {
    programs: 'javac kotlinc scalac',
    manual: 'javac(1)',
    known: {
      isSingle: true,
      options:
        /^-(?:g(?::\w+)?|verbose|nowarn|deprecation|Werror|Xlint(?::[\w,-]+)?|parameters|version|help)$/,
      valued: /^(?:-cp|-classpath|--class-path|-source|-target|--release|-encoding)$/,
      operand: /^[^@]/,
    },
  },
];
