/** Package managers, compilers, linters and bundlers of JavaScript. Data only. */
import { type ProgramRow, scriptWords } from './programRow.ts';

const scriptShell =
  '--script-shell --node-options --shell --userconfig --globalconfig --init-module --git --editor --viewer --browser --call -c';

const npmOptions = `-D -E -O -P -S -B -s -q -d -y -a -l -h -v -f -m: --save --save-dev --save-exact --save-optional --save-peer --save-prod
  --save-bundle --legacy-peer-deps --strict-peer-deps --force --production --omit= --include= --only= --ignore-scripts
  --if-present --silent --quiet --verbose --loglevel= --json --long --parseable --depth= --all --dry-run
  --package-lock --package-lock-only --audit --audit-level= --fund --prefer-offline --prefer-online --offline
  --prefer-dedupe --progress --color --unicode --yes --no --no-install --workspaces-update --foreground-scripts
  --engine-strict --tag= --version --help --timing --install-links --install-strategy= --message: --preid=
  --allow-same-version --git-tag-version --commit-hooks --dev --prod --fetch-retries= --fetch-timeout= --maxsockets=`;

const packageManagers: ProgramRow = {
  programs: 'npx pnpm pnpx yarn yarnpkg bun bunx corepack',
  manual: 'npm-config(7), pnpm.io/cli, yarnpkg.com/cli, bun.sh/docs/cli',
  options: `${npmOptions} -L -i -T -u -t: -w --frozen-lockfile --lockfile-only --fix-lockfile --optional --shamefully-hoist
      --strict-peer-dependencies --resolution-only --reporter= --parallel --stream --aggregate-output
      --workspace-concurrency= --bail= --sort --reverse --resume-from= --latest --interactive --immutable
      --immutable-cache --check-cache --inline-builds --mode= --check-files --flat --non-interactive --pure-lockfile
      --network-timeout= --ignore-engines --ignore-platform --ignore-optional --emoji --exact --peer --tilde --caret
      --timeout= --coverage --coverage-reporter= --rerun-each= --test-name-pattern: --update-snapshots --todo --watch
      --hot --smol --randomize --seed= --concurrent --max-concurrency= --minify --target= --sourcemap= --format=
      --splitting --bun --production`,
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

export const javascriptPrograms: readonly ProgramRow[] = [
  packageManagers,
  {
    ...packageManagers,
    programs: 'npm',
    options: npmOptions,
    // npm accepts every unambiguous prefix of a name, and some misspellings.
    allSubcommands:
      'access add adduser audit author bin bugs c cache ci cit clean-install clean-install-test completion config create ddp dedupe deprecate diff dist-tag dist-tags docs doctor edit exec explain explore find find-dupes fund get help help-search hook home i in info init innit ins inst install install-ci-test install-clean install-test it la link list ll ln login logout ls ogr org outdated owner pack ping pkg prefix profile prune publish query r rb rebuild remove repo restart rm root run run-script s sbom se search set set-script shrinkwrap show star stars start stop t team test token trust tst un undeprecate uninstall unlink unpublish unstar up update upgrade v verison version view whoami why x',
  },
  {
    programs: 'tsc',
    manual: 'typescriptlang.org/docs/handbook/compiler-options.html',
    options: `-b -d -h -m= -p: -t= -v -w -i --all --build --help --ignoreConfig --listFilesOnly --locale= --project: --quiet --showConfig
      --singleThreaded --checkers= --version --watch --allowArbitraryExtensions --allowImportingTsExtensions
      --allowUmdGlobalAccess --customConditions= --module= --moduleResolution= --moduleSuffixes= --noResolve
      --noUncheckedSideEffectImports --resolveJsonModule --resolvePackageJsonExports --resolvePackageJsonImports
      --rewriteRelativeImportExtensions --types: --allowJs --checkJs --maxNodeModuleJsDepth=
      --allowSyntheticDefaultImports --erasableSyntaxOnly --esModuleInterop --forceConsistentCasingInFileNames
      --isolatedDeclarations --isolatedModules --preserveSymlinks --verbatimModuleSyntax --allowUnreachableCode
      --allowUnusedLabels --alwaysStrict --exactOptionalPropertyTypes --noFallthroughCasesInSwitch --noImplicitAny
      --noImplicitOverride --noImplicitReturns --noImplicitThis --noImplicitUseStrict --noPropertyAccessFromIndexSignature
      --noUncheckedIndexedAccess --noUnusedLocals --noUnusedParameters --noStrictGenericChecks --stableTypeOrdering
      --strict --strictBindCallApply --strictBuiltinIteratorReturn --strictFunctionTypes --strictNullChecks
      --strictPropertyInitialization --useUnknownInCatchVariables --assumeChangesOnlyAffectDirectDependencies --composite
      --disableReferencedProjectLoad --disableSolutionSearching --disableSourceOfProjectReferenceRedirect --incremental
      --declaration --declarationMap --downlevelIteration --emitBOM --emitDeclarationOnly --importHelpers
      --importsNotUsedAsValues= --inlineSourceMap --inlineSources --mapRoot: --newLine= --noEmit --noEmitHelpers
      --noEmitOnError --preserveConstEnums --preserveValueImports --removeComments --sourceMap --sourceRoot:
      --stripInternal --diagnostics --explainFiles --extendedDiagnostics --listEmittedFiles --listFiles --noCheck
      --traceResolution --disableSizeLimit --emitDecoratorMetadata --experimentalDecorators --ignoreDeprecations= --jsx=
      --jsxFactory= --jsxFragmentFactory= --jsxImportSource: --keyofStringsOnly --lib= --libReplacement
      --moduleDetection= --noLib --reactNamespace= --target= --useDefineForClassFields --noErrorTruncation
      --preserveWatchOutput --pretty --skipDefaultLibCheck --skipLibCheck --suppressExcessPropertyErrors
      --suppressImplicitAnyIndexErrors --watchInterval= --watchFile= --watchDirectory= --fallbackPolling=
      --synchronousWatchDirectory --excludeDirectories: --excludeFiles: --verbose --dry --force --clean
      --stopBuildOnErrors`,
    expands: {},
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
    options: `-h -v --fix --fix-dry-run --fix-type= --ext: --max-warnings= --quiet --cache --cache-strategy= --eslintrc --env= --global=
      --parser-options= --rule: --ignore --ignore-pattern: --inline-config --report-unused-disable-directives
      --report-unused-disable-directives-severity= --report-unused-inline-configs= --error-on-unmatched-pattern
      --exit-on-fatal-error --warn-ignored --pass-on-no-patterns --pass-on-unpruned-suppressions --config-lookup --debug
      --color --stats --concurrency= --help --version --env-info --print-config: --stdin --space= --semicolon --prettier
      --extension= --verbose`,
    expands: {},
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
    programs: 'prettier',
    manual: 'prettier.io/docs/cli',
    options: `-c -h -l -u -v -w --check --write --list-different --log-level= --loglevel= --parser= --cache --cache-strategy= --color
      --editorconfig --ignore-unknown --error-on-unmatched-pattern --check-ignore-pragma --insert-pragma --require-pragma
      --print-width= --tab-width= --use-tabs --semi --single-quote --jsx-single-quote --quote-props= --trailing-comma=
      --bracket-spacing --bracket-same-line --jsx-bracket-same-line --object-wrap= --arrow-parens= --prose-wrap=
      --end-of-line= --html-whitespace-sensitivity= --vue-indent-script-and-style --embedded-language-formatting=
      --single-attribute-per-line --experimental-ternaries --experimental-operator-position= --experimental-cli
      --range-start= --range-end= --cursor-offset= --stdin-filepath: --file-info: --find-config-path: --support-info
      --debug-check --help --version --no-config`,
    expands: { showsUnless: /^(?:-[a-z]*[clw]|--check|--list-different|--write)$/ },
    runs: '--plugin --plugin-search-dir --config --config-path --config-precedence',
    writes: '--cache-location',
    elsewhere: '--ignore-path --with-node-modules',
    takes: { '--config --config-path --ignore-path': 'input', '--cache-location': 'output' },
  },
  {
    programs: 'oxlint dprint rome',
    manual: 'oxc.rs/docs/guide/usage/linter/cli, dprint.dev/cli',
    options: `-A: -D: -W: -f= -h -L= --allow: --deny: --warn: --fix --fix-suggestions --fix-dangerously --quiet --max-warnings=
      --deny-warnings --format= --silent --threads= --react-plugin --import-plugin --jest-plugin --vitest-plugin
      --jsx-a11y-plugin --nextjs-plugin --promise-plugin --node-plugin --vue-plugin --react-perf-plugin --jsdoc-plugin
      --disable-react-plugin --disable-unicorn-plugin --disable-oxc-plugin --disable-typescript-plugin --type-aware
      --type-check --tsconfig: --ignore-pattern: --no-ignore --no-error-on-unmatched-pattern --rules --print-config
      --report-unused-disable-directives --check --write --diff --list-different --incremental= --allow-no-files
      --excludes: --includes: --log-level= --verbose --skip-stable-format --help --version`,
    expands: {},
    runs: '-c --plugin --plugin-search-dir --config --config-path --config-precedence --plugins --js-plugins',
    writes: '--cache-location --output-file',
    elsewhere: '--ignore-path --with-node-modules',
    takes: { '--config --config-path --ignore-path -c': 'input', '--cache-location --output-file': 'output' },
  },
  {
    programs: 'stylelint',
    manual: 'stylelint.io/user-guide/cli',
    options: `-h -q -v --fix --cache --cache-strategy= --color --quiet --quiet-deprecation-warnings --max-warnings= --mw=
      --allow-empty-input --aei --ignore-disables --id --report-needless-disables --rd --report-invalid-scope-disables --risd
      --report-descriptionless-disables --rdd --report-unscoped-disables --disable-default-ignores --di --ignore-pattern:
      --ip: --stdin --validate --print-config --compute-edit-info --version --help`,
    expands: {},
    runs: '-c -f --config --config-basedir --custom-syntax --custom-formatter --formatter --plugin --rulesdir',
    writes: '-o --output-file --cache-location',
    elsewhere: '--ignore-path -i --stdin-filename',
    takes: {
      '-c --config --ignore-path -i': 'input',
      '-o --output-file --cache-location': 'output',
      '-f --formatter': /^(?:compact|github|json|string|tap|unix|verbose)$/,
    },
  },
  {
    programs: 'webpack vite rollup esbuild parcel tsup swc babel',
    manual: 'the manual of each',
    options: `-C -D -e= -f= -g= -h -i: -l= -m= -n= -q -s= -t= -v -w -x= --mode= --watch --progress --devtool= --stats= --fail-on-warnings
      --color --colors --hot --name= --target= --env= --node-env= --profile --bail --cache --optimization-minimize
      --port= --cors --strictPort --force --clearScreen --logLevel= --log-level= --minify= --sourcemap= --source-maps=
      --assetsInlineLimit= --ssr= --manifest= --ssrManifest= --emptyOutDir --debug= --filter= --app --format= --silent
      --failAfterWarnings --treeshake= --strict --external= --globals= --interop= --exports= --compact --environment=
      --perf --validate --bundleConfigAsCjs --preserveModules --preserveSymlinks --input: --bundle --minify-whitespace
      --minify-identifiers --minify-syntax --platform= --splitting --tree-shaking= --global-name= --charset= --jsx=
      --jsx-factory= --jsx-fragment= --jsx-import-source: --jsx-dev --keep-names --legal-comments= --packages=
      --public-path: --public-url: --ignore-annotations --sources-content= --source-root: --tsconfig:
      --log-limit= --optimize --content-hash --scope-hoist --detailed-report= --dts --dts-only --clean --shims
      --legacy-output --quiet --copy-files --extensions= --ignore: --only: --log-watch-compilation
      --strip-leading-paths --minified --comments --verbose --keep-file-extension --env-name= --help --version
      --experimental-scope-hoisting --https --lazy=`,
    expands: {},
    harmless:
      /^--(?:external|define|pure|drop|supported|main-fields|resolve-extensions|conditions):[\w@.=,"'*-]+$/,
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
    options: `-F: -a -c= -d -h -p: -t: -u -v --filter: --force --cache= --concurrency= --parallel= --continue --dry --dry-run --only
      --output-logs= --log-order= --log-prefix= --daemon --verbosity= --summarize --ui= --env-mode= --framework-inference
      --affected --color --target= --targets: --projects: --all --base: --head: --uncommitted --untracked --files:
      --exclude: --skip-nx-cache --skip-remote-cache --nx-bail --verbose --output-style= --maxParallel= --max-parallel=
      --configuration= --prod --production --watch --dte --batch --type= --json --codeCoverage --coverage --ci
      --testFile: --testNamePattern: --testPathPattern: --updateSnapshot --skip-sync --tui --fix --quiet
      --passWithNoTests --scope: --ignore: --since: --stream --bail --include-dependencies --prefix --sort --loglevel=
      --private --to: --from: --impacted-by: --changed-projects-only --help --version --maxWorkers= --runInBand
      --skipTests --nxBail --outputHashing= --sourceMap --optimization`,
    runs: '--command --commands --cwd --config --root --root-turbo-json --plugin --generator --executor -C --runner --tasksRunner --heap --profile --graph --scm',
    subcommands: 'exec generate g migrate init import add repair connect link login gen init-project report',
    passesOn: 'script',
    handedOn: scriptWords,
  },
];
