/** Programs that build: make, CMake and the like, and those of the JVM and of .NET. Data only. */
import { long, type ProgramRow, scriptWords } from './programRow.ts';

/**
 * A Makefile variable that only sets a quantity or a choice, judging by its name or value. Others may be programs
 * (`CC`, `SHELL`) or options of programs (`CFLAGS`): gnu.org/software/make/manual, "Implicit Variables".
 */
const makeVariable =
  /^(?!SHELL|MAKE|PATH|LD_)(?:(?:V|VERBOSE|Q|DEBUG|CI|ENV|TESTS?|T|FILTER|PLATFORM|ARCH|OS|GOOS|GOARCH|MODE|BUILD_TYPE|PROFILE|VERSION|TAG|JOBS|N|COUNT|SEED|PREFIX|DESTDIR)=[\w.,:@%+/][\w.,:@%+/-]*|[A-Z][A-Z0-9_]*=(?:v?\d[\w.-]*|y|yes|n|no|on|off|true|false|debug|release)?)$/;

/** The words that a shell would run if a recipe uses them without quotes: just.systems/man, taskfile.dev, rake. */
const recipeWords = new RegExp(`${scriptWords.source}|[;&|<>()$\\n\\\\]`);

const buildTools: ProgramRow = {
  programs: 'ninja cmake ant',
  manual: 'ninja(1), cmake(1), just(1), and the manual of each',
  options: `-A= -H: -j= -k -l= -n -N -q -t= -v -w= -W= -h --build: --clean-first --config= --fresh --help --keep-going --log-level=
      --no-warn-unused-cli --parallel= --preset= --quiet --target= --verbose --version --list-presets= --loglevel=`,
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

export const buildPrograms: readonly ProgramRow[] = [
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
      attachedForm: /^(?:[\d.]*|none|line|target|recurse)$/,
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
    options: `-a -A -j= -l -m -n -o= -q -s -T= -u -v -V -w -W= -x -y --all --color= --concurrency= --dry --dry-run --evaluate --exit-code
      --groups --help --highlight --interval= --jobs= --json --list --list-all --list-heading= --multitask --no-deps --one
      --output= --parallel --prereqs --quiet --show= --silent --status --summary --tasks= --trace= --unsorted --unstable
      --usage= --verbose --version --watch --where= --yes -h`,
    runs: `${buildTools.runs} -c`,
    handedOn: recipeWords,
    // `just docs/x` is a recipe of that folder.
    first: /\//,
  },
  {
    ...buildTools,
    programs: 'meson',
    options: `-h -j= -q -v --backend= --benchmark --buildtype= --clean --default-library= --help --jobs= --list --maxfail= --no-rebuild
      --no-suite= --num-processes= --optimization= --print-errorlogs --quiet --reconfigure --repeat= --strip --suite=
      --timeout-multiplier= --unity= --verbose --version --warnlevel= --werror --wipe --wrap-mode=`,
    style: 'gnu',
    subcommands: 'devenv runpython env2mfile subprojects rewrite format fmt wrap install dist init',
  },
  {
    programs: 'ctest',
    manual: 'cmake.org/cmake/help/latest/manual/ctest.1.html',
    options: `-C= -E: -I= -j= -L: -Q -R: -U -V -h --build-config= --exclude-regex: --extra-verbose --help --label-exclude: --label-regex:
      --max-width= --no-tests= --output-on-failure --parallel= --preset= --print-labels --progress --quiet --repeat=
      --rerun-failed --schedule-random --show-only= --stop-on-failure --stop-time= --test-dir: --test-load= --tests-regex:
      --timeout= --verbose --version`,
    runs: '-S -SP -D -M -T --build-and-test --build-makeprogram --test-command --script --script-new-process --dashboard --overwrite --extra-submit --submit-index --submit --interactive-debug-mode -A --add-notes',
    writes: '-O --output-log --output-junit -N',
    takes: { '-O --output-log --output-junit': 'output' },
  },
  {
    programs: 'bazel bazelisk',
    manual: 'bazel.build/reference/command-line-reference',
    options: `-c= -j= -k -s --announce_rc --build_tag_filters= --build_tests_only --cache_test_results= --check_up_to_date
      --collect_code_coverage --color= --combined_report= --compilation_mode= --cpu= --curses= --flaky_test_attempts= --help
      --instrumentation_filter: --jobs= --keep_going --local_test_jobs= --nobuild --nocache_test_results --noimplicit_deps
      --noshow_progress --notool_deps --output= --platforms: --runs_per_test= --sandbox_debug --show_progress= --show_result=
      --subcommands --test_filter: --test_lang_filters= --test_output= --test_size_filters= --test_summary=
      --test_tag_filters= --test_timeout= --ui_event_filters= --verbose_failures --version`,
    runs: '--run_under --workspace_status_command --script_path --override_repository --override_module --registry --host_jvm_args --extra_toolchains --crosstool_top --compiler --shell_executable --java_launcher --bazelrc --action_env --test_env --define --config --strategy --spawn_strategy --credential_helper --test_wrapper --plugin',
    writes:
      '--output_base --output_user_root --symlink_prefix --build_event_text_file --build_event_json_file --profile --experimental_workspace_rules_log_file',
    subcommands: 'run mobile-install shutdown',
    passesOn: 'program',
  },
  {
    programs: 'gradle gradlew',
    manual: 'docs.gradle.org/current/userguide/command_line_interface.html',
    options: `-a -d -h -i -m -q -S -t -v -V -w -x: --all --build-cache --configuration= --configuration-cache --configuration-cache-problems=
      --configure-on-demand --console= --continue --continuous --daemon --debug --dependency= --dry-run --exclude-task: --fail-fast
      --full-stacktrace --group= --help --info --max-workers= --no-build-cache --no-configuration-cache --no-continue --no-daemon
      --no-parallel --no-problems-report --no-rebuild --no-scan --no-watch-fs --non-interactive --offline --parallel --priority=
      --profile --quiet --refresh-dependencies --rerun --rerun-tasks --stacktrace --status --stop --test-dry-run --tests: --version
      --warn --warning-mode= --watch-fs`,
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
    options: `-am -amd -B -c -C -e -fae -ff -fn -h -N -nsu -ntp -o -pl: -q -rf: -T= -U -v -V -X --also-make --also-make-dependents --batch-mode
      --color= --debug --errors --fail-at-end --fail-fast --fail-never --help --lax-checksums --no-snapshot-updates
      --no-transfer-progress --non-recursive --offline --projects: --quiet --resume-from: --show-version --strict-checksums
      --threads= --update-snapshots --version`,
    style: 'single',
    runs: '-f -s -gs -t -gt -is -ps --install-settings --project-settings -P -D --file --settings --global-settings --toolchains --global-toolchains --define --builder --log-file -l',
    takes: { '-P': /^[\w.,!?-]+$/, '-f --file': 'input' },
    // Plugin goals by their coordinates.
    words: /^-[DPfst]\S|^[\w.-]+:[\w.:@-]+$|^(?:site-)?deploy$/,
    harmless:
      /^-D(?:test|it\.test|skipTests|skipITs|maven\.test\.skip|failIfNoTests|surefire\.failIfNoSpecifiedTests)(?:=[\w.#*,+-]*)?$/,
  },
  {
    programs: 'dotnet msbuild',
    manual: 'learn.microsoft.com/dotnet/core/tools/dotnet-test, learn.microsoft.com/visualstudio/msbuild',
    options: `-a= -c= -f= -graph -h -m= -maxcpucount= -noLogo -nr= -nodeReuse= -r= -restore -tl= -v= -warnaserror= -? --arch= --blame
      --blame-crash --blame-hang --blame-hang-timeout= --collect: --configuration= --deprecated --diagnostics= --disable-build-servers
      --exclude: --filter: --force --force-evaluate --format= --framework= --help --highest-minor --highest-patch
      --ignore-failed-sources --include: --include-generated --include-prerelease --include-transitive --info --interactive
      --launch-profile= --list-runtimes --list-sdks --list-tests --locked-mode --minimum-expected-tests= --no-ansi --no-build
      --no-cache --no-dependencies --no-incremental --no-launch-profile --no-progress --no-restore --no-self-contained --nologo
      --os= --outdated --prerelease --project: --runtime= --sc --self-contained= --severity= --ucr --use-current-runtime
      --use-lock-file --verbosity= --verify-no-changes --version= --version-suffix= --vulnerable`,
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
      /^@|^\/(?!m$|nologo$|v:)[a-z]\w*(?::|$)|[a-z]:\/\/|^(?:--?|\/)(?:flp\d?|fileloggerparameters\d?|bl|binarylogger|pp|preprocess|orc|outputresultscache|irc|inputresultscaches|profileevaluation|diag|o|output(?:-dir)?|results-directory|report|artifacts-path|packages|source|configfile):|^-dist:|^(?:--?|\/)(?:p|property)(?:[:=]|$)|^(?:--?|\/)(?:t|target|l|logger|dl|distributedlogger):|^--?(?:s|settings|test-adapter-path|runtimeconfig|depsfile|additionalprobingpath|startup-hook)(?:[:=]|$)|TestAdaptersPaths|\.(?:dll|exe|rsp)$/i,
    harmless:
      /^-{1,2}(?:v|verbosity|m|maxcpucount|clp|consoleloggerparameters|nr|nodereuse|tl|warnaserror|c|f|r):[\w.;=-]+$/i,
    takes: {
      '--logger -l': /^(?:trx|console|html)(?:;[A-Za-z]+=[\w.-]+)*$/,
      '--settings -s --configfile': 'input',
      '-o --output --output-dir --results-directory --report --artifacts-path': 'output',
    },
  },
];
