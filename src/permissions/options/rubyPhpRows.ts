/** Package managers, test runners and checkers of Ruby and PHP. Data only. */
import type { ProgramRow } from './programRow.ts';

const phpOptions = `-h -l= -m -n -p -q -s -v -V -w --allow-risky= --ansi --bail --cache --cache-result --ci --clear-cache --colors --columns= --compact
      --coverage --debug --default-time-limit= --diff --dirty --disallow-test-output --display-all-issues --display-deprecations
      --display-errors --display-incomplete --display-notices --display-phpunit-deprecations --display-skipped --display-warnings
      --do-not-cache-result --dry-run --encoding= --enforce-time-limit --error-format= --error-level= --error-severity=
      --exclude-filter: --exclude-group= --exclude-testsuite= --exclude: --extensions= --fail-on-deprecation --fail-on-empty-test-suite
      --fail-on-incomplete --fail-on-notice --fail-on-risky --fail-on-skipped --fail-on-warning --fail-without-result-cache
      --filter: --find-dead-code= --find-unused-code= --format= --group= --help --ignore: --level= --list-groups --list-suites
      --list-tests --long-progress --memory-limit= --min= --monochrome --no-ansi --no-cache --no-colors --no-coverage --no-diff
      --no-diffs --no-interaction --no-logging --no-output --no-progress --no-progress-bar --no-results --no-suggestions --only:
      --order-by= --output-format= --parallel= --php-version= --process-isolation --processes= --quiet --random-order
      --random-order-seed= --retry --sequential --severity= --show-info= --show-progress= --show-snippet= --sniffs= --stats --stderr
      --stop-on-defect --stop-on-deprecation --stop-on-error --stop-on-failure --stop-on-incomplete --stop-on-notice --stop-on-risky
      --stop-on-skipped --stop-on-violation --stop-on-warning --strict-coverage --tab-width= --taint-analysis --teamcity --testdox
      --testsuite= --threads= --todos --type-coverage --update-snapshots --using-cache= --verbose --version --warning-severity=`;

/** What the test runners and the linter of Ruby have in common. */
const rubyTool = {
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
} as const;

export const rubyPhpPrograms: readonly ProgramRow[] = [
  {
    programs: 'composer bundle bundler gem',
    manual: 'getcomposer.org/doc/03-cli.md, bundler.io/man, guides.rubygems.org',
    options: `-a -h -l -q -t -v= -V -w -W --abandoned= --all --ansi --apcu-autoloader --available --check-lock --classmap-authoritative
      --conservative --deployment --dev --direct --dry-run --force --format= --frozen --full-index --group= --help
      --ignore-platform-req= --ignore-platform-reqs --jobs= --latest --local --locked --major --minor --minor-only --no-ansi
      --no-cache --no-dev --no-document --no-install --no-interaction --no-plugins --no-progress --no-prune --no-scripts --no-suggest
      --no-update --only-explicit --optimistic --optimize-autoloader --outdated --parseable --patch --pre --prefer-dist
      --prefer-lowest --prefer-source --prefer-stable --prerelease --profile --quiet --redownload --remote --retry= --skip-install
      --sort-packages --strict --timeout= --tree --update-with-dependencies --user-install --verbose --version= --with-all-dependencies
      --with-dependencies --with: --without:
      ${phpOptions} --url:`,
    // A script of the project gets the options of the tools that it runs.
    fetches: { by: /^(?!(?:test|t|build|lint|start)$)/ },
    ofSubcommand: { sources: '-a --add -r --remove -c --clear-all --append --prepend' },
    writes: '-o --output --lockfile --cache-path --dir --file --target',
    runs: '--git --github --repository --gist --bitbucket -d --working-dir -P --config-file --gemfile --standalone --path -i --install-dir -n --bindir --source -s --key-file -e --exec',
    subcommands:
      'exec run-script run global config repo repository yank server mirror create-project init self-update plugin open console gem inject install-plugin push owner signin cert env mcp',
    passesOn: 'program',
  },
  {
    ...rubyTool,
    programs: 'rspec cucumber',
    options: `-b -e: -E: -h -l= -n -t: -v -w --backtrace --bisect --color --colour --dry-run --example-matches: --example: --exclude-pattern:
      --expand --fail-fast --failure-exit-code= --force-color --help --name: --next-failure --only-failures --order= --parallel=
      --pattern: --publish-quiet --quiet --retry= --seed= --strict --tag: --tags: --version --warnings --wip`,
  },
  {
    ...rubyTool,
    programs: 'rubocop',
    options: `-a -A -d -D -E -F -h -l -L -S -v -V -x --auto-correct --auto-correct-all --autocorrect --autocorrect-all --cache= --color --debug
      --disable-pending-cops --display-cop-names --display-only-correctable --display-only-fail-level-offenses --display-only-failed
      --display-style-guide --enable-pending-cops --except: --extra-details --fail-fast --fail-level= --fix-layout --force-exclusion
      --help --ignore-parent-exclusion --ignore-unrecognized-cops --lint --list-target-files --only-recognized-file-types --only:
      --parallel --safe --safe-auto-correct --show-cops: --version`,
    expands: {},
  },
  {
    programs: 'phpunit phpstan psalm php-cs-fixer phpcs phpcbf pest rector',
    manual: 'docs.phpunit.de, phpstan.org/user-guide/command-line-usage',
    options: phpOptions,
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
    programs: 'rails',
    manual: 'guides.rubyonrails.org/command_line.html',
    options: `-b -d -f -g= -h -n: -p= -v --all --backtrace --defer-output --fail-fast --help --name: --port= --seed= --verbose --version`,
    runs: '-e -m -r --template --rc',
    subcommands:
      'runner r console c dbconsole db new generate g destroy d plugin app:template credentials:edit encrypted:edit',
  },
];
