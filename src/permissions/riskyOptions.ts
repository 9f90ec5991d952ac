/**
 * Options and words that make a program do more than its name says: run another program, load code or configuration,
 * write a file that the command line names, or work in another place. A rule with a wildcard does not cover them unless
 * it spells them. One table, each row with the manual that it was taken from.
 */

/** What an option makes the program do. */
export type Risk = 'runs' | 'writes' | 'elsewhere';

/** A word of a command that only a rule which spells it covers. */
export interface RiskyWord {
  /** Where it stands among the words of the command; the program is 0. */
  readonly at: number;
  readonly word: string;
  readonly risk: Risk;
  /** The row of the table, for people: `git --output: git-diff(1)`. */
  readonly row: string;
  /** Where the `--` stands that hands it on; a rule that spells that has opened what follows. */
  readonly behind?: number;
}

interface Row {
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
  /** Other words that run, write or reach elsewhere. */
  readonly words?: RegExp;
  /** What follows `--`, or a script's name, goes to a program that is not known here. */
  readonly passesOn?: boolean;
  /** What may be handed on nevertheless. */
  readonly passable?: RegExp;
}

const scriptShell =
  '--script-shell --node-options --shell --userconfig --globalconfig --init-module --git --editor --viewer --browser --call -c';
const testRunner =
  '--config -c --globals-file --package --node-option -n --typecheck.checker --diff --sequence.sequencer';

const testRunners: Row = {
  programs: 'vitest jest ava playwright cypress karma wtr c8 nyc tap jasmine',
  manual: 'vitest.dev/guide/cli, jestjs.io/docs/cli, mochajs.org, playwright.dev/docs/test-cli',
  runs: `${testRunner} --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --environment --env --testEnvironment --testRunner --runner --transform --resolver --reporter --reporters --preset --haste --require -r --import --loader --ui --file --spec --node-options --execArgv --pool --browser --browser.provider --browser.name --moduleNameMapper --modulePaths --coverageProvider --coverage.provider --coverage.customProviderModule --coverage.reporter --snapshotSerializers --snapshotEnvironment --moduleDirectories --coverageReporters --globals --testResultsProcessor --testSequencer --snapshotResolver --filter --prettierPath --watchPlugins --dependencyExtractor --openssl --api --inspect --inspect-brk --open --outputFile --project-config --test-list`,
  writes:
    '--update-snapshots --outputJson --benchmark.outputJson --coverageDirectory --coverage.reportsDirectory --outputFile --cacheDirectory --output --attachmentsDir --report-dir --temp-dir',
  elsewhere: '--root --rootDir --roots --dir -C --cwd --workspace --projects --prefix --configLoader',
  subcommands: 'install open init codegen cr show-trace create',
};

/** Subcommands of git 2.53 (`git help --all`), those that scripts use included. */
const gitCommands =
  'add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config count-objects credential daemon describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc get-tar-commit-id grep hash-object help hook index-pack init instaweb interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm send-email shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-objects update-index update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree';
const cargoCommands =
  'add b bench build c check clean clippy d doc fetch fix fmt generate-lockfile help info init install locate-project login logout metadata new owner package pkgid publish r read-manifest remove report rm run rustc rustdoc search t test tree uninstall update vendor verify-project version yank';

const rows: readonly Row[] = [
  {
    programs: 'git',
    manual: 'git(1) and the manual of each subcommand',
    global:
      '-c --config-env --exec-path -C --git-dir --work-tree --namespace --super-prefix --attr-source -p --paginate',
    values: 'mFSGL',
    runs: '--ext-diff --textconv --upload-pack --receive-pack --exec -O --open-files-in-pager --extcmd --template --config --filters --show-signature',
    writes: '--output --output-directory --separate-git-dir --ignore-revs-file',
    elsewhere: '--no-index --reference --server-option --contents',
    subcommands:
      'bisect config credential daemon difftool fast-import filter-branch for-each-repo help hook instaweb maintenance mergetool remote-ext send-email submodule update-index update-server-info',
    ofSubcommand: {
      apply: '--unsafe-paths',
      archive: '-o --remote',
      clone: '-c -u',
      'format-patch': '-o',
      rebase: '-x',
    },
    known: gitCommands,
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
      'config c set edit explore exec x dlx create init innit link ln login logout adduser publish unpublish owner access token deprecate dist-tag hook profile patch patch-commit plugin policies env server self-update setup store',
    // Installs, and runs the scripts of what it installs.
    ofSubcommand: { audit: 'fix --fix' },
    passesOn: true,
  },
  {
    programs: 'node nodejs tsx ts-node deno electron',
    manual: 'node(1), docs.deno.com/runtime/reference/cli',
    runs: '-e -p -r -c -i -pe --eval --print --require --import --loader --experimental-loader --inspect --inspect-brk --inspect-port --inspect-wait --env-file --env-file-if-exists --experimental-config-file --experimental-default-config-file --conditions -C --run --snapshot-blob --build-snapshot --openssl-config --icu-data-dir --experimental-policy --interactive --config --import-map --allow-all -A --allow-run --allow-write --preload --test-global-setup --test-reporter',
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
  },
  {
    programs: 'eslint standard xo tslint',
    manual: 'eslint.org/docs/latest/use/command-line-interface',
    runs: '-c --config --rulesdir --resolve-plugins-relative-to --plugin --parser -f --format --init --flag --inspect-config',
    writes: '--fix -o --output-file --cache-location --cache-file --fix-type',
    elsewhere: '--ignore-path --stdin-filename',
  },
  {
    programs: 'prettier biome oxlint stylelint dprint rome',
    manual: 'prettier.io/docs/cli, biomejs.dev/reference/cli',
    runs: '--plugin --plugin-search-dir --config --config-path --config-precedence --custom-syntax --formatter --custom-formatter --config-basedir',
    writes: '--cache-location --output-file',
    elsewhere: '--ignore-path --with-node-modules',
  },
  testRunners,
  // To the others these letters are something else.
  { ...testRunners, programs: 'mocha', runs: `${testRunners.runs} -R -u` },
  {
    programs: 'dotnet msbuild',
    manual: 'learn.microsoft.com/dotnet/core/tools/dotnet-test, learn.microsoft.com/visualstudio/msbuild',
    // Properties hold commands that a build runs, and loggers, adapters and collectors are code.
    words:
      /^@|^(?:--?|\/)(?:p|property)(?:[:=]|$)|^(?:--?|\/)(?:t|target|l|logger|dl|distributedlogger):|^--?(?:s|settings|test-adapter-path|runtimeconfig|depsfile|additionalprobingpath|startup-hook)(?:[:=]|$)|TestAdaptersPaths/i,
  },
  {
    programs: 'pytest py.test tox nox',
    manual: 'docs.pytest.org/en/stable/reference/reference.html#command-line-flags',
    style: 'gnu',
    words: /^@/,
    runs: '-p -c -o --config-file --override-ini --pdb --pdbcls --trace --pyargs --import-mode --confcutdir --rootdir -W --pythonwarnings --cov-config --noxfile -f --workdir',
    writes:
      '--basetemp --junitxml --junit-xml --log-file --report-log --resultlog --pastebin --cov-report --debug --cache-clear --html',
    elsewhere: '--ignore-glob --rootdir',
  },
  {
    programs: 'mypy ruff black flake8 pylint isort pyright bandit pyflakes',
    manual: 'mypy(1), docs.astral.sh/ruff/configuration, black(1), pylint(1)',
    // argparse takes every beginning of a name.
    style: 'gnu',
    runs: '--config --config-file --rcfile --rc-file --load-plugins --init-hook --python-executable --python --append-config --settings-path --settings-file --plugins --enable-extensions --code -c --install-types --project -p --venvpath --pythonpath',
    writes:
      '--output-file --cache-dir --junit-xml --html-report --xml-report --txt-report --linecount-report --any-exprs-report --output -o --fix --unsafe-fixes --add-noqa',
    elsewhere: '--custom-typeshed-dir --shadow-file --stdin-filename',
  },
  {
    programs: 'pip pip3 pipx uv uvx poetry pipenv hatch pdm conda mamba',
    manual: 'pip(1), docs.astral.sh/uv/reference/cli',
    runs: '--python --config-settings --global-option --build-option --install-option --index-url -i --extra-index-url --find-links -f --trusted-host --proxy --cert --client-cert --with --with-requirements --with-editable --config-file --editable -e --default-index --index --env-file --from --script',
    writes:
      '--target -t --root --src --log --report --prefix --user --dest -d --wheel-dir -w --system --break-system-packages',
    elsewhere: '--directory -C --project -P --cache-dir',
    subcommands: 'run exec config shell tool publish self init new create',
    passesOn: true,
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
    programs: 'ninja meson cmake ctest bazel ant rake task just',
    manual: 'ninja(1), cmake(1), just(1), and the manual of each',
    runs: '-f -C -t -D -E -P -S -B -G -r -e --eval --execute --require --toolchain --build-and-test --script --justfile --shell --shell-arg --shell-command --set --dotenv-path --command --choose --chooser --edit --taskfile --rakefile --bazelrc',
    writes: '--install --prefix',
    elsewhere: '--working-directory -d --dir --directory',
    words: /^[\w.-]+=/,
  },
  {
    programs: 'gradle gradlew mvn mvnw',
    manual: 'docs.gradle.org/current/userguide/command_line_interface.html, maven.apache.org',
    style: 'single',
    runs: '-b -c -p -I -D -P -g -f -s -gs -t --init-script --build-file --settings-file --project-dir --include-build --settings --global-settings --toolchains --file --define',
    words: /^-[DP]./,
  },
  {
    programs: 'cargo',
    manual: 'doc.rust-lang.org/cargo/commands/cargo.html',
    runs: '--config -Z --manifest-path -C --lockfile-path --registry --index --git --path --with',
    writes: '--target-dir --artifact-dir --out-dir --root --allow-dirty --fix',
    subcommands: 'install publish login logout owner yank fix uninstall run r new init vendor',
    known: cargoCommands,
    words: /^\+/,
    passesOn: true,
    // libtest: doc.rust-lang.org/rustc/tests
    passable:
      /^(?:-q|--(?:nocapture|no-capture|show-output|ignored|include-ignored|exact|list|quiet|skip|test-threads|color|format)(?:=.*)?)$/,
  },
  {
    programs: 'rustc rustfmt rustup',
    manual: 'rustc(1), rustfmt(1)',
    runs: '-C --codegen -Z --config --config-path --extern -L -l --sysroot --run --toolchain',
    writes: '-o --out-dir --emit',
    subcommands: 'run self default override toolchain component target update install set',
  },
  {
    programs: 'go gofmt',
    manual: 'pkg.go.dev/cmd/go',
    style: 'single',
    runs: '-exec -toolexec -modfile -overlay -ldflags -gcflags -gccgoflags -asmflags -compiler -pkgdir -vettool -r -pgo -buildmode -tags',
    writes:
      '-o -w -outputdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -test.coverprofile -cpuprofile -fix',
    elsewhere: '-C -workfile',
    subcommands: 'run generate tool env install get bug telemetry fix clean work',
  },
  {
    programs: 'gcc g++ cc c++ clang clang++ ld',
    manual: 'gcc(1), clang(1)',
    style: 'gnu',
    runs: '-B -wrapper -fplugin -specs --specs -Xclang -load -fuse-ld --config -Wl',
    writes: '-o -MF -dumpdir --output',
    words: /^(?:@.*|-(?:wrapper|fplugin|specs|Xclang|load|fuse-ld|B|Wl)[^ ]*)$/,
  },
  {
    programs: 'docker podman nerdctl docker-compose',
    manual: 'docker(1), docs.docker.com/reference/cli/docker',
    runs: '-v --volume --volumes-from --mount --privileged --device --cap-add --security-opt --pid --ipc --network --net --userns --uts --cgroupns --cgroup-parent --entrypoint --env-file --add-host --runtime --build-context --secret --ssh --allow -f --file --env --project-directory',
    writes: '-o --output --iidfile --cidfile --metadata-file --export-cache --cache-to',
    elsewhere: '-H --host -c --context --config --tlscacert --tlscert --tlskey --connection --url --remote',
    subcommands:
      'run exec build buildx bake cp compose create start commit load import save export push login logout plugin swarm service stack secret config context volume attach rm rmi kill stop restart system prune up down',
  },
  {
    programs: 'kubectl helm oc',
    manual: 'kubernetes.io/docs/reference/kubectl, helm.sh/docs/helm',
    runs: '--kubeconfig --post-renderer --plugin --exec-command --raw --filename -f --kustomize -k --as --as-group --token --server -s --cluster --context --user --cache-dir --values --set-file --certificate-authority --client-key --insecure-skip-tls-verify',
    writes: '--output-dir --profile-output',
    subcommands:
      'exec cp run apply create replace delete edit patch debug attach port-forward proxy config plugin scale drain cordon taint label annotate auth set rollout install upgrade uninstall rollback push pull repo registry',
  },
  {
    programs: 'terraform tofu ansible ansible-playbook aws gcloud az gh glab heroku fly vercel netlify',
    manual: 'developer.hashicorp.com/terraform/cli, docs.ansible.com, cli.github.com/manual',
    style: 'single',
    runs: '-chdir -plugin-dir -var-file -backend-config -e -i -m -a --module-name --extra-vars --inventory --config --cli-input-json --flags-file --profile --endpoint-url --editor --web -R --repo --clobber --hostname',
    writes: '-out -state -state-out -backup --outfile -o --output -O --dir -D',
    subcommands:
      'apply destroy import console init configure auth api alias extension config secret ssh-key gpg-key codespace delete merge release login logout',
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
    runs: '-o -F -J -S -E -w -L -R -D -I -i -A -X -Y -W -l -D',
    words: /^-?oProxyCommand/i,
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
    programs: 'awk gawk mawk nawk',
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
    programs: 'diff cmp sdiff patch colordiff delta',
    manual: 'diff(1), patch(1)',
    style: 'gnu',
    writes: '-o --output -r --reject-file -B --prefix -Y --basename-prefix -z --suffix --pager',
    elsewhere: '-d --directory -X --exclude-from --from-file --to-file -i --input',
  },
  {
    programs: 'ps top htop lsof strace ltrace gdb lldb perf valgrind',
    manual: 'ps(1), gdb(1), strace(1)',
    style: 'gnu',
    runs: '-ex -x -p -c --command --eval-command -iex -ix --init-command --init-eval-command --args --source -o -s -S -O',
    words: /^(?:[a-zA-Z]*e[a-zA-Z]*|-ex)$/,
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
    programs:
      'watch parallel xargs env sudo doas su nohup setsid timeout nice time exec command script flock entr hyperfine',
    manual: 'the manual of each: they run another program',
    style: 'gnu',
    words: /./s,
  },
  {
    programs:
      'eval source . trap alias export declare local readonly typeset enable hash set shopt bind complete',
    manual: 'bash(1), builtins',
    style: 'gnu',
    words: /./s,
  },
];

/** What each program's row says, ready to look up. */
const table: ReadonlyMap<string, Row> = new Map(
  rows.flatMap((row) => row.programs.split(' ').map((program) => [program, row] as const)),
);

/** The program's name without its folder, in small letters: some file systems do not tell the difference. */
export const programName = (word: string | null | undefined): string =>
  (word ?? '').replace(/^.*\//, '').toLowerCase();

/**
 * The words of a command that a rule covers only where it spells them. A word that is not known at all (null) is not
 * among them: whoever asks has to look at those first.
 */
export function riskyWords(argv: readonly (string | null)[]): readonly RiskyWord[] {
  const at = toolAt(argv);
  const outer = argv.slice(0, at === 0 ? argv.length : at);
  const inner = at === 0 ? [] : readRow(argv.slice(at), at);
  return [...readRow(outer, 0), ...inner];
}

/**
 * Where the tool stands that a runner of tools is given (`npx vitest`, `uv run pytest`, `python -m pytest`); 0 = the
 * program is no such runner, or names no tool.
 */
export function toolAt(argv: readonly (string | null)[]): number {
  const name = programName(argv[0]);
  const start = /^(?:npx|bunx|pnpx|uvx)$/.test(name)
    ? 1
    : runners.some(([program, word]) => program.test(name) && word.test(argv[1] ?? ''))
      ? 2
      : 0;
  if (start === 0) return 0;
  const at = argv.findIndex((word, index) => index >= start && word !== null && !word.startsWith('-'));
  return at === -1 ? 0 : at;
}

const runners: readonly (readonly [program: RegExp, word: RegExp])[] = [
  [/^(?:npm|pnpm|yarn)$/, /^(?:exec|x|dlx)$/],
  [/^bun$/, /^x$/],
  [/^(?:uv|poetry|pipenv|hatch|pdm)$/, /^run$/],
  [/^bundle$/, /^exec$/],
  [/^python[\d.]*$/, /^-m$/],
];

const interpreters =
  /^(?:(?:ba|z|da|k|fi|a|c|tc)?sh|pwsh|powershell|python|pypy|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|php|lua|luajit|Rscript|julia|osascript|tclsh|expect|crontab|batch)$/i;
const clients = /^(?:sqlite|psql|mysql|mariadb|mongosh|redis-cli|gdb|lldb|ed|ex)$/;
const named = /^(?:-[cefrEQ]|-e[vx].*|-cmd|-batch|--?(?:command|eval|execute|file|init).*)$/;

/**
 * Whether a program runs what it reads from its input: an interpreter without a script, the client of a database or a
 * debugger without commands among its words. Its words do not say what it does then.
 */
export function runsItsInput(argv: readonly (string | null)[]): boolean {
  const name = programName(argv[0]).replace(/(?<=[a-z])[\d.]+$/, '');
  const words = argv.slice(1);
  const operands = words.filter((word) => word === null || word === '-' || !word.startsWith('-'));
  if (name === 'sqlite' && operands.length > 1) return false;
  if (clients.test(name)) return !words.some((word) => word !== null && named.test(word));
  if (!interpreters.test(name)) return false;
  const [script = '-'] = operands;
  return script === '-' || script === '/dev/stdin' || words.includes('-s');
}

/** The subcommand of a program that has some: its place among the words, 0 where there is none. */
export function subcommandAt(argv: readonly (string | null)[]): number {
  const row = table.get(programName(argv[0]));
  if (row?.subcommands === undefined && row?.known === undefined) return 0;
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at];
    if (word == null) return 0;
    if (
      row.global !== undefined &&
      /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|exec-path|config-env))$/.test(word)
    )
      at += 1;
    else if (!/^[-+]/.test(word)) return at;
  }
  return 0;
}

/** Whether a program has this subcommand of its own; true where its subcommands are not known here. */
export function hasSubcommand(program: string, word: string): boolean {
  const known = table.get(programName(program))?.known;
  return known === undefined || known.split(' ').includes(word);
}

function readRow(argv: readonly (string | null)[], offset: number): RiskyWord[] {
  const name = programName(argv[0]).replace(/^(python|pip|ruby|lua|pypy)[\d.]+$/, '$1');
  const row = table.get(name);
  if (row === undefined) return [];
  const subcommand = subcommandAt(argv);
  const found: RiskyWord[] = [];
  const add = (at: number, word: string, risk: Risk, what: string, behind?: number): void => {
    const shown = `${name} ${what}: ${row.manual}`;
    found.push({
      at: at + offset,
      word,
      risk,
      row: shown,
      ...(behind !== undefined && { behind: behind + offset }),
    });
  };
  const end = argv.indexOf('--');
  for (const [at, word] of argv.entries()) {
    if (at === 0 || word === null) continue;
    if (at === subcommand) {
      if (row.subcommands?.split(' ').includes(word)) add(at, word, 'runs', word);
      else if (!hasSubcommand(name, word)) add(at, word, 'runs', 'subcommands of others');
      continue;
    }
    if (end !== -1 && at > end) {
      if (row.passesOn === true && word.startsWith('-') && row.passable?.test(word) !== true)
        add(at, word, 'runs', 'options for the script', end);
      else if (row.words?.test(word)) add(at, word, 'runs', 'words');
      continue;
    }
    const risks: readonly (readonly [Risk, string | undefined])[] = [
      ['runs', subcommand === 0 || at < subcommand ? row.global : undefined],
      ['runs', subcommand > 0 && at > subcommand ? row.ofSubcommand?.[argv[subcommand] ?? ''] : undefined],
      ['runs', row.runs],
      ['writes', row.writes],
      ['elsewhere', row.elsewhere],
    ];
    const isBundle = row.bundled === true && at === 1 && /^[A-Za-z]+$/.test(word);
    const text = isBundle ? `-${word}` : word;
    const hit = risks
      .map(([risk, list]) => [risk, list?.split(' ').find((option) => isOption(text, option, row))] as const)
      .find(([, option]) => option !== undefined);
    if (hit?.[1] !== undefined) add(at, word, hit[0], hit[1]);
    else if (row.words?.test(word)) add(at, word, 'runs', 'words');
    else if (isPassedOn(row, argv, at)) add(at, word, 'runs', 'options for the script');
  }
  return found;
}

/** pnpm, yarn and bun hand on what follows a script's name, with `--` and without. */
function isPassedOn(row: Row, argv: readonly (string | null)[], at: number): boolean {
  if (row.passesOn !== true || argv[at]?.startsWith('-') !== true) return false;
  if (!/^(?:pnpm|yarn|yarnpkg|bun)$/.test(programName(argv[0]))) return false;
  const script = argv.findIndex((word, index) => index > 0 && word !== null && !word.startsWith('-'));
  return script !== -1 && at > script;
}

/** Whether a word gives an option of the table, alone, abbreviated, in a cluster, or with its value. */
function isOption(word: string, option: string, row: Row): boolean {
  if (word === option) return true;
  if (!word.startsWith('-') || word === '-' || word === '--') return false;
  const [name = ''] = word.split('=');
  if (row.style === 'single')
    return option.length > 2
      ? bare(name.replace(/^--?test\./, '-')) === bare(option)
      : name.replace(/^--/, '-') === option;
  if (option.startsWith('--')) {
    // `--all` is an option of its own, and the beginning of none.
    if (row.style === 'nopt')
      return bare(name).length > 1 && bare(name) !== 'all' && bare(option).startsWith(bare(name));
    if (!name.startsWith('--')) return false;
    if (row.style === 'gnu' || row.global !== undefined) return name.length > 3 && option.startsWith(name);
    return [name, name.replace(/\..*$/, ''), `--${name.replace(/^.*\./, '')}`].some(
      (one) => bare(one) === bare(option),
    );
  }
  if (word.startsWith('--') || option.length !== 2) return false;
  const letters = word.slice(1);
  const at = letters.indexOf(option.charAt(1));
  return (
    at !== -1 && /^[A-Za-z\d]*$/.test(letters.slice(0, at)) && !hasValue(letters.slice(0, at), row.values)
  );
}

const hasValue = (letters: string, values = ''): boolean =>
  [...letters].some((letter) => values.includes(letter));

/** `--global-setup` and `--globalSetup` are the same option to most programs of JavaScript. */
const bare = (option: string): string => option.replace(/-/g, '').toLowerCase();
