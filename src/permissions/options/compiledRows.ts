/** Toolchains of compiled languages. Data only. */
import type { ProgramRow } from './programRow.ts';

const linkerFlag = /-(?:s|w|X[ =]?(?:'[\w./-]+=[\w.:+/ -]*'|[\w./-]+=[\w.:+/-]*))/.source;

/** The flags of go's linker that only set text; go splits them at spaces. */
const linkerFlags = new RegExp(`^\\s*${linkerFlag}(?:\\s+${linkerFlag})*\\s*$`);

const cargoCommands =
  'add b bench build c check clean clippy d doc fetch fix fmt generate-lockfile help info init install locate-project login logout metadata new owner package pkgid publish r read-manifest remove report rm run rustc rustdoc search t test tree uninstall update vendor verify-project version yank';

const toolchains: Omit<ProgramRow, 'programs'> = {
  manual: 'the manual of each',
  runs: '-e --eval -D -J -r --require --exec --toolchain --package-path --script -m -X -M --sdk -p --with-profile --ghc-options --with-compiler --with-ghc -Xswiftc -Xlinker -Xcc -Xcxx --build-runner',
  subcommands:
    'run repl package cmd eval do escript.install archive.install local pub create exec ghci script install runghc runMain console shell with-profile update-in upgrade setup',
  words: /^@|^-[DJX]|[;!"']/,
  passesOn: 'program',
};

export const compiledPrograms: readonly ProgramRow[] = [
  {
    programs: 'cargo',
    manual: 'doc.rust-lang.org/cargo/commands/cargo.html',
    options: `-e= -F: -h -i= -j= -p= -q -r -v -V --aggressive --all --all-features --all-targets --allow-dirty --allow-no-vcs --allow-staged
      --bench= --benches --bin= --bins --broken-code --build --charset= --check --color= --depth= --dev --doc
      --document-private-items --dry-run --duplicates --edges= --edition --edition-idioms --example= --examples --exclude= --features:
      --filter-platform= --fix --format-version= --format: --frozen --future-incompat-report --help --ignore-rust-version
      --invert= --jobs= --keep-going --lib --limit= --list --locked --message-format= --no-dedupe --no-default-features --no-deps
      --no-fail-fast --no-run --no-optional --offline --optional --package= --precise= --prefix= --profile= --prune= --quiet --recursive
      --release --rename= --target= --test= --tests --timings --verbose --version --workspace -d`,
    runs: '--config -Z --manifest-path -C --lockfile-path --registry --index --git --path --with',
    writes: '--target-dir --artifact-dir --out-dir --root --open',
    takes: { '--manifest-path': 'input', '--target-dir --artifact-dir --out-dir': 'output' },
    subcommands: 'install publish login logout owner yank fix uninstall run r new init vendor',
    allSubcommands: cargoCommands,
    // A target may be a file that names a linker.
    words: /^\+|\.json$/,
    passesOn: 'program',
    // libtest: doc.rust-lang.org/rustc/tests; lints of clippy; rustfmt.
    passable:
      /^(?:-[qv]|--(?:nocapture|no-capture|show-output|ignored|include-ignored|exact|list|quiet|skip|test-threads|color|format|check|verbose)(?:=.*)?|-[DWAF](?:[a-z_]+(?:::[a-z_]+)*)?|--cap-lints=\w+)$/,
  },
  {
    programs: 'go',
    manual: 'pkg.go.dev/cmd/go',
    options: `-a -asan -asmdecl -assign -atomic -bench: -benchmem -benchtime= -blockprofilerate= -bool -bools -buildtag -buildvcs= -c -cgocall
      -compat= -compiled -composites -copylocks -count= -cover -covermode= -coverpkg: -cpu= -d -defers -deps -diff -directive -e
      -errorsas -export -f: -failfast -find -framepointer -fullpath -fuzz: -fuzzminimizetime= -fuzztime= -go= -h -help -httpresponse
      -i -ifaceassert -json -linkshared -list: -loopclosure -lostcancel -m -memprofilerate= -modcacherw -msan
      -mutexprofilefraction= -n -nilfunc -p= -parallel= -printf -race -retracted -run: -shift -short -shuffle= -skip: -slog
      -stdmethods -stdversion -stringintconv -structtag -t -tags: -test -testinggoroutine -tests -timeformat -timeout= -trimpath
      -u -unmarshal -unreachable -unsafeptr -unusedresult -update -v -versions -vet= -waitgroup -work -x -args`,
    style: 'single',
    // A module by its version, which the project need not use.
    fetches: { by: /^(?!(?:get|install)$)/, words: /^[^-\s@]*[./][^\s@]*@/ },
    runs: '-mod -exec -toolexec -modfile -overlay -ldflags -gcflags -gccgoflags -asmflags -compiler -pkgdir -vettool -r -pgo -buildmode',
    writes:
      '-o -w -outputdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -test.coverprofile -cpuprofile -testlogfile -fuzzcachedir -fix',
    elsewhere: '-C -workfile',
    takes: {
      '-o -outputdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace': 'output',
      // No option that is passed on to another linker, or to a compiler plugin.
      '-ldflags': linkerFlags,
      '-gcflags': /^(?:[\w./]+=)?(?:\s*-[NlmBS])+\s*$/,
      '-mod': /^(?:readonly|vendor)$/,
      '-buildmode': /^(?:default|exe|pie|archive|c-archive|c-shared|shared|plugin)$/,
    },
    subcommands: 'run generate tool env install get bug telemetry fix clean work',
  },
  {
    programs: 'gofmt goimports gofumpt',
    manual: 'pkg.go.dev/cmd/gofmt',
    options: `-d -e -extra -format-only -l -lang= -local: -modpath: -s -v -w -help`,
    style: 'single',
    writes: '-cpuprofile -memprofile -trace',
  },
  {
    programs: 'golangci-lint staticcheck revive',
    manual: 'golangci-lint.run/usage/configuration',
    options: `-checks= -D= -diff -e: -E= -exclude: -explain= -f= -fail= -formatter= -go= -h -j= -p= -set_exit_status -show-ignored -tags=
      -tests= -v -d --allow-parallel-runners --allow-serial-runners --build-tags= --color= --concurrency= --default= --disable= --disable-all
      --enable= --enable-all --enable-only= --exclude: --fast --fast-only --fix --help --issues-exit-code= --max-issues-per-linter=
      --max-same-issues= --new --new-from-merge-base= --new-from-rev= --no-config --output.text.colors=
      --output.text.print-issued-lines= --output.text.print-linter-name= --path-mode= --presets= --print-issued-lines=
      --print-linter-name= --show-stats= --skip-dirs: --sort-results --tests= --timeout= --uniq-by-line= --verbose --version --whole-files`,
    style: 'single',
    runs: '-c --config --modules-download-mode --out-format',
    writes: '--cpu-profile-path --mem-profile-path --trace-path',
    subcommands: 'custom migrate',
    words: /^--?output\.[\w.-]*path|^--?out-format=.*:/,
    takes: { '-c --config -config': 'input', '--out-format': /^[\w-]+(?:,[\w-]+)*$/ },
  },
  {
    ...toolchains,
    programs: 'swift',
    options: `-c= -h -j= -l -q -v --arch= --build-tests --configuration= --disable-code-coverage --disable-swift-testing --disable-xctest
      --enable-code-coverage --enable-swift-testing --enable-test-discovery --enable-testable-imports --enable-xctest --filter: --help
      --jobs= --list-tests --no-parallel --num-workers= --parallel --product= --quiet --sanitize= --show-bin-path --skip:
      --skip-build --skip-update --static-swift-stdlib --target= --triple= --verbose --version --very-verbose`,
  },
  {
    ...toolchains,
    programs: 'dart flutter',
    options: `-d= -h -j= -l= -n: -N: -t: -v -x: --build-name= --build-number= --concurrency= --coverage --dart-define: --debug
      --enable-experiment= --exclude-tags: --fail-fast --fatal-infos --fatal-warnings --flavor= --help --line-length= --machine
      --name: --no-fatal-infos --no-fatal-warnings --no-pub --no-tree-shake-icons --page-width= --plain-name: --platform= --profile
      --pub --release --reporter= --run-skipped --set-exit-if-changed --shard-index= --show= --split-per-abi --tags: --target-platform=
      --test-randomize-ordering-seed= --timeout= --total-shards= --track-widget-creation --update-goldens --verbose --version`,
    writes: '-o --output',
    takes: { '-o --output': /^(?:none|json|show|write)$/ },
  },
  {
    ...toolchains,
    programs: 'mix rebar3',
    options: `-h -v --all --all-warnings --case= --check-formatted --check-unused --color --cover --dry-run --exclude: --exit-status= --failed
      --force --format= --help --include: --max-cases= --max-failures= --module= --no-archives-check --no-color --no-compile
      --no-deps-check --no-start --only: --partitions= --preload-modules --raise --repeat-until-failure= --seed= --slowest=
      --slowest-modules= --stale --strict --suite= --timeout= --trace --verbose --version --warnings-as-errors`,
  },
  {
    ...toolchains,
    programs: 'sbt lein stack cabal zig crystal nim',
    options: `-h -j= -O= -v --bench --color= --coverage --disable-tests --dry-run --enable-benchmarks --enable-tests --error-trace --fast
      --file-watch --haddock --help --jobs= --keep-going --no-color --no-run-benchmarks --no-run-tests --only-dependencies --pedantic
      --prominent-compile-errors --release= --seed= --stats --summary= --test --test-filter: --test-show-details= --threads= --verbose
      --version --watch`,
  },
];
