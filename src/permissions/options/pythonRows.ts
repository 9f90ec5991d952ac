/** Test runners, checkers and package managers of Python. Data only. */
import type { ProgramRow } from './programRow.ts';

const checkers: Omit<ProgramRow, 'programs'> = {
  manual: 'mypy(1), docs.astral.sh/ruff/configuration, black(1), pylint(1)',
  // argparse accepts every prefix of a name, and ruff and mypy read more arguments from a file.
  style: 'gnu',
  words: /^@/,
  runs: '--config --config-file --rcfile --rc-file --load-plugins --init-hook --python-executable --python --append-config --settings-path --settings-file --plugins --enable-extensions --code -c --install-types --project -p --venvpath --pythonpath --typeshedpath --ini',
  writes:
    '--output-file --cache-dir --junit-xml --html-report --xml-report --txt-report --linecount-report --any-exprs-report --linecoverage-report --lineprecision-report --cobertura-xml-report --xslt-html-report --xslt-txt-report --timing-stats --line-checking-stats --output -o --createstub --generate-rcfile',
  elsewhere: '--custom-typeshed-dir --shadow-file --stdin-filename',
  takes: {
    '--config --config-file --rcfile --rc-file --append-config --settings-path --settings-file --ini --project':
      'input',
    '--output-file --cache-dir --junit-xml --html-report --xml-report --txt-report --output -o --linecoverage-report --lineprecision-report --cobertura-xml-report --xslt-html-report --xslt-txt-report --timing-stats --line-checking-stats --any-exprs-report --linecount-report':
      'output',
    // For mypy a package by its name; for pyright a settings file.
    '-p': /^\w[\w.]*$/,
  },
};

export const pythonPrograms: readonly ProgramRow[] = [
  {
    programs: 'venv virtualenv',
    manual: 'docs.python.org/3/library/venv.html',
    options: `-h -q -v --copies --download --help --no-download --no-setuptools --no-wheel --pip= --prompt= --quiet --setuptools=
      --symlinks --system-site-packages --upgrade --upgrade-deps --verbose --version --wheel= --without-pip
      --without-scm-ignore-files`,
    style: 'gnu',
    // Empties the folder first.
    runs: '--clear --app-data --extra-search-dir --python -p --discovery --creator --activators --seeder',
  },
  {
    programs: 'pytest py.test',
    manual: 'docs.pytest.org/en/stable/reference/reference.html#command-line-flags',
    options: `-h -k: -l -m: -n= -q -r= -s -v -V -x -f -d --assert= --asyncio-mode= --benchmark-autosave --benchmark-columns=
      --benchmark-disable --benchmark-enable --benchmark-group-by= --benchmark-max-time= --benchmark-min-rounds= --benchmark-only
      --benchmark-skip --benchmark-sort= --benchmark-warmup= --boxed --browser= --cache-clear --cache-show= --capture= --co
      --code-highlight= --collect-only --color= --continue-on-collection-errors --count= --cov-append --cov-branch
      --cov-context= --cov-fail-under= --create-db --deselect: --disable-pytest-warnings --disable-warnings --dist=
      --doctest-continue-on-failure --doctest-glob: --doctest-ignore-import-errors --doctest-modules --doctest-report=
      --durations= --durations-min= --exitfirst --failed-first --ff --fixtures --fixtures-per-test --force-short-summary
      --forked --full-trace --funcargs --headed --help --hypothesis-profile= --hypothesis-seed= --hypothesis-show-statistics
      --hypothesis-verbosity= --ignore: --integration --junit-prefix= --keep-duplicates --last-failed --last-failed-no-failures=
      --lf --lfnf= --log-auto-indent= --log-cli-date-format: --log-cli-format: --log-cli-level= --log-date-format:
      --log-disable: --log-file-level= --log-format: --log-level= --looponfail --markers --max-worker-restart= --maxfail=
      --maxprocesses= --migrations --new-first --nf --no-cov --no-cov-on-fail --no-header --no-loadscope-reorder --no-migrations
      --no-showlocals --no-summary --noconftest --nomigrations --numprocesses= --only-rerun: --picked --quiet --random-order
      --random-order-bucket= --random-order-seed= --randomly-seed= --repeat-scope= --rerun-except: --reruns= --reruns-delay=
      --reuse-db --run-integration --run-slow --runslow --runxfail --screenshot= --self-contained-html --session-timeout=
      --setup-only --setup-plan --setup-show --show-capture= --showlocals --slow --slowmo= --snapshot-details --snapshot-update
      --snapshot-warn-unused --stepwise --stepwise-reset --stepwise-skip --strict --strict-config --strict-markers --sw
      --sw-reset --sw-skip --tb= --testmon --testmon-noselect --timeout= --timeout-method= --trace-config --tracing=
      --verbose --verbosity= --version --video= --xfail-tb`,
    expands: {},
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
    programs: 'tox',
    manual: 'tox.wiki/en/latest/cli_interface.html, nox.thea.codes/en/stable/usage.html',
    options: `-a -e: -h -k= -l -m= -o -p= -q -r -s= -v --colored= --develop --fail-fast --hashseed= --help --listenvs --listenvs-all
      --no-list-dependencies --no-provision --no-recreate-pkg --notest --parallel= --parallel-live --parallel-no-spinner
      --quiet --recreate --showconfig --sitepackages --skip-env: --skip-missing-interpreters= --skip-pkg-install --verbose
      --version`,
    passesOn: 'script',
    runs: '-c -x -f --conf --override --root --workdir --noxfile --force-python --extra-python --default-venv-backend',
    takes: { '-c -f --conf --noxfile': 'input' },
    subcommands: 'exec e devenv d',
  },
  {
    programs: 'nox',
    manual: 'tox.wiki/en/latest/cli_interface.html, nox.thea.codes/en/stable/usage.html',
    options: `-e: -h -k: -l -N -p= -r -R -s: -t: -v --add-timestamp --error-on-external-run --error-on-missing-interpreters --forcecolor
      --help --install-only --json --keywords: --list --no-error-on-external-run --no-error-on-missing-interpreters --no-install
      --no-reuse-existing-virtualenvs --no-stop-on-first-error --nocolor --non-interactive --python= --pythons=
      --reuse-existing-virtualenvs --session: --sessions: --stop-on-first-error --tags: --usage: --verbose --version`,
    passesOn: 'script',
    runs: '-c -x -f --conf --override --root --workdir --noxfile --force-python --extra-python --default-venv-backend',
    takes: { '-c -f --conf --noxfile': 'input' },
    subcommands: 'exec e devenv d',
  },
  {
    programs: 'coverage',
    manual: 'coverage.readthedocs.io/en/latest/cmd.html',
    options: `-a -h -i -m -p -q -L --append --branch --concurrency= --context= --contexts= --fail-under= --format= --help --ignore-errors --include:
      --keep --no-skip-covered --omit: --parallel-mode --precision= --pretty-print --pylib --quiet --show-contexts --show-missing
      --skip-covered --skip-empty --sort= --source: --timid --title: --version`,
    style: 'gnu',
    runs: '--rcfile --data-file --debug',
    writes: '-o -d --directory',
    takes: { '--rcfile --data-file': 'input', '-o -d --directory': 'output' },
  },
  {
    ...checkers,
    programs: 'mypy',
    options: `-h -m: -n= -q -v -V --allow-redefinition --allow-redefinition-new --allow-untyped-globals --always-false= --always-true=
      --cache-fine-grained --check-untyped-defs --color-output --deprecated-calls-exclude= --disable-error-code=
      --disallow-any-decorated --disallow-any-explicit --disallow-any-expr --disallow-any-generics --disallow-any-unimported
      --disallow-incomplete-defs --disallow-subclassing-any --disallow-untyped-calls --disallow-untyped-decorators
      --disallow-untyped-defs --enable-error-code= --enable-incomplete-feature= --error-summary --exclude: --exclude-gitignore
      --explicit-package-bases --extra-checks --fast-exit --fixed-format-cache --follow-imports= --follow-untyped-imports
      --help --hide-error-codes --hide-error-context --ignore-missing-imports --implicit-optional --implicit-reexport
      --incremental --local-partial-types --module: --namespace-packages --no-allow-redefinition --no-check-untyped-defs
      --no-color-output --no-error-summary --no-implicit-optional --no-implicit-reexport --no-incremental
      --no-namespace-packages --no-pretty --no-silence-site-packages --no-site-packages --no-sqlite-cache
      --no-strict-equality --no-strict-optional --no-warn-no-return --no-warn-return-any --no-warn-unreachable
      --no-warn-unused-configs --no-warn-unused-ignores --non-interactive --num-workers= --package: --platform= --pretty
      --python-version= --raise-exceptions --report-deprecated-as-note --scripts-are-modules --show-absolute-path
      --show-column-numbers --show-error-code-links --show-error-codes --show-error-context --show-error-end --show-traceback
      --skip-cache-mtime-check --skip-version-check --soft-error-limit= --sqlite-cache --strict --strict-bytes
      --strict-equality --strict-optional --tb --untyped-calls-exclude= --verbose --version --warn-incomplete-stub
      --warn-no-return --warn-redundant-casts --warn-return-any --warn-unreachable --warn-unused-configs
      --warn-unused-ignores`,
    expands: {},
  },
  {
    ...checkers,
    programs: 'ruff',
    options: `-e -h -n -q -s -v -V -w --add-noqa --all --check --color= --diff --dummy-variable-rgx: --exclude: --exit-non-zero-on-fix
      --exit-non-zero-on-format --exit-zero --extend-exclude: --extend-fixable= --extend-ignore= --extend-per-file-ignores:
      --extend-select= --extend-unfixable= --extension= --fix --fix-only --fixable= --force-exclude --help --ignore= --ignore-noqa
      --isolated --line-length= --no-cache --no-fix --no-fix-only --no-force-exclude --no-preview --no-respect-gitignore
      --no-show-fixes --no-unsafe-fixes --output-format= --per-file-ignores: --preview --quiet --range= --respect-gitignore
      --select= --show-files --show-fixes --show-settings --silent --statistics --target-version= --unfixable= --unsafe-fixes
      --verbose --version --watch`,
    expands: {},
  },
  {
    ...checkers,
    programs: 'black',
    options: `-C -h -l= -q -S -t= -v -W= -x --check --color --diff --enable-unstable-feature= --exclude: --extend-exclude: --fast
      --force-exclude: --help --include: --ipynb --line-length= --line-ranges= --no-cache --no-color --preview --pyi
      --python-cell-magics= --quiet --required-version= --safe --skip-magic-trailing-comma --skip-source-first-line
      --skip-string-normalization --target-version= --unstable --verbose --version --workers=`,
  },
  {
    ...checkers,
    programs: 'flake8',
    options: `-h -j= -q -v --benchmark --bug-report --builtins= --color= --count --disable-noqa --docstring-convention= --doctests
      --exclude: --exit-zero --extend-exclude: --extend-ignore= --extend-select= --filename: --format: --hang-closing --help
      --ignore= --import-order-style= --include-in-doctest: --indent-size= --inline-quotes= --isolated --jobs=
      --max-cognitive-complexity= --max-complexity= --max-doc-length= --max-line-length= --no-show-source --per-file-ignores:
      --quiet --require-plugins= --select= --show-source --statistics --verbose --version`,
  },
  {
    ...checkers,
    programs: 'isort',
    options: `-d -h -j= -l= -m= -q -s: -v -V -w= --af --atomic --ca --check --check-only --color --combine-as --df --diff
      --dont-follow-links --extend-skip: --extend-skip-glob: --filter-files --float-to-top --force-single-line
      --force-sort-within-sections --fss --gitignore --help --jobs= --known-first-party= --known-third-party= --lai=
      --line-length= --line-width= --lines-after-imports= --multi-line= --om --only-modified --profile= --py= --python-version=
      --quiet --remove-redundant-aliases --sg: --show-config --show-files --skip: --skip-glob: --sl --src: --stdout --tc
      --trailing-comma --verbose --version`,
  },
  {
    ...checkers,
    programs: 'pyright',
    options: `-h -w --dependencies --help --ignoreexternal --level= --outputjson --pythonplatform= --pythonversion= --skipunannotated
      --stats --threads= --verbose --verifytypes= --version --warnings --watch`,
    expands: {},
  },
  {
    ...checkers,
    programs: 'bandit pyflakes yapf autopep8',
    options: `-a= -b: -d -f= -h -i -j= -l -n= -q -r -s: -t= -v -x: --aggressive --aggregate= --baseline: --confidence-level= --diff
      --exclude: --exit-code --exit-zero --experimental --format= --help --ignore= --ignore-nosec --in-place --jobs=
      --list-fixes --max-line-length= --no-local-style --number= --parallel --quiet --recursive --select= --severity-level=
      --skip= --style= --tests= --verbose --version`,
  },
  {
    programs: 'pylint',
    manual: 'pylint.readthedocs.io/en/stable/user_guide/configuration/all-options.html',
    options: `-d= -e= -E -h -j= -r= -s= -v --bad-names= --clear-cache-post-run= --confidence= --disable= --enable= --errors-only --exit-zero
      --fail-on= --fail-under= --from-stdin --good-names= --help --help-msg= --ignore: --ignore-paths: --ignore-patterns: --jobs=
      --list-extensions --list-groups --list-msgs --list-msgs-enabled --max-args= --max-attributes= --max-branches=
      --max-line-length= --max-locals= --max-module-lines= --max-parents= --max-public-methods= --max-returns=
      --max-statements= --min-public-methods= --min-similarity-lines= --msg-template: --persistent= --prefer-stubs= --py-version=
      --recursive= --reports= --score= --source-roots: --suggestion-mode= --verbose --version`,
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
    options: `-h -I -l -n= -p= -q -r: -u -U -v -V -y -E= -G= --all --all-extras --all-groups --all-packages --allow-existing
      --allow-prereleases --annotation-style= --bump= --categories= --color= --compile --constraint: --deploy --depth= --deprecated
      --dev --disable-pip-version-check --dry-run --exact --exclude= --exclude-editable --extra= --extras= --files --force-reinstall
      --format= --frozen --frozen-lockfile --generate-hashes --group= --help --ignore-installed --ignore-pipfile --inexact
      --invert --isolated --json --keep-outdated --latest --link-mode= --local --lock --locked --managed-python --marker:
      --name= --native-tls --no-annotate --no-ansi --no-binary= --no-build-isolation --no-build-logs --no-cache --no-cache-dir
      --no-color --no-compile --no-deps --no-dev --no-editable --no-extra= --no-group= --no-header --no-input
      --no-install-project --no-install-workspace --no-interaction --no-lock --no-managed-python --no-progress --no-root --no-self
      --no-sync --no-update --not-required --offline --only= --only-binary= --only-dev --only-group= --only-root --optional=
      --outdated --output-format= --package= --pre --prefer-binary --prerelease= --prod --progress-bar= --python-platform=
      --python-version= --quiet --raw --refresh --reinstall --require-hashes --require-virtualenv --requirement: --resolution=
      --retries= --root-user-action= --sdist --seed --short --skip-lock --strict --sync --timeout= --top-level --tree --universal
      --upgrade --upgrade-package= --upgrade-strategy= --uptodate --use-pep517 --verbose --version --wheel --why --without= --yes`,
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
];
