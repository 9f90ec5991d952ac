/** Test runners of JavaScript. Data only. */
import type { ProgramRow } from './programRow.ts';

const testRunner =
  '--config -c --globals-file --package --node-option -n --typecheck.checker --diff --sequence.sequencer';

/** Built-in reporters and formats: any other word is a file or a package that is loaded. */
const reporters =
  /^(?:default|verbose|dot|basic|tap|tap-flat|tap13|line|list|spec|min|minimal|nyan|progress|landing|json|json-stream|junit|xunit|html|blob|doc|markdown|tree|hanging-process|github-actions|summary|agent)(?:,(?:default|verbose|dot|json|junit|html|github-actions|line|list|blob))*$/;

/** The reporters of istanbul: any other word is a module. */
const coverageReporters =
  /^(?:text|text-summary|lcov|lcovonly|html|html-spa|json|json-summary|clover|cobertura|none)$/;

const testRunners: Omit<ProgramRow, 'programs'> = {
  manual: 'vitest.dev/guide/cli, jestjs.io/docs/cli, mochajs.org, playwright.dev/docs/test-cli',
  runs: `${testRunner} --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --environment --env --testEnvironment --testRunner --runner --transform --resolver --reporter --reporters --preset --haste --require -r --import --loader --ui --file --spec --node-options --execArgv --pool --browser --browser.provider --browser.name --moduleNameMapper --modulePaths --coverageProvider --coverage.provider --coverage.customProviderModule --coverage.reporter --snapshotSerializers --snapshotEnvironment --moduleDirectories --coverageReporters --globals --testResultsProcessor --testSequencer --snapshotResolver --filter --prettierPath --watchPlugins --dependencyExtractor --openssl --api --inspect --inspect-brk --open --outputFile --project-config --resolveSnapshotPath --testerHtmlPath --browser.testerHtmlPath --alias --resolve --test-list --reporter-option --reporter-options --node-arguments --node-arg --before --after --plugin --config-file --project`,
  writes:
    '--outputJson --benchmark.outputJson --coverageDirectory --coverage.reportsDirectory --outputFile --cacheDirectory --output --attachmentsDir --report-dir --temp-dir --fsModuleCachePath --coverage.htmlDir --htmlDir',
  elsewhere: '--root --rootDir --roots --dir -C --cwd --workspace --projects --prefix --configLoader',
  subcommands: 'install open init codegen cr show-trace create',
  // In vitest `--json` may name a file, and a git revision may be an option for git.
  words: /^--json=(?!true$|false$)|^--?[\w.-]+=-[A-Za-z-]/,
  takes: {
    '--config -c --config-file --project-config --cov-config --root --rootDir --roots --dir --spec': 'input',
    '--outputFile --outputJson --benchmark.outputJson --coverageDirectory --coverage.reportsDirectory --cacheDirectory --output --attachmentsDir --report-dir --temp-dir':
      'output',
    '--reporter --reporters': reporters,
    '--coverage.reporter --coverageReporters': coverageReporters,
    '--coverage.provider --coverageProvider': /^(?:v8|istanbul|babel)$/,
    '--env --environment --testEnvironment': /^(?:node|jsdom|happy-dom|edge-runtime)$/,
    '--pool': /^(?:forks|threads|vmForks|vmThreads)$/,
    '--browser --browser.name': /^(?:all|chromium|chrome|firefox|webkit|edge|electron|msedge|safari)$/,
    '--project': /^!?[\w*@ -]+$/,
  },
};

export const testRunnerPrograms: readonly ProgramRow[] = [
  {
    ...testRunners,
    programs: 'vitest',
    options: `-h -p: -t: -u -v -w --allowOnly --bail --browser.headless --browser.isolate --browser.fileParallelism
      --browser.connectTimeout= --browser.screenshotFailures --browser.trackUnhandledErrors --browser.trace= --cache --changed
      --clearCache --clearMocks --clearScreen --color --coverage --coverage.100 --coverage.all --coverage.allowExternal
      --coverage.changed= --coverage.clean --coverage.cleanOnRerun --coverage.enabled --coverage.exclude: --coverage.excludeAfterRemap
      --coverage.extension: --coverage.ignoreClassMethods= --coverage.include: --coverage.processingConcurrency=
      --coverage.reportOnFailure --coverage.skipFull --coverage.thresholds.100 --coverage.thresholds.branches=
      --coverage.thresholds.functions= --coverage.thresholds.lines= --coverage.thresholds.perFile
      --coverage.thresholds.statements= --coverage.watermarks.branches= --coverage.watermarks.functions=
      --coverage.watermarks.lines= --coverage.watermarks.statements= --dangerouslyIgnoreUnhandledErrors --detectAsyncLeaks
      --diff.aAnnotation= --diff.bAnnotation= --diff.contextLines= --diff.expand --diff.maxDepth= --diff.truncateThreshold=
      --disableConsoleIntercept --dom --exclude: --expand-snapshot-diff --expect.poll.interval= --expect.poll.timeout=
      --expect.requireAssertions --experimental.importDurations.print --fileParallelism --filesOnly --help --hideSkippedTests
      --hookTimeout= --includeTaskLocation --isolate --json --lastFailed --listTags --logHeapUsage --maxConcurrency=
      --maxWorkers= --mergeReports --minWorkers= --mockReset --mode= --passWithNoTests --poolOptions.forks.isolate
      --poolOptions.forks.maxForks= --poolOptions.forks.minForks= --poolOptions.forks.singleFork
      --poolOptions.threads.isolate --poolOptions.threads.maxThreads= --poolOptions.threads.minThreads=
      --poolOptions.threads.singleThread --poolOptions.threads.useAtomics --poolOptions.vmForks.memoryLimit=
      --poolOptions.vmThreads.memoryLimit= --printConsoleTrace --related --repeats= --restoreMocks --retry= --retry.count=
      --retry.delay= --run --sequence.concurrent --sequence.groupOrder= --sequence.hooks= --sequence.seed=
      --sequence.setupFiles= --sequence.shuffle --sequence.shuffle.files --sequence.shuffle.tests --shard: --silent
      --single-thread --sinceLastRun --slowTestThreshold= --standalone --strictTags --tagsFilter: --teardownTimeout= --testNamePattern:
      --testTimeout= --threads --typecheck --typecheck.allowJs --typecheck.enabled --typecheck.exclude: --typecheck.ignoreSourceErrors
      --typecheck.include: --typecheck.only --typecheck.spawnTimeout= --unstubEnvs --unstubGlobals --update --version
      --vmMemoryLimit= --watch`,
  },
  {
    ...testRunners,
    programs: 'jest',
    options: `-b -f -h -i -o -t: -u -v -w= --all --automock --bail --cache --changedFilesWithAncestor --changedSince: --ci --clearCache
      --clearMocks --collectCoverage --collectCoverageFrom: --color --colors --coverage --coveragePathIgnorePatterns:
      --coverageThreshold= --debug --detectLeaks --detectOpenHandles --errorOnDeprecated --expand --findRelatedTests
      --forceExit --help --ignoreProjects= --injectGlobals --json --lastCommit --listTests --logHeapUsage --maxConcurrency=
      --maxWorkers= --noStackTrace --notify --notifyMode= --onlyChanged --onlyFailures --openHandlesTimeout=
      --passWithNoTests --randomize --resetMocks --resetModules --restoreMocks --run-in-band --runInBand --runTestsByPath
      --seed= --selectProjects= --shard: --showConfig --showSeed --silent --skipFilter --testLocationInResults --testMatch:
      --testNamePattern: --testPathIgnorePatterns: --testPathPattern: --testPathPatterns: --testRegex: --testTimeout=
      --transformIgnorePatterns: --updateSnapshot --useStderr --verbose --version --waitNextEventLoopTurnForUnhandledRejectionEvents
      --watch --watchAll --watchman --watchPathIgnorePatterns: --workerIdleMemoryLimit= --workerThreads`,
    expands: {},
  },
  // Passes every option that it does not know on to node. For the other runners these letters mean something else.
  {
    ...testRunners,
    programs: 'mocha',
    options: `-A -S -V -b -f: -g: -h -i -j= -p -s= -t= -w --allow-uncaught --async-only --bail --check-leaks --color --colors --delay
      --diff --dry-run --exclude: --exit --extension= --fail-zero --fgrep: --forbid-only --forbid-pending --full-trace --global=
      --globals= --grep: --help --ignore: --inline-diffs --invert --jobs= --list-interfaces --list-reporters --no-config
      --no-opts --no-package --parallel --pass-on-failing-test-suite --posix-exit-codes --recursive --retries= --slow= --sort
      --timeout= --timeouts= --version --watch --watch-files: --watch-ignore:`,
    expands: {},
    runs: `${testRunners.runs} -R -u -O`,
    takes: { ...testRunners.takes, '-R': reporters, '-u --ui': /^(?:bdd|tdd|qunit|exports)$/ },
  },
  {
    ...testRunners,
    programs: 'playwright',
    options: `-g: -h -j= -u -V -x --fail-on-flaky-tests --forbid-only --fully-parallel --global-timeout= --grep: --grep-invert: --headed
      --help --ignore-snapshots --last-failed --list --max-failures= --no-deps --only-changed: --pass-with-no-tests --quiet
      --repeat-each= --retries= --shard: --timeout= --trace= --update-snapshots --update-source-method= --version --workers=`,
  },
  {
    ...testRunners,
    programs: 'c8 nyc',
    options: `-a -e= -h -n: -r= -s -v -x: --100 --all --allowExternal --branches= --cache --check-coverage --clean --exclude: --exclude-after-remap
      --exclude-node-modules --extension= --functions= --help --include: --instrument --lines= --omitRelative --per-file --reporter=
      --produce-source-map --show-process-tree --silent --skip-empty --skip-full --source-map --src: --statements= --version`,
    runs: `${testRunners.runs} --babel-cache --hook-require --nycrc-path`,
    writes: `${testRunners.writes} --report-dir --reports-dir --temp-directory`,
    takes: {
      '-r --reporter': coverageReporters,
      ...testRunners.takes,
      '--report-dir --reports-dir --temp-directory': 'output',
    },
    wraps: true,
  },
  {
    ...testRunners,
    programs: 'ava cypress karma wtr tap jasmine',
    options: `-b -d -g: -h -j= -m: -q -s -T= -u -v -w --allow-empty-coverage --allow-incomplete-coverage --auto-watch --bail --browsers=
      --changed --color --colors --component --concurrency= --coverage --disable-coverage --e2e --exit --fail-fast
      --fail-on-empty-test-suite --files: --grep: --group= --headed --headless --help --invert --jobs= --log-level= --match=
      --only --parallel= --preserve-symlinks --quiet --random= --reset-cache --seed= --serial --show-full-coverage
      --single-run --static-logging --stop-on-failure= --tag= --tap --timeout= --update-snapshots --verbose --version --watch
      --worker-threads`,
    expands: {},
  },
];
