/** Programs that work on a project: package managers, test runners, linters, builds. Data only. */
import { biomeRow, shellcheckRow } from './linterRows.ts';
import { long, type ProgramRow } from './programRow.ts';

/**
 * A Makefile variable that only sets a quantity or a choice, judging by its name or value. Others may be programs
 * (`CC`, `SHELL`) or options of programs (`CFLAGS`): gnu.org/software/make/manual, "Implicit Variables".
 */
const makeVariable =
  /^(?!SHELL|MAKE|PATH|LD_)(?:(?:V|VERBOSE|Q|DEBUG|CI|ENV|TESTS?|T|FILTER|PLATFORM|ARCH|OS|GOOS|GOARCH|MODE|BUILD_TYPE|PROFILE|VERSION|TAG|JOBS|N|COUNT|SEED|PREFIX|DESTDIR)=[\w.,:@%+/][\w.,:@%+/-]*|[A-Z][A-Z0-9_]*=(?:v?\d[\w.-]*|y|yes|n|no|on|off|true|false|debug|release)?)$/;

/**
 * Text that a shell would run inside double quotes, and that make would interpret: `$(…)`, backticks, variables, the
 * end of the quotes, an immediately expanded assignment. pnpm up to 9 and npm 6 to 8.11 pass words on in such quotes,
 * and a script may call make.
 */
const scriptWords =
  /`|\$[({A-Za-z_]|\\["']|\n|^[\w.-]+\s*[:+?!]{1,3}=|^(?:[\w.]*SHELL(?:FLAGS)?|(?:GNU)?MAKE(?:FLAGS|FILES)?)\s*=|=-[A-Za-z-]/;
/** The same if a recipe uses the word without quotes: just.systems/man, taskfile.dev, rake. */
const recipeWords = new RegExp(`${scriptWords.source}|[;&|<>()$\\n\\\\]`);

const scriptShell =
  '--script-shell --node-options --shell --userconfig --globalconfig --init-module --git --editor --viewer --browser --call -c';

const testRunner =
  '--config -c --globals-file --package --node-option -n --typecheck.checker --diff --sequence.sequencer';

/** Built-in reporters and formats: any other word is a file or a package that is loaded. */
const reporters =
  /^(?:default|verbose|dot|basic|tap|tap-flat|tap13|line|list|spec|min|minimal|nyan|progress|landing|json|json-stream|junit|xunit|html|blob|doc|markdown|tree|hanging-process|github-actions|summary|agent)(?:,(?:default|verbose|dot|json|junit|html|github-actions|line|list|blob))*$/;

const testRunners: ProgramRow = {
  programs: 'vitest jest ava playwright cypress karma wtr c8 nyc tap jasmine',
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
    '--coverage.reporter --coverageReporters':
      /^(?:text|text-summary|lcov|lcovonly|html|html-spa|json|json-summary|clover|cobertura|none)$/,
    '--coverage.provider --coverageProvider': /^(?:v8|istanbul|babel)$/,
    '--env --environment --testEnvironment': /^(?:node|jsdom|happy-dom|edge-runtime)$/,
    '--pool': /^(?:forks|threads|vmForks|vmThreads)$/,
    '--browser --browser.name': /^(?:all|chromium|chrome|firefox|webkit|edge|electron|msedge|safari)$/,
    '--project': /^!?[\w*@ -]+$/,
  },
};

const packageManagers: ProgramRow = {
  programs: 'npx pnpm pnpx yarn yarnpkg bun bunx corepack',
  manual: 'npm-config(7), pnpm.io/cli, yarnpkg.com/cli, bun.sh/docs/cli',
  style: 'nopt',
  runs: `${scriptShell} --require -r --preload --config --experimental-default-type --eval -e --print --import --inspect --inspect-brk --allow-scripts --package -p --script-prepend-node-path --shell-emulator --pnpmfile --global-pnpmfile --registry --env-file --before --use-yarnrc --npmrc-auth-file --fetch-preconnect --install --https-proxy --http-proxy --proxy --cafile --ca --strict-ssl --onload-script --node-gyp --npm-path --_auth --allow-build --dangerously-allow-all-builds --trust`,
  writes:
    '--logs-dir --tmp --reporter-outfile --link-folder --lockfile-dir --mutex --yarn-offline-mirror --preferred-cache-folder --global -g --location --pack-destination --modules-dir --virtual-store-dir --store-dir --outfile --outdir --filename --out',
  elsewhere:
    '--prefix -C --cwd --dir --top-level-folder --cache --cache-folder --modules-folder --local-prefix -w --workspace --workspaces -ws --filter -F --recursive --include-workspace-root -iwr',
  // npm and the like interpret `me/x` as a GitHub repository, unless a dot precedes it.
  fetches: {
    by: /^(?!(?:run|run-script|rum|urn|test|tst|t|start|stop|restart|build|exec|x|dlx)$)/,
    words: /^(?:@?[\w./-]+@)?\w[\w.-]*\/[\w.-]+(?:#\S*)?$/,
  },
  subcommands:
    'config c set get edit explore exec x dlx create init innit link ln login logout adduser publish unpublish owner access token deprecate dist-tag hook profile patch patch-commit plugin policies env server self-update setup store pkg set-script node workspace workspaces npm global repl upgrade foreach trust team undeprecate approve-builds deploy tag sdks',
  // Installs packages, and runs their scripts.
  ofSubcommand: { audit: 'fix --fix', pm: 'trust' },
  passesOn: 'script',
  handedOn: scriptWords,
  // `--@scope:registry=…` and `--//host/:_authToken=…` are settings as well.
  words: /^--config\.|^--coverage-dir(?:=|$)|^-+(?:@|\/\/)/,
};

const buildTools: ProgramRow = {
  programs: 'ninja cmake ant',
  manual: 'ninja(1), cmake(1), just(1), and the manual of each',
  runs: '-f -C -t -D -E -P -S -B -G -r -e -p -R -I -g --eval --execute --execute-print --execute-continue --libdir --rakelibdir --require --toolchain --build-and-test --script --justfile --shell --shell-arg --shell-command --set --dotenv-path --command --choose --chooser --edit --taskfile --rakefile --global --wrapper --gdb --gdb-path --setup --native-file --cross-file --ninja-args --vs-args --dotenv-filename --cygpath --tempdir --request --debugger --debugger-pipe',
  writes:
    '--install --prefix -O --output-log --output-junit --graphviz --trace-redirect --profiling-output --debugger-dap-log',
  elsewhere: '--working-directory -d --dir --directory',
  harmless:
    /^-D(?:CMAKE_BUILD_TYPE|CMAKE_EXPORT_COMPILE_COMMANDS|(?:BUILD|ENABLE|WITH)_\w+)(?::\w+)?=(?:ON|OFF|TRUE|FALSE|YES|NO|\d|Debug|Release|RelWithDebInfo|MinSizeRel)$/i,
  takes: {
    // An existing folder, or the justfile.
    '-f -C -S --justfile --taskfile --rakefile': 'input',
    '-B --output-log --output-junit': 'output',
    '-G': /^(?:Ninja|Ninja Multi-Config|Unix Makefiles|Xcode|Visual Studio [\w ]+)$/,
  },
  words:
    /^[\w.-]+\s*[:+?!]{0,3}=|^--(?:help-[\w-]+|system-information|open|internal)$|^https?:|^-(?:D|lib|logger|listener|inputhandler|main|propertyfile|buildfile|file)|^devenv$/,
  passesOn: 'program',
  handedOn: scriptWords,
};

const linkerFlag = /-(?:s|w|X[ =]?(?:'[\w./-]+=[\w.:+/ -]*'|[\w./-]+=[\w.:+/-]*))/.source;

/** The flags of go's linker that only set text; go splits them at blanks. */
const linkerFlags = new RegExp(`^\\s*${linkerFlag}(?:\\s+${linkerFlag})*\\s*$`);

const cargoCommands =
  'add b bench build c check clean clippy d doc fetch fix fmt generate-lockfile help info init install locate-project login logout metadata new owner package pkgid publish r read-manifest remove report rm run rustc rustdoc search t test tree uninstall update vendor verify-project version yank';

export const projectPrograms: readonly ProgramRow[] = [
  packageManagers,
  {
    ...packageManagers,
    programs: 'npm',
    // npm accepts every unambiguous prefix of a name, and some misspellings.
    allSubcommands:
      'access add adduser audit author bin bugs c cache ci cit clean-install clean-install-test completion config create ddp dedupe deprecate diff dist-tag dist-tags docs doctor edit exec explain explore find find-dupes fund get help help-search hook home i in info init innit ins inst install install-ci-test install-clean install-test it la link list ll ln login logout ls ogr org outdated owner pack ping pkg prefix profile prune publish query r rb rebuild remove repo restart rm root run run-script s sbom se search set set-script shrinkwrap show star stars start stop t team test token trust tst un undeprecate uninstall unlink unpublish unstar up update upgrade v verison version view whoami why x',
  },
  {
    programs: 'tsc',
    manual: 'typescriptlang.org/docs/handbook/compiler-options.html',
    style: 'single',
    words: /^@/,
    runs: '--plugins --init',
    writes:
      '--outDir --outFile --out --declarationDir --tsBuildInfoFile --generateTrace --generateCpuProfile',
    elsewhere: '--rootDir --rootDirs --baseUrl --typeRoots',
    takes: {
      '--outDir --declarationDir --outFile --tsBuildInfoFile --generateTrace': 'output',
      '--rootDir --rootDirs --baseUrl --typeRoots': 'input',
    },
  },
  {
    programs: 'eslint standard xo tslint eslint_d',
    manual: 'eslint.org/docs/latest/use/command-line-interface',
    runs: '-c --config --rulesdir --resolve-plugins-relative-to --plugin --parser -f --format --init --flag --inspect-config --mcp',
    writes:
      '-o --output-file --cache-location --cache-file --suppressions-location --suppress-all --suppress-rule',
    elsewhere: '--ignore-path --stdin-filename',
    takes: {
      '-c --config --ignore-path': 'input',
      '-o --output-file --cache-location --cache-file': 'output',
      '-f --format':
        /^(?:stylish|json|json-with-metadata|html|compact|unix|checkstyle|junit|visualstudio|tap|codeframe|jslint-xml)$/,
    },
  },
  {
    programs: 'prettier oxlint dprint rome',
    manual: 'prettier.io/docs/cli',
    runs: '--plugin --plugin-search-dir --config --config-path --config-precedence --plugins --js-plugins',
    writes: '--cache-location --output-file',
    elsewhere: '--ignore-path --with-node-modules',
    takes: { '--config --config-path --ignore-path -c': 'input', '--cache-location --output-file': 'output' },
  },
  biomeRow,
  shellcheckRow,
  {
    programs: 'stylelint',
    manual: 'stylelint.io/user-guide/cli',
    runs: '-c -f --config --config-basedir --custom-syntax --custom-formatter --formatter --plugin --rulesdir',
    writes: '-o --output-file --cache-location',
    elsewhere: '--ignore-path -i --stdin-filename',
    takes: {
      '-c --config --ignore-path -i': 'input',
      '-o --output-file --cache-location': 'output',
      '-f --formatter': /^(?:compact|github|json|string|tap|unix|verbose)$/,
    },
  },
  testRunners,
  // For the other runners these letters mean something else.
  {
    ...testRunners,
    programs: 'mocha',
    runs: `${testRunners.runs} -R -u -O`,
    takes: { ...testRunners.takes, '-R': reporters, '-u --ui': /^(?:bdd|tdd|qunit|exports)$/ },
  },
  {
    programs: 'dotnet msbuild',
    manual: 'learn.microsoft.com/dotnet/core/tools/dotnet-test, learn.microsoft.com/visualstudio/msbuild',
    subcommands:
      'run exec tool script fsi new nuget workload dev-certs user-secrets watch msbuild vstest sdk store',
    allSubcommands:
      'add build build-server clean dev-certs exec format fsi help list migrate msbuild new nuget pack package project publish reference remove restore run script sdk sln solution store test tool user-secrets vstest watch workload',
    style: 'single',
    runs: '--source --configfile --add-source',
    writes:
      '-o --output --output-dir --results-directory --diag --report --artifacts-path --packages --package-directory',
    // Properties contain commands that a build runs, and loggers, adapters and collectors are code.
    words:
      /^@|[a-z]:\/\/|^(?:--?|\/)(?:flp\d?|fileloggerparameters\d?|bl|binarylogger|pp|preprocess|orc|outputresultscache|irc|inputresultscaches|profileevaluation|diag|o|output(?:-dir)?|results-directory|report|artifacts-path|packages|source|configfile):|^-dist:|^(?:--?|\/)(?:p|property)(?:[:=]|$)|^(?:--?|\/)(?:t|target|l|logger|dl|distributedlogger):|^--?(?:s|settings|test-adapter-path|runtimeconfig|depsfile|additionalprobingpath|startup-hook)(?:[:=]|$)|TestAdaptersPaths|\.(?:dll|exe|rsp)$/i,
    takes: {
      '--settings -s --configfile': 'input',
      '-o --output --output-dir --results-directory --report --artifacts-path': 'output',
    },
  },
  {
    programs: 'venv virtualenv',
    manual: 'docs.python.org/3/library/venv.html',
    style: 'gnu',
    // Empties the folder first.
    runs: '--clear --app-data --extra-search-dir --python -p --discovery --creator --activators --seeder',
  },
  {
    programs: 'pytest py.test',
    manual: 'docs.pytest.org/en/stable/reference/reference.html#command-line-flags',
    style: 'gnu',
    // pytest-xdist starts other interpreters, even on other machines; for the rest the value is a file.
    words:
      /^@|^--(?:tx|px|rsyncdir|json-report-file|benchmark-json|durations-path|alluredir|memray-bin-path|cucumber-?json|md-report-output)(?:=|$)/,
    runs: '-p -c -o --config-file --override-ini --pdb --pdbcls --trace --pyargs --import-mode --confcutdir --rootdir -W --pythonwarnings --cov-config',
    values: 'rkmn',
    harmless: /^--cov(?:=[^:]*)?$/,
    writes:
      '--basetemp --junitxml --junit-xml --log-file --report-log --resultlog --pastebin --cov-report --debug --html',
    elsewhere: '--ignore-glob --rootdir',
    takes: {
      '-c --config-file --cov-config --rootdir --confcutdir': 'input',
      '--junitxml --junit-xml --log-file --report-log --html': 'output',
      '--cov-report':
        /^(?:(?:term|term-missing)(?::skip-covered)?|html(?::htmlcov)?|(?:xml|json|lcov)(?::coverage\.\w+)?|annotate)$/,
      '-p': /^no:[\w.-]+$/,
      // A category with a dot would be imported.
      '-W --pythonwarnings': /^(?:error|ignore|always|all|default|module|once)(?::[^:]*)?(?::[A-Za-z]*)?$/,
      '-o --override-ini':
        /^(?:log_cli|log_level|log_cli_level|xfail_strict|junit_family|asyncio_mode|console_output_style)=\w+$/,
      '--import-mode': /^(?:prepend|append|importlib)$/,
    },
  },
  {
    programs: 'tox nox',
    manual: 'tox.wiki/en/latest/cli_interface.html, nox.thea.codes/en/stable/usage.html',
    runs: '-c -x -f --conf --override --root --workdir --noxfile --force-python --extra-python --default-venv-backend',
    takes: { '-c -f --conf --noxfile': 'input' },
    subcommands: 'exec e devenv d',
  },
  {
    programs: 'coverage',
    manual: 'coverage.readthedocs.io/en/latest/cmd.html',
    style: 'gnu',
    runs: '--rcfile --data-file --debug',
    writes: '-o -d --directory',
    takes: { '--rcfile --data-file': 'input', '-o -d --directory': 'output' },
  },
  {
    programs: 'mypy ruff black flake8 isort pyright bandit pyflakes yapf autopep8',
    manual: 'mypy(1), docs.astral.sh/ruff/configuration, black(1), pylint(1)',
    // argparse accepts every prefix of a name, and ruff and mypy read more arguments from a file.
    style: 'gnu',
    words: /^@/,
    runs: '--config --config-file --rcfile --rc-file --load-plugins --init-hook --python-executable --python --append-config --settings-path --settings-file --plugins --enable-extensions --code -c --install-types --project -p --venvpath --pythonpath --typeshedpath --ini',
    writes:
      '--output-file --cache-dir --junit-xml --html-report --xml-report --txt-report --linecount-report --any-exprs-report --output -o --createstub --generate-rcfile',
    elsewhere: '--custom-typeshed-dir --shadow-file --stdin-filename',
    takes: {
      '--config --config-file --rcfile --rc-file --append-config --settings-path --settings-file --ini --project':
        'input',
      '--output-file --cache-dir --junit-xml --html-report --xml-report --txt-report --output -o': 'output',
      // For mypy a package by its name; for pyright a settings file.
      '-p': /^\w[\w.]*$/,
    },
  },
  {
    programs: 'pylint',
    manual: 'pylint.readthedocs.io/en/stable/user_guide/configuration/all-options.html',
    style: 'gnu',
    // A format may be a class, which is imported.
    takes: {
      '-f --output-format': /^(?:text|parseable|colorized|json2?|msvs|github|no-header|pylint_junit)$/,
      '--rcfile': 'input',
      '--output': 'output',
    },
    runs: '--rcfile --load-plugins --init-hook --output-format -f --extension-pkg-allow-list --unsafe-load-any-extension',
    writes:
      '--output --generate-rcfile --generate-toml-config --import-graph --ext-import-graph --int-import-graph',
    words: /^@/,
  },
  {
    programs: 'pip pip3 pipx uv uvx poetry pipenv hatch pdm conda mamba',
    manual: 'pip(1), docs.astral.sh/uv/reference/cli',
    // pip and conda accept every prefix of a name.
    style: 'gnu',
    fetches: { by: /./ },
    runs: '--keyring-provider --git --github --python --config-settings --global-option --build-option --install-option --index-url -i --extra-index-url --find-links -f --trusted-host --proxy --cert --client-cert --with --with-requirements --with-editable --config-file --editable -e --default-index --index --env-file --from --script',
    writes:
      '--target -t --root --src --log --log-file --local-log --report --prefix --user --dest -d --wheel-dir -w --system --break-system-packages -o --output --output-file --out-dir --clear',
    elsewhere: '--directory -C --project -P --cache-dir',
    takes: {
      '-e --editable': /^\.(?:\[[\w,-]+\])?$/,
      '-o --output --output-file': /^[\w./-]*(?:requirements|constraints|pylock)[\w.-]*\.(?:txt|toml)$/,
      '--out-dir': 'output',
    },
    ofSubcommand: { env: 'use' },
    harmless: /^--root-user-action/,
    subcommands: 'run exec config shell tool publish self init new create',
    passesOn: 'program',
  },
  {
    programs: 'make gmake',
    manual: 'make(1)',
    style: 'gnu',
    values: 'jlOW',
    runs: '-f -C -I -E -e --file --makefile --directory --eval --include-dir --environment-overrides',
    words: /^[\w.-]+\s*[:+?!]{0,3}=/,
    known: {
      flags: 'ksnBqwipt',
      attached: 'jlO',
      long: long(`keep-going silent quiet dry-run just-print recon always-make question print-directory no-print-directory
      debug ignore-errors print-data-base touch jobs output-sync load-average trace version help warn-undefined-variables`),
      values: 'f',
      longValues: long('file makefile'),
      places: { '-f': 'input', '--file': 'input', '--makefile': 'input' },
      // Nothing that make would expand, and only variables that name no program.
      operandAt: (word) => /^[\w./%@:+,-]+$/.test(word) || makeVariable.test(word),
    },
  },
  buildTools,
  {
    ...buildTools,
    programs: 'just task rake',
    runs: `${buildTools.runs} -c`,
    handedOn: recipeWords,
    // `just docs/x` is a recipe of that folder.
    first: /\//,
  },
  {
    ...buildTools,
    programs: 'meson',
    style: 'gnu',
    subcommands: 'devenv runpython env2mfile subprojects rewrite format fmt wrap install dist init',
  },
  {
    programs: 'ctest',
    manual: 'cmake.org/cmake/help/latest/manual/ctest.1.html',
    runs: '-S -SP -D -M -T --build-and-test --build-makeprogram --test-command --script --script-new-process --dashboard --overwrite --extra-submit --submit-index --submit --interactive-debug-mode -A --add-notes',
    writes: '-O --output-log --output-junit -N',
    takes: { '-O --output-log --output-junit': 'output' },
  },
  {
    programs: 'bazel bazelisk',
    manual: 'bazel.build/reference/command-line-reference',
    runs: '--run_under --workspace_status_command --script_path --override_repository --override_module --registry --host_jvm_args --extra_toolchains --crosstool_top --compiler --shell_executable --java_launcher --bazelrc --action_env --test_env --define --config --strategy --spawn_strategy --credential_helper --test_wrapper --plugin',
    writes:
      '--output_base --output_user_root --symlink_prefix --build_event_text_file --build_event_json_file --profile --experimental_workspace_rules_log_file',
    subcommands: 'run mobile-install shutdown',
    passesOn: 'program',
  },
  {
    programs: 'gradle gradlew',
    manual: 'docs.gradle.org/current/userguide/command_line_interface.html',
    style: 'single',
    runs: '-b -c -p -I -D -P -g -s -init-script --build-file --settings-file --project-dir --include-build --project-cache-dir --gradle-user-home --system-prop --project-prop --init-script',
    // `wrapper` sets which program is downloaded from where; the others send what was built.
    words:
      /^-[DPIbcpg].|^(?:[\w:.-]*:)?(?:wrapper|init|release|upload\w*|publish(?!ToMavenLocal$)\w*)$|^--(?:gradle-distribution|gradle-version|scan$|export-keys|write-)/,
    // A property without a value turns something on.
    harmless: /^-P[\w.]+$/,
  },
  {
    programs: 'mvn mvnw',
    manual: 'maven.apache.org/ref/current/maven-embedder/cli.html',
    style: 'single',
    runs: '-f -s -gs -t -gt -is -ps --install-settings --project-settings -P -D --file --settings --global-settings --toolchains --global-toolchains --define --builder --log-file -l',
    takes: { '-P': /^[\w.,!?-]+$/, '-f --file': 'input' },
    // Plugin goals by their coordinates.
    words: /^-[DPfst]\S|^[\w.-]+:[\w.:@-]+$|^(?:site-)?deploy$/,
    harmless:
      /^-D(?:test|it\.test|skipTests|skipITs|maven\.test\.skip|failIfNoTests|surefire\.failIfNoSpecifiedTests)(?:=[\w.#*,+-]*)?$/,
  },
  {
    programs: 'cargo',
    manual: 'doc.rust-lang.org/cargo/commands/cargo.html',
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
    style: 'single',
    writes: '-cpuprofile -memprofile -trace',
  },
  {
    programs: 'golangci-lint staticcheck revive',
    manual: 'golangci-lint.run/usage/configuration',
    runs: '-c --config --modules-download-mode',
    writes: '--cpu-profile-path --mem-profile-path --trace-path',
    subcommands: 'custom migrate',
    words: /^--?output\.[\w.-]*path|^--?out-format=.*:/,
    takes: { '-c --config -config': 'input' },
  },
  {
    programs: 'composer bundle bundler gem',
    manual: 'getcomposer.org/doc/03-cli.md, bundler.io/man, guides.rubygems.org',
    fetches: { by: /^(?!(?:test|t|build|lint|start)$)/ },
    ofSubcommand: { sources: '-a --add -r --remove -c --clear-all --append --prepend' },
    writes: '-o --output --lockfile --cache-path --dir --file --target',
    runs: '--git --github --repository --gist --bitbucket -d --working-dir -P --config-file --gemfile --standalone --path -i --install-dir -n --bindir --source -s --key-file -e --exec',
    subcommands:
      'exec run-script run global config repo repository yank server mirror create-project init self-update plugin open console gem inject install-plugin push owner signin cert env mcp',
    passesOn: 'program',
  },
  {
    programs: 'rubocop rspec cucumber',
    manual: 'docs.rubocop.org, rspec.info/features',
    runs: '-r --require -c --config -O --options -I --plugin -f --format --init --drb --init-config -P --profile -p',
    writes: '-o --out --output --auto-gen-config',
    takes: {
      '-c --config --options -O': 'input',
      '-o --out --output': 'output',
      '-f --format':
        /^(?:p|progress|d|doc|documentation|j|json|h|html|f|failures|simple|s|clang|emacs|quiet|offenses|files|github|worst|junit|tap|pacman)$/,
      '-p': /^(?:default|ci|\w+)$/,
    },
    elsewhere: '--default-path',
  },
  {
    programs: 'phpunit phpstan psalm php-cs-fixer phpcs phpcbf pest rector',
    manual: 'docs.phpunit.de, phpstan.org/user-guide/command-line-usage',
    runs: '-c --configuration --config --bootstrap --autoload-file -a --extension --prepend --loader --printer --include-path --standard --runtime-set --plugin --rules --path-mode -d',
    writes:
      '--log-junit --log-teamcity --testdox-html --testdox-text --coverage-html --coverage-text --coverage-clover --coverage-php --coverage-xml --cache-directory --generate-baseline -b --report-file --report --set-baseline --alter',
    takes: {
      '-c --configuration --config --bootstrap': 'input',
      '--log-junit --log-teamcity --testdox-html --testdox-text --coverage-html --coverage-clover --coverage-xml --cache-directory --report-file':
        'output',
      '--standard': /^(?:PSR\d+|PEAR|Squiz|Generic|Zend)$/,
    },
  },
  {
    programs: 'swift dart flutter mix rebar3 sbt lein stack cabal zig crystal nim',
    manual: 'the manual of each',
    runs: '-e --eval -D -J -r --require --exec --toolchain --package-path --script -m -X -M --sdk -p --with-profile --ghc-options --with-compiler --with-ghc -Xswiftc -Xlinker -Xcc -Xcxx --build-runner',
    subcommands:
      'run repl package cmd eval do escript.install archive.install local pub create exec ghci script install runghc runMain console shell with-profile update-in upgrade setup',
    words: /^@|^-[DJX]|[;!"']/,
    passesOn: 'program',
  },
  {
    programs: 'webpack vite rollup esbuild parcel tsup swc babel',
    manual: 'the manual of each',
    runs: '-c -r -p --config --require --plugin --plugins --presets --configPlugin --config-file --config-name --env-file --loader --inject --import --configLoader --onSuccess --root-mode --extends --merge --servedir',
    writes:
      '-o -d --outfile --outdir --outDir --out-dir --out-file --output-path --dir --file --metafile --dist-dir --analyze',
    elsewhere: '--root --cwd --root-dir --base',
    takes: {
      '-c --config --config-file --root': 'input',
      '-o -d --outfile --outdir --outDir --out-dir --out-file --output-path --dir --file --metafile --dist-dir':
        'output',
    },
  },
  {
    programs: 'nx turbo lerna rush',
    manual: 'nx.dev/reference/nx-commands, turborepo.com/docs/reference',
    runs: '--command --commands --cwd --config --root --root-turbo-json --plugin --generator --executor -C --runner --tasksRunner --heap --profile --graph --scm',
    subcommands: 'exec generate g migrate init import add repair connect link login gen init-project report',
    passesOn: 'script',
    handedOn: scriptWords,
  },
  {
    programs: 'rails',
    manual: 'guides.rubyonrails.org/command_line.html',
    runs: '-e -m -r --template --rc',
    subcommands:
      'runner r console c dbconsole db new generate g destroy d plugin app:template credentials:edit encrypted:edit',
  },
];
