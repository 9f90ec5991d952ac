/**
 * The table of options and words that make a program do more than its name says: run another program, load code or
 * configuration, write a file that the command line names, or work in another place. Each row names its manual. Data only;
 * `riskyOptions.ts` reads it.
 */

/**
 * A place that an option may name: something in the workspace that is there, or a place for results, so that no source is
 * overwritten. Under a rule for a runner of the project's own code, its configuration in the workspace adds nothing.
 */
export type Place =
  | 'input'
  | 'output'
  /** Nothing is there yet. */
  | 'new';

export interface Row {
  readonly programs: string;
  /** Where the meaning of the options is written down. */
  readonly manual: string;
  /**
   * How options are written: `gnu` has clusters of letters and abbreviated names, `single` names behind one dash or two,
   * `nopt` abbreviated names behind any number of dashes (github.com/npm/nopt).
   */
  readonly style?: 'gnu' | 'single' | 'nopt';
  /** Letters whose value may follow at once (`-mtext`): what comes behind them is no option. */
  readonly values?: string;
  /** Whether the first word may be a cluster of options without a dash, as in `tar xf`. */
  readonly bundled?: boolean;
  /** Options, separated by blanks, that run something, load code, or name a configuration that does. */
  readonly runs?: string;
  /** Options that write where the command line says, or change files in place. */
  readonly writes?: string;
  /** Options that make it work in another folder or with another repository, project or machine. */
  readonly elsewhere?: string;
  /** The same as `runs` for options in front of the subcommand only. */
  readonly global?: string;
  /** The same as `runs` for options of one subcommand, whose letters mean something else to others. */
  readonly ofSubcommand?: Readonly<Record<string, string>>;
  /** Subcommands that run or configure something. */
  readonly subcommands?: string;
  /** The subcommands that there are: another word is an alias, or a program of its own. */
  readonly known?: string;
  /** Of these, the ones that a rule for the program covers; absent = all but those of `subcommands`. */
  readonly covered?: string;
  /** Other words that run, write or reach elsewhere. */
  readonly words?: RegExp;
  /** Words that do no harm, though an option of the row looks like them. */
  readonly harmless?: RegExp;
  /** Options, separated by blanks, and the values with which they do no harm: as the next word, or after `=`. */
  readonly takes?: Readonly<Record<string, RegExp | Place>>;
  /** The subcommands with which `takes` holds; absent = all. */
  readonly takesIn?: RegExp;
  /** What follows `--`, or a script's name, goes to a script of the project, or to another program. */
  readonly passesOn?: 'script' | 'program';
  /** The options that may be passed on to a program. */
  readonly passable?: RegExp;
}

const scriptShell =
  '--script-shell --node-options --shell --userconfig --globalconfig --init-module --git --editor --viewer --browser --call -c';
const testRunner =
  '--config -c --globals-file --package --node-option -n --typecheck.checker --diff --sequence.sequencer';

/** Reporters and formats that are built in: another word is a file or a package that is loaded. */
const reporters =
  /^(?:default|verbose|dot|basic|tap|tap-flat|tap13|line|list|spec|min|minimal|nyan|progress|landing|json|json-stream|junit|xunit|html|blob|doc|markdown|tree|hanging-process|github-actions|summary|agent)(?:,(?:default|verbose|dot|json|junit|html|github-actions|line|list|blob))*$/;

const testRunners: Row = {
  programs: 'vitest jest ava playwright cypress karma wtr c8 nyc tap jasmine',
  manual: 'vitest.dev/guide/cli, jestjs.io/docs/cli, mochajs.org, playwright.dev/docs/test-cli',
  runs: `${testRunner} --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --environment --env --testEnvironment --testRunner --runner --transform --resolver --reporter --reporters --preset --haste --require -r --import --loader --ui --file --spec --node-options --execArgv --pool --browser --browser.provider --browser.name --moduleNameMapper --modulePaths --coverageProvider --coverage.provider --coverage.customProviderModule --coverage.reporter --snapshotSerializers --snapshotEnvironment --moduleDirectories --coverageReporters --globals --testResultsProcessor --testSequencer --snapshotResolver --filter --prettierPath --watchPlugins --dependencyExtractor --openssl --api --inspect --inspect-brk --open --outputFile --project-config --test-list --reporter-option --reporter-options --node-arguments --node-arg --before --after --plugin --config-file --project`,
  writes:
    '--outputJson --benchmark.outputJson --coverageDirectory --coverage.reportsDirectory --outputFile --cacheDirectory --output --attachmentsDir --report-dir --temp-dir',
  elsewhere: '--root --rootDir --roots --dir -C --cwd --workspace --projects --prefix --configLoader',
  subcommands: 'install open init codegen cr show-trace create',
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

/** Subcommands of git 2.53 (`git help --all`), those that scripts use included. */
const gitCommands =
  'add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config count-objects credential daemon describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep hash-object help hook index-pack init instaweb interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-email shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree';
/**
 * Those that a rule for git as a whole covers. Left out are those that run what they are given or what is configured
 * (`difftool`, `filter-branch`, `credential`, …), write files that they name (`bundle`, `merge-file`, `mailinfo`, …), and
 * those with which content gets into the tree, or into commits, that nobody has looked at (`apply`, `am`, `update-index`,
 * `fast-import`, …): it could be what other programs obey.
 */
const gitCovered =
  'add annotate archive bisect blame branch cat-file check-attr check-ignore check-mailmap check-ref-format checkout cherry cherry-pick clean clone commit count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc get-tar-commit-id grep init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes patch-id prune pull push range-diff rebase reflog remote repack rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag var verify-commit verify-tag version whatchanged worktree write-tree';
const cargoCommands =
  'add b bench build c check clean clippy d doc fetch fix fmt generate-lockfile help info init install locate-project login logout metadata new owner package pkgid publish r read-manifest remove report rm run rustc rustdoc search t test tree uninstall update vendor verify-project version yank';

export const rows: readonly Row[] = [
  {
    programs: 'git',
    manual: 'git(1) and the manual of each subcommand',
    global:
      '-c --config-env --exec-path -C --git-dir --work-tree --namespace --super-prefix --attr-source -p --paginate --list-cmds',
    runs: '--ext-diff --textconv --upload-pack --receive-pack --exec --open-files-in-pager --extcmd --template --config --filters --show-signature --edit-description --remote-submodules',
    writes:
      '--output --output-directory --separate-git-dir --ignore-revs-file --expire-to --filter-to --index-output --export-marks --import-marks',
    elsewhere: '--no-index --reference --server-option --contents --unsafe-paths',
    ofSubcommand: {
      archive: '-o --remote',
      bisect: 'run view visualize replay',
      clone: '-c -u',
      difftool: '-x -t --tool',
      mergetool: '-t --tool',
      'send-email': '--smtp-server --sendmail-cmd --to-cmd --cc-cmd --header-cmd',
      'format-patch': '-o',
      grep: '-O',
      merge: '-s --strategy',
      pull: '-s --strategy',
      rebase: '-x -s --strategy',
      'cherry-pick': '--strategy',
      revert: '--strategy',
      submodule: 'add foreach update set-url absorbgitdirs sync init',
    },
    values: 'X',
    known: gitCommands,
    covered: gitCovered,
    words: /^[a-z][\w+-]*::/,
  },
  {
    programs: 'find fd fdfind',
    manual: 'find(1), fd(1)',
    style: 'single',
    runs: '-exec -execdir -ok -okdir -x -X --exec --exec-batch -xx',
    writes: '-delete -fprint -fprint0 -fprintf -fls',
    elsewhere: '-files0-from -follow -L -H --follow --base-directory --search-path',
  },
  {
    programs: 'rg ag ack ugrep',
    manual: 'rg(1), ag(1), ack(1)',
    style: 'gnu',
    runs: '--pre --pre-glob --hostname-bin --search-zip -z --pager --filter --ackrc --env',
    values: 'eABCgtTmMjEd',
    elsewhere: '--follow -L --file -f --ignore-file --files-from',
  },
  {
    programs: 'grep egrep fgrep zgrep',
    manual: 'grep(1)',
    style: 'gnu',
    values: 'eABCmD',
    elsewhere: '-R -f --dereference-recursive --file --exclude-from',
  },
  {
    programs: 'sort',
    manual: 'sort(1)',
    style: 'gnu',
    values: 'ktS',
    runs: '--compress-program',
    writes: '-o --output -T --temporary-directory',
    elsewhere: '--files0-from --random-source',
  },
  {
    programs: 'tar bsdtar gtar',
    manual: 'tar(1)',
    style: 'gnu',
    values: 'fbgKLNV',
    bundled: true,
    runs: '--to-command --checkpoint-action --info-script --new-volume-script -F -I --use-compress-program --rmt-command --rsh-command --index-file',
    writes:
      '-x --extract --get --delete -r --append -A --catenate --concatenate --overwrite --one-top-level --transform --xform',
    elsewhere: '-C --directory -P --absolute-names -T --files-from -X --exclude-from -h --dereference',
  },
  {
    programs: 'zip unzip 7z 7za 7zr',
    manual: 'zip(1), unzip(1)',
    style: 'gnu',
    runs: '-T --test -TT --unzip-command',
    elsewhere: '-d -b --temp-path -@',
  },
  {
    programs: 'npm npx pnpm pnpx yarn yarnpkg bun bunx corepack',
    manual: 'npm-config(7), pnpm.io/cli, yarnpkg.com/cli, bun.sh/docs/cli',
    style: 'nopt',
    runs: `${scriptShell} --require -r --preload --config --experimental-default-type --eval -e --print --import --inspect --inspect-brk --allow-scripts --package -p --script-prepend-node-path --shell-emulator --pnpmfile --global-pnpmfile --registry --env-file --before`,
    writes:
      '--global -g --location --pack-destination --modules-dir --virtual-store-dir --store-dir --outfile --outdir',
    elsewhere:
      '--prefix -C --cwd --dir --top-level-folder --cache --cache-folder --modules-folder --local-prefix -w --workspace --workspaces -ws --filter -F --recursive',
    subcommands:
      'config c set edit explore exec x dlx create init innit link ln login logout adduser publish unpublish owner access token deprecate dist-tag hook profile patch patch-commit plugin policies env server self-update setup store pkg set-script node workspace workspaces',
    // Installs, and runs the scripts of what it installs.
    ofSubcommand: { audit: 'fix --fix' },
    passesOn: 'script',
  },
  {
    programs: 'node nodejs tsx ts-node deno electron',
    manual: 'node(1), docs.deno.com/runtime/reference/cli',
    runs: '-e -p -r -c -i -pe --eval --print --require --import --loader --experimental-loader --inspect --inspect-brk --inspect-port --inspect-wait --env-file --env-file-if-exists --experimental-config-file --experimental-default-config-file --conditions -C --run --snapshot-blob --build-snapshot --openssl-config --icu-data-dir --experimental-policy --interactive --config --import-map --allow-all -A --allow-run --allow-write --allow-read --allow-net --allow-env --allow-ffi --allow-sys --allow-import -R -W -N -E -S --preload --test-global-setup --test-reporter',
    takes: { '--test-reporter': /^(?:spec|tap|dot|junit|lcov)$/ },
    writes:
      '--diagnostic-dir --report-dir --report-directory --cpu-prof-dir --heap-prof-dir --redirect-warnings --trace-event-file-pattern --test-reporter-destination --heapsnapshot-near-heap-limit',
    subcommands: 'eval repl run install jupyter serve',
  },
  {
    programs: 'python python3 python2 pypy pypy3 py',
    manual: 'python(1)',
    style: 'gnu',
    runs: '-c -m -i -X -W -',
  },
  {
    programs: 'ruby perl php lua luajit osascript Rscript julia R tclsh',
    manual: 'ruby(1), perl(1), php(1), lua(1)',
    style: 'gnu',
    runs: '-e -E -r -R -B -F -l -d -c -S -I -M -m -C -x -z --eval --print --run --define --init --load',
    writes: '-i',
  },
  {
    programs: 'bash sh dash zsh ksh fish ash csh tcsh pwsh powershell cmd',
    manual: 'bash(1), zsh(1)',
    style: 'gnu',
    runs: '-c -s -i -l -o -O --init-file --rcfile --login --init-command --command',
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
    runs: '-c --config --rulesdir --resolve-plugins-relative-to --plugin --parser -f --format --init --flag --inspect-config',
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
    programs: 'prettier biome oxlint dprint rome',
    manual: 'prettier.io/docs/cli, biomejs.dev/reference/cli',
    runs: '--plugin --plugin-search-dir --config --config-path --config-precedence --plugins --js-plugins',
    writes: '--cache-location --output-file',
    elsewhere: '--ignore-path --with-node-modules',
    takes: { '--config --config-path --ignore-path -c': 'input', '--cache-location --output-file': 'output' },
  },
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
  // To the others these letters are something else.
  {
    ...testRunners,
    programs: 'mocha',
    runs: `${testRunners.runs} -R -u`,
    takes: { ...testRunners.takes, '-R': reporters, '-u --ui': /^(?:bdd|tdd|qunit|exports)$/ },
  },
  {
    programs: 'dotnet msbuild',
    manual: 'learn.microsoft.com/dotnet/core/tools/dotnet-test, learn.microsoft.com/visualstudio/msbuild',
    subcommands:
      'run exec tool script fsi new nuget workload dev-certs user-secrets watch msbuild vstest sdk store',
    known:
      'add build build-server clean dev-certs exec format fsi help list migrate msbuild new nuget pack package project publish reference remove restore run script sdk sln solution store test tool user-secrets vstest watch workload',
    // Properties hold commands that a build runs, and loggers, adapters and collectors are code.
    words:
      /^@|^(?:--?|\/)(?:p|property)(?:[:=]|$)|^(?:--?|\/)(?:t|target|l|logger|dl|distributedlogger):|^--?(?:s|settings|test-adapter-path|runtimeconfig|depsfile|additionalprobingpath|startup-hook)(?:[:=]|$)|TestAdaptersPaths|\.(?:dll|exe|rsp)$/i,
    takes: { '--settings -s': 'input' },
  },
  {
    programs: 'pytest py.test',
    manual: 'docs.pytest.org/en/stable/reference/reference.html#command-line-flags',
    style: 'gnu',
    words: /^@/,
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
      // A category with a dot would be loaded.
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
    // argparse takes every beginning of a name, and ruff and mypy take more words from a file.
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
      // A package by its name, to mypy; a file of settings, to pyright.
      '-p': /^\w[\w.]*$/,
    },
  },
  {
    programs: 'pylint',
    manual: 'pylint.readthedocs.io/en/stable/user_guide/configuration/all-options.html',
    style: 'gnu',
    // A format may be a class, which is loaded.
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
    runs: '--python --config-settings --global-option --build-option --install-option --index-url -i --extra-index-url --find-links -f --trusted-host --proxy --cert --client-cert --with --with-requirements --with-editable --config-file --editable -e --default-index --index --env-file --from --script',
    writes:
      '--target -t --root --src --log --report --prefix --user --dest -d --wheel-dir -w --system --break-system-packages',
    elsewhere: '--directory -C --project -P --cache-dir',
    takes: { '-e --editable': /^\.(?:\[[\w,-]+\])?$/ },
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
  },
  {
    programs: 'ninja meson cmake ant rake task just',
    manual: 'ninja(1), cmake(1), just(1), and the manual of each',
    runs: '-f -C -t -D -E -P -S -B -G -r -e -p -R -I -g --eval --execute --execute-print --execute-continue --libdir --rakelibdir --require --toolchain --build-and-test --script --justfile --shell --shell-arg --shell-command --set --dotenv-path --command --choose --chooser --edit --taskfile --rakefile --global --wrapper --gdb --gdb-path --setup --native-file --cross-file --ninja-args --vs-args --debugger --debugger-pipe',
    writes:
      '--install --prefix -O --output-log --output-junit --graphviz --trace-redirect --profiling-output --debugger-dap-log',
    elsewhere: '--working-directory -d --dir --directory',
    harmless:
      /^-D(?:CMAKE_BUILD_TYPE|CMAKE_EXPORT_COMPILE_COMMANDS|(?:BUILD|ENABLE|WITH)_\w+)(?::\w+)?=(?:ON|OFF|TRUE|FALSE|YES|NO|\d|Debug|Release|RelWithDebInfo|MinSizeRel)$/i,
    takes: {
      // A folder that is there, or the justfile.
      '-f -C -S --justfile --taskfile --rakefile': 'input',
      '-B --output-log --output-junit': 'output',
      '-G': /^(?:Ninja|Ninja Multi-Config|Unix Makefiles|Xcode|Visual Studio [\w ]+)$/,
    },
    words: /^[\w.-]+=|^-(?:D|lib|logger|listener|inputhandler|main|propertyfile|buildfile|file)|^devenv$/,
    passesOn: 'program',
  },
  {
    programs: 'ctest',
    manual: 'cmake.org/cmake/help/latest/manual/ctest.1.html',
    runs: '-S -SP -D -M -T --build-and-test --build-makeprogram --test-command --script --script-new-process --dashboard --overwrite --extra-submit --submit-index --interactive-debug-mode',
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
    words: /^-[DPIbcpg]./,
    // A property without a value turns something on.
    harmless: /^-P[\w.]+$/,
  },
  {
    programs: 'mvn mvnw',
    manual: 'maven.apache.org/ref/current/maven-embedder/cli.html',
    style: 'single',
    runs: '-f -s -gs -t -gt -P -D --file --settings --global-settings --toolchains --global-toolchains --define --builder --log-file -l',
    takes: { '-P': /^[\w.,!?-]+$/, '-f --file': 'input' },
    // Goals of plugins, by their coordinates.
    words: /^-[DPfst]\S|^[\w.-]+:[\w.:@-]+$/,
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
    known: cargoCommands,
    // A target may be a file that names a linker.
    words: /^\+|\.json$/,
    passesOn: 'program',
    // libtest: doc.rust-lang.org/rustc/tests; lints of clippy; rustfmt.
    passable:
      /^(?:-[qv]|--(?:nocapture|no-capture|show-output|ignored|include-ignored|exact|list|quiet|skip|test-threads|color|format|check|verbose)(?:=.*)?|-[DWAF](?:[a-z_]+(?:::[a-z_]+)*)?|--cap-lints=\w+)$/,
  },
  {
    programs: 'rustc rustfmt rustup',
    manual: 'rustc(1), rustfmt(1)',
    words: /^@|^-[CZLl]/,
    runs: '-C --codegen -Z --config --config-path --extern -L -l --sysroot --run --toolchain',
    writes: '-o --out-dir --emit',
    subcommands: 'run self default override toolchain component target update install set',
  },
  {
    programs: 'go',
    manual: 'pkg.go.dev/cmd/go',
    style: 'single',
    runs: '-exec -toolexec -modfile -overlay -ldflags -gcflags -gccgoflags -asmflags -compiler -pkgdir -vettool -r -pgo -buildmode',
    writes:
      '-o -w -outputdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -test.coverprofile -cpuprofile -fix',
    elsewhere: '-C -workfile',
    takes: {
      '-o -outputdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace': 'output',
      // No option that goes on to another linker, or to a compiler's plugin.
      '-ldflags': /^(?:\s*-(?:s|w|X[ =]?(?:'[\w./-]+=[\w.:+/ -]*'|[\w./-]+=[\w.:+/-]*)))+\s*$/,
      '-gcflags': /^(?:[\w./]+=)?(?:\s*-[NlmBS])+\s*$/,
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
    programs:
      'gcc g++ cc c++ clang clang++ nm objdump readelf size addr2line clang-format clang-tidy opt llc',
    manual: 'gcc(1), clang(1)',
    style: 'gnu',
    runs: '-B -wrapper -fplugin -specs --specs -Xclang -load -fuse-ld --config --plugin -Wl',
    writes: '-o -MF -dumpdir --output',
    words: /^(?:@.*|-(?:wrapper|fplugin|specs|Xclang|load|fuse-ld|B|Wl)[^ ]*)$/,
  },
  {
    programs: 'docker podman nerdctl',
    manual: 'docker(1), docs.docker.com/reference/cli/docker',
    runs: '-v --volume --volumes-from --mount --privileged --device --cap-add --security-opt --pid --ipc --network --net --userns --uts --cgroupns --cgroup-parent --entrypoint --env-file --add-host --runtime --build-context --secret --ssh --allow --file --env --project-directory',
    writes: '-o --output --iidfile --cidfile --metadata-file --export-cache --cache-to',
    elsewhere: '-H --host -c --context --config --tlscacert --tlscert --tlskey --connection --url --remote',
    subcommands:
      'run exec build buildx bake cp compose create start commit load import save export push login logout plugin swarm service stack secret config context volume attach rm rmi kill stop restart system prune up down container image network model mcp sandbox scout',
  },
  {
    programs: 'docker-compose podman-compose',
    manual: 'docs.docker.com/reference/cli/docker/compose',
    global: '-f --file -p --project-name --project-directory --env-file --profile --workdir',
    runs: '-v --volume --volumes-from --entrypoint --privileged --cap-add --env-from-file --build-arg --ssh --secret --sbom --provenance --builder',
    writes: '-o --output --lock-image-digests',
    elsewhere: '-H --host -c --context --config --tlscacert --tlscert --tlskey',
    subcommands: 'run exec cp publish export commit alpha bridge attach',
    ofSubcommand: { down: '-v --volumes' },
    harmless: /^--build$/,
    takes: { '-f --file': 'input', '--build-arg': /^[A-Za-z]\w*=[\w.:-]*$/ },
  },
  {
    programs: 'kubectl oc',
    manual: 'kubernetes.io/docs/reference/kubectl',
    runs: '--kubeconfig --plugin --exec-command --raw --kustomize -k --as --as-group --token --server -s --cluster --context --user --cache-dir --certificate-authority --client-key --client-certificate --insecure-skip-tls-verify',
    writes: '--output-directory --profile-output',
    // One of the user's own clusters, to look at.
    takes: { '--context --cluster --user': /^[\w.:@/-]+$/ },
    takesIn: /^(?:get|describe|logs|top|events|explain|api-resources|api-versions|version|cluster-info)$/,
    subcommands:
      'exec cp run apply create replace delete edit patch debug attach port-forward proxy config plugin scale autoscale drain cordon uncordon taint label annotate auth set rollout expose diff',
    known:
      'alpha annotate api-resources api-versions apply attach auth autoscale certificate cluster-info completion config cordon cp create debug delete describe diff drain edit events exec explain expose get kustomize label logs options patch plugin port-forward proxy replace rollout run scale set taint top uncordon version wait',
    passesOn: 'program',
  },
  {
    programs: 'helm',
    manual: 'helm.sh/docs/helm',
    runs: '--kubeconfig --post-renderer --post-renderer-args --kube-token --kube-apiserver --kube-context --kube-as-user --kube-ca-file --registry-config --repository-config --repository-cache --set-file --ca-file --cert-file --key-file --keyring --repo',
    writes: '--output-dir --destination -d',
    subcommands:
      'install upgrade uninstall rollback push pull repo registry plugin create package dependency dep test',
    known:
      'completion create dependency dep env get history hist install lint list ls package plugin pull push registry repo rollback search show inspect status template test uninstall upgrade verify version help',
  },
  {
    programs: 'terraform tofu terragrunt',
    manual: 'developer.hashicorp.com/terraform/cli',
    style: 'single',
    runs: '-chdir -plugin-dir -var-file -backend-config -from-module --config --terragrunt-config --terragrunt-tfpath',
    writes: '-out -state -state-out -backup -generate-config-out',
    takes: { '-var-file': 'input', '-out': 'output' },
    subcommands:
      'apply destroy import console init state taint untaint force-unlock login logout workspace run-all exec run',
  },
  {
    programs: 'ansible ansible-playbook ansible-galaxy ansible-vault',
    manual: 'docs.ansible.com/ansible/latest/cli',
    style: 'gnu',
    runs: '-e -i -m -a -M -c -t -u --module-name --args --extra-vars --inventory --module-path --connection --become-method --private-key --key-file --ssh-common-args --ssh-extra-args --sftp-extra-args --scp-extra-args --vault-password-file --vault-id --playbook-dir --tree --task-timeout',
  },
  {
    programs: 'gh glab',
    manual: 'cli.github.com/manual',
    runs: '-R --repo --web -w --editor -e --clobber --hostname --input --recover --template -T',
    writes: '-O --output -D --dir',
    subcommands:
      'api auth alias extension config secret variable ssh-key gpg-key codespace preview copilot attestation',
    ofSubcommand: {
      repo: 'clone delete fork rename sync edit archive',
      pr: 'merge checkout',
      release: 'delete download upload',
    },
    known:
      'alias api attestation auth browse cache codespace completion config copilot extension gist gpg-key help issue label mr ci org pr preview project release repo ruleset run search secret ssh-key status variable version workflow',
    passesOn: 'program',
  },
  {
    programs: 'aws gcloud az heroku fly flyctl vercel netlify wrangler',
    manual: 'the manual of each',
    style: 'single',
    runs: '--cli-input-json --cli-input-yaml --flags-file --profile --endpoint-url --ca-bundle --config --inventory --token -A --local-config -Q --global-config --cwd',
    writes: '--outfile -o --output-file --dir',
    words: /^fileb?:|[=,]fileb?:/,
    subcommands:
      'configure auth login logout init config ssh deploy destroy delete exec dev link env secrets',
  },
  {
    programs: 'curl',
    manual: 'curl(1)',
    style: 'gnu',
    values: 'HXAdeumrUYytwzC',
    runs: '-K --config --engine --netrc-file --proxy --preproxy -x --unix-socket --abstract-unix-socket --doh-url --resolve --connect-to -E --cert --key --next -: --url-query --variable --libcurl',
    writes:
      '-o --output -O --remote-name --remote-name-all -J --remote-header-name --output-dir -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --create-dirs --ssl-sessions --remove-on-error',
    elsewhere: '-T --upload-file -n --netrc --netrc-optional -b --cookie -F --form',
  },
  {
    programs: 'wget aria2c http https xh',
    manual: 'wget(1), aria2c(1), httpie.io/docs/cli',
    style: 'gnu',
    runs: '-e --execute --config --use-askpass --on-download-complete --on-download-start --hook --conf-path --ca-certificate --certificate --private-key --proxy --session',
    writes:
      '-o --output-file -O --output-document -P --directory-prefix -a --append-output --save-cookies --warc-file --warc-dedup -d --dir --out -r --recursive -m --mirror -N --hsts-file -x --force-directories -nd -p',
    elsewhere: '-i --input-file --post-file --body-file --load-cookies -F --force-html -B --base',
  },
  {
    programs: 'ssh scp sftp sshfs mosh',
    manual: 'ssh(1), ssh_config(5)',
    style: 'gnu',
    runs: '-o -F -J -S -E -w -L -R -D -I -i -A -X -Y -W -l -b -B -c',
    words: /^-?oProxyCommand|^--(?:ssh|server|client)(?:=|$)/i,
  },
  {
    programs: 'rsync rclone',
    manual: 'rsync(1)',
    style: 'gnu',
    runs: '-e --rsh --rsync-path --early-input --remote-option -M --daemon --config --password-command --password-file',
    writes:
      '--log-file --write-batch --only-write-batch --backup-dir --temp-dir -T --partial-dir --delete --remove-source-files --del --compare-dest --copy-dest --link-dest',
    elsewhere:
      '--files-from --include-from --exclude-from -L --copy-links --copy-unsafe-links -K --filter -f --merge',
  },
  {
    programs: 'sed gsed',
    manual: 'sed(1)',
    style: 'gnu',
    runs: '-f --file',
    writes: '-i --in-place -I',
    // The commands `e` and `w`, and the flags `e` and `w` of `s`, run and write.
    words: /(?:^|[;{}\n\d$/!~])\s*[eEwW](?:[\s;}]|$)|s(.).*\1.*\1[gpiImM\d]*[ew]/s,
  },
  {
    programs: 'awk gawk mawk nawk original-awk',
    manual: 'awk(1), gawk(1)',
    style: 'gnu',
    runs: '-f --file -E --exec -l --load -i --include -D --debug',
    writes: '-o --pretty-print -p --profile -d --dump-variables',
    words: /\bsystem\b|\||\bgetline\b|>|\bENVIRON\b|@(?:load|include|\w+\s*\()|\bclose\b/,
  },
  {
    programs: 'jq yq xq',
    manual: 'jq(1)',
    style: 'gnu',
    runs: '-L -f --from-file --library-path',
    writes: '-i --inplace --in-place --split-exp -s',
    elsewhere: '--slurpfile --rawfile --argfile',
    words: /\benv\b|\$ENV|\binput_filename\b|\bimport\b|\binclude\b|\bload\b/,
  },
  {
    programs: 'install ln',
    manual: 'install(1), ln(1)',
    style: 'gnu',
    runs: '--strip-program',
    elsewhere: '-t --target-directory --suffix -S',
  },
  {
    programs: 'chmod chown chgrp truncate rm rmdir shred unlink',
    manual: 'chmod(1), truncate(1), rm(1)',
    style: 'gnu',
    elsewhere: '--reference --no-preserve-root --files0-from -Z --context',
  },
  {
    programs: 'tree',
    manual: 'tree(1)',
    style: 'gnu',
    runs: '-R',
    writes: '-o --output',
    elsewhere: '-l --fromfile --infofile --gitfile --fromtabfile',
  },
  {
    programs: 'date',
    manual: 'date(1)',
    style: 'gnu',
    writes: '-s --set',
    elsewhere: '-f --file -r --reference',
  },
  {
    programs: 'less more most man info',
    manual: 'less(1), man(1)',
    style: 'gnu',
    runs: '-P --pager -H --html -k --lesskey-file --lesskey-src --lesskey-content -K -C --config-file --preprocessor -p -T -t --troff-device --ditroff -X --gxditview --recode',
    writes: '-o -O --log-file --LOG-FILE --output',
    words: /^\+/,
  },
  {
    programs: 'vim vi nvim view ex ed emacs nano',
    manual: 'vim(1), emacs(1)',
    style: 'gnu',
    runs: '-c -S -s -u -U -i -W -w -e -E -l -f --cmd --eval --load --batch --execute --funcall --script --rcfile',
    words: /^\+/,
  },
  { programs: 'tee split csplit dd', manual: 'tee(1), split(1), dd(1)', style: 'gnu', runs: '--filter' },
  {
    programs: 'uniq column nl tac rev fold expand unexpand pr fmt cut paste join comm base64 shuf wc du',
    manual: 'the manual of each',
    style: 'gnu',
    writes: '-o --output',
    elsewhere: '--files0-from -X --exclude-from --random-source',
  },
  {
    programs: 'diff cmp sdiff diff3 patch colordiff delta difft',
    manual: 'diff(1), patch(1)',
    style: 'gnu',
    runs: '--diff-program --pager --paging --features --config',
    writes: '-o --output -r --reject-file -B --prefix -Y --basename-prefix -z --suffix --pager',
    elsewhere: '-d --directory -X --exclude-from --from-file --to-file -i --input',
  },
  {
    programs: 'ps top htop lsof',
    manual: 'ps(1), lsof(8)',
    style: 'gnu',
    // Letters without a dash that hold an e show the environment.
    words: /^[a-zA-Z]*e[a-zA-Z]*$/,
    writes: '-D',
  },
  {
    programs: 'openssl gpg gpg2',
    manual: 'openssl(1), gpg(1)',
    style: 'single',
    runs: '-engine -provider -config -provider-path -keyform --exec-path --homedir --options --photo-viewer --agent-program --load-extension --keyserver',
    writes: '-out -keyout -writerand --output -o -d --decrypt --export-secret-keys',
    elsewhere: '-in -inkey -CAfile -CApath',
  },
  {
    programs: 'sqlite3 psql mysql mariadb mongosh redis-cli',
    manual: 'sqlite3(1), psql(1), mysql(1)',
    style: 'single',
    runs: '-c --command -f --file -cmd -init -e --execute --eval -x --pipe -o --output -L --log-file -v --set --defaults-file --defaults-extra-file --init-command --tee --pager --plugin-dir -A --load --interactive',
    words:
      /\\!|\\copy|\\o|\\w|\.(?:shell|system|output|once|load|import|read|save|backup|open|excel|log|cd)\b|readfile|writefile|load_extension|edit\(|into\s+(?:out|dump)file|load_file|copy\s.*program/i,
  },
  {
    programs: 'composer bundle bundler gem',
    manual: 'getcomposer.org/doc/03-cli.md, bundler.io/man, guides.rubygems.org',
    runs: '-d --working-dir -P --config-file --gemfile --standalone --path -i --install-dir -n --bindir --source -s --key-file -e --exec',
    subcommands:
      'exec run-script run global config create-project init self-update plugin open console gem inject install-plugin push owner signin cert env mcp',
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
    programs:
      'elixir iex erl ghc ghci runghc scala groovy clojure clj jshell kotlin jrunscript ipython jupyter gawk-script janet guile racket sbcl clisp octave gnuplot maxima gp m4 tclsh8 expect',
    manual: 'the manual of each',
    style: 'gnu',
    runs: '-e -c -m -r -l -s -i -p -x -M -X -A -J --eval --command --execute --load --require --init --script -eval -run -noshell --dot-iex --config --profile-dir --ipython-dir -D -I',
    words: /^@|[;(]/,
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
  },
  {
    programs: 'rails',
    manual: 'guides.rubyonrails.org/command_line.html',
    runs: '-e -m -r --template --rc',
    subcommands:
      'runner r console c dbconsole db new generate g destroy d plugin app:template credentials:edit encrypted:edit',
  },
  {
    programs: 'hg svn',
    manual: 'hg(1), svn help',
    style: 'gnu',
    runs: '--config --config-file --config-dir --config-option --diff-cmd --diff3-cmd --merge-cmd --editor-cmd --debugger --ssh -e --remotecmd --tool -t',
    writes: '-o --output --profile',
    elsewhere: '-R --repository --cwd',
    subcommands:
      'serve config import export archive extdiff patch bisect debugsetparents propset ps propedit pe',
    words: /^[a-z+]*ssh:.*-o/i,
  },
  {
    programs: 'apt apt-get aptitude dpkg dnf yum apk pacman brew port nix nix-env nix-build nix-shell',
    manual: 'apt(8), dpkg(1), nix(1), and the manual of each',
    runs: '-o -c -i -C -D --option --config-file --config --admindir --root --hookdir --pre-invoke --post-invoke --setopt --command --run --expr -E -f --file --impure --installroot --hookdir --gpgdir --arg --argstr --unpack',
    subcommands: 'run develop shell edit create bump-cask-pr sh ruby irb exec services',
  },
  {
    programs: 'dig drill kdig delv host nslookup',
    manual: 'dig(1)',
    style: 'gnu',
    elsewhere: '-f -k',
  },
  {
    programs: 'systemctl journalctl loginctl',
    manual: 'systemctl(1), journalctl(1)',
    style: 'gnu',
    runs: '-H --host -M --machine --root --image --file -D --directory --cursor-file',
    subcommands:
      'edit link enable reenable set-property set-environment import-environment revert preset mask',
  },
  {
    programs: 'exiftool',
    manual: 'exiftool(1)',
    style: 'single',
    runs: '-@ -if -config -p -execute -stay_open -api -use -userparam -fileNUM',
    writes: '-o -out -w -W -textOut -csv -json -tagsfromfile -srcfile',
  },
  {
    programs: 'nmap',
    manual: 'nmap(1)',
    style: 'single',
    runs: '--script --script-args --script-args-file --datadir --servicedb --versiondb',
    writes: '-oN -oX -oA -oG -oS',
    elsewhere: '-iL --excludefile --resume --stylesheet',
  },
  {
    programs: 'tcpdump tshark ip',
    manual: 'tcpdump(1), nmap(1), ip(8)',
    style: 'gnu',
    runs: '-z -X -b --batch -batch -B -F',
    writes: '-w -o',
    elsewhere: '-r -V',
    words: /^(?:netns|exec)$|^-b/,
  },
  // A subscript is calculated, and a command in it is run: bash(1), "Arithmetic Evaluation".
  {
    programs: 'ld gold lld as ar ranlib objcopy strip',
    manual: 'ld(1), as(1), ar(1): they write what they are given',
    words: /./s,
  },
  { programs: 'printf', manual: 'bash(1), builtins', style: 'gnu', runs: '-v' },
  {
    programs: 'test [ [[ print exit return shift break continue kill wait ulimit getopts',
    manual: 'bash(1), zshbuiltins(1)',
    style: 'gnu',
    runs: '-v -R -P -n',
    words: /\[.*[$`(]/s,
    harmless: /^-n$/,
  },
  {
    programs:
      'watch parallel xargs env sudo doas su nohup setsid timeout gtimeout nice ionice chrt taskset stdbuf time exec command builtin script flock entr hyperfine busybox toybox chroot unshare nsenter strace ltrace valgrind perf gdb lldb rr rlwrap unbuffer tmux screen batch systemd-run run-parts start-stop-daemon setarch prlimit caffeinate dbus-run-session xvfb-run fakeroot proot firejail bwrap flatpak direnv mise asdf dotenv dotenvx cross-env concurrently npm-run-all nodemon pm2 foreman overmind honcho watchexec onchange chokidar wsl ssh-agent gosu su-exec tini dumb-init torify proxychains faketime eatmydata numactl cpulimit xdg-open open start gio nc ncat netcat socat pkexec runuser linux32 linux64 setpriv capsh choom inotifywait timeit pdb runpy code codeop cprofile profile trace zipapp',
    manual: 'the manual of each: they run another program',
    style: 'gnu',
    words: /./s,
  },
  {
    programs:
      'eval source . trap alias export declare local readonly typeset enable hash set shopt bind complete compgen let read mapfile readarray unset zmodload autoload zcompile functions zle sched fc coproc',
    manual: 'bash(1), builtins',
    style: 'gnu',
    words: /./s,
  },
];

/** The options of several programs together. */
const together = (key: 'runs' | 'writes' | 'elsewhere', list: readonly Row[]): string =>
  list.flatMap((row) => (row[key] ?? '').split(' ').filter((option) => /^--./.test(option))).join(' ');

const projectTools = rows.filter(({ programs }) =>
  /^(?:vitest|mocha|eslint|prettier|stylelint|webpack|tsc|node|nx)(?: |$)/.test(programs),
);

/** A script of the project, which may hand what it is given to any of the tools that projects use. */
export const scriptRow: Row = {
  programs: '(script)',
  manual: 'the manuals of the tools that scripts of a project run',
  runs: `${together('runs', projectTools)} --exec --eval`,
  writes: together('writes', projectTools),
  elsewhere: together('elsewhere', projectTools),
  takes: Object.assign({}, ...projectTools.map(({ takes }) => takes)),
  // To vitest: one run.
  harmless: /^--run$/,
};
