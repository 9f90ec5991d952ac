/**
 * Files and folders that other programs run or read as settings: content written there is run, or changes what is run,
 * without further review. Data, so that the permission check and the sandbox protect the same names.
 *
 * What counts is who starts it: a file is protected if a program does so on its own in its ordinary set-up, such as an editor's
 * extension that loads it when the folder is open, or a watcher that evaluates it again when it changes.
 *
 * Deliberately left out: files that run only when a developer runs them, such as package.json, Makefile, justfile, Taskfile,
 * mise-tasks, Dockerfile, Procfile, webpack.config.js, gulpfile.js, composer.json, pom.xml, app.json (Expo, Heroku),
 * web.config; sources and tests, which test explorers and development servers run together with all others (conftest.py);
 * build files and configurations of frameworks, which developers edit like sources although a language server or a running
 * development server may evaluate them (build.rs, CMakeLists.txt, build.gradle, Gemfile, *.csproj, vite.config.js); data
 * that everything edits and that can name code only indirectly (Cargo.toml, pyproject.toml, tsconfig.json); and files that
 * only choose a style or a version, such as .editorconfig, .gitignore, .nvmrc and .python-version.
 */
import { join, relative } from 'node:path';
import { isInside } from '../../disk/paths.ts';
import { foldPath } from './sensitive.ts';

export interface ProtectedName {
  /**
   * `name`: a file or folder of that name at any depth, with everything in it. `a/b`: the same for consecutive names.
   * `~/a`: in the home folder. `/a`: from the root of the file system. `*` matches anything within a name.
   * Case-insensitive.
   */
  readonly pattern: string;
  /** The program that uses it, as shown to the user: "VS Code". */
  readonly usedBy: string;
  /** The user's everyday commands (install, test, commit) write there, so a sandbox must allow it. */
  readonly isBuilt?: true;
  /** Covers everything without a more specific name: a rule for it does not cover specific names. */
  readonly isGeneral?: true;
}

interface Group {
  readonly usedBy: string;
  /** The topics in the documentation of the programs. */
  readonly source: string;
  readonly patterns: readonly string[];
  /** Formatters, generators and a checkout of another branch change them. */
  readonly isBuilt?: true;
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const INSTALLED_CODE = 'whatever runs the installed packages';

const git: readonly Group[] = [
  {
    usedBy: 'git',
    source: 'git: githooks, gitattributes, gitmodules, git-config (core.hooksPath, filters, aliases)',
    patterns: words(
      '.git .gitattributes .gitmodules .gitconfig* .lfsconfig *.git/hooks *.git/config .githooks .git-hooks .hooks .config/git /etc/gitconfig',
    ),
  },
  {
    usedBy: 'git',
    source:
      'git: githooks. core.hooksPath may name any folder, so the names of the hooks count wherever they are',
    patterns:
      words(`applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
      pre-rebase post-checkout post-merge pre-push pre-receive post-receive post-update reference-transaction push-to-checkout
      pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman post-index-change`),
  },
  {
    usedBy: 'the git hooks',
    source:
      'Husky; Lefthook: configuration file names; pre-commit: .pre-commit-config.yaml; Overcommit; simple-git-hooks; lint-staged: configuration; CaptainHook; prek; hk; rusty-hook; cargo-husky; Yorkie; Cocogitto: git hooks; Trunk: actions; commitlint: configuration file names; nano-staged: configuration; lazygit: repo-local config (custom commands); gitlint: extra-path; Commitizen; standard-version and commit-and-tag-version: scripts; release-it: hooks; semantic-release: plugins, exec; GoReleaser: hooks; Changesets: changelog',
    patterns:
      words(`.husky .huskyrc* husky.config.* lefthook.* .lefthook* lefthook-local.* .lefthook-local.* .pre-commit-config.y*ml
      .pre-commit-hooks.y*ml .overcommit.yml .overcommit .simple-git-hooks.* simple-git-hooks.* .lintstagedrc*
      lint-staged.config.* nano-staged.* .nano-staged.* .nanostagedrc* .lazygit.y*ml captainhook.json captainhook.config.json grumphp.y*ml .prek.toml prek.toml .hk hk.pkl .hk.pkl hk.local.pkl .rusty-hook.toml .cargo-husky
      .yorkie .ghooks .vite-hooks cog.toml .trunk .commitlintrc* commitlint.config.* .gitlint .czrc .cz.* .versionrc* .release-it.* .releaserc* .goreleaser.* goreleaser.y*ml .changeset/config.json`),
  },
  {
    usedBy: 'version control',
    source:
      'Mercurial: hgrc (hooks, aliases); Jujutsu: config (aliases, fix.tools); Subversion; Sapling; Arcanist; Darcs: defaults (posthook); Fossil: versioned settings; Pijul: hooks; repo: .repo; west: .west/config (aliases); DVC; git-review',
    patterns: words(
      '.hg .hgrc ~/.config/hg .jj ~/.config/jj ~/.jjconfig.toml .svn .bzr .sl .arcconfig .arclint .arcrc _darcs .fossil-settings .pijul .repo .west .dvc .gitreview',
    ),
  },
];

const agents: readonly Group[] = [
  {
    usedBy: 'ClawdCode',
    source: 'ClawdCode: settings, permissions, memory and instructions',
    patterns: words('.clawdcode*'),
  },
  {
    usedBy: 'coding agents',
    source:
      'agents.md; Claude Code: settings, hooks, memory; Codex CLI: config; Gemini CLI: settings; Copilot: custom instructions, hooks; Model Context Protocol: .mcp.json; and the configuration pages of the agents that the other names belong to; Serena; Spec Kit; BMAD; Agent OS; Claude Flow; Bolt; Blackbox; Refact; Jules; GPT Engineer; Micro Agent',
    patterns: words(`AGENTS.md AGENTS.*.md AGENT.md .agents .agent .mcp.json mcp.json .mcp
      CLAUDE.md CLAUDE.*.md .claude .claude.json .claude-plugin .codex GEMINI.md .gemini .geminiignore QWEN.md .qwen
      .github/copilot* .github/instructions .github/prompts .github/chatmodes .github/agents .github/hooks
      .github/skills .copilot .aider* .continue* .cline* .roo .rooignore .roorules* .roomodes .kilocode* .amazonq .kiro .junie
      .augment* .trae .goose .goosehints .openhands* .opencode opencode.json* CRUSH.md .crush* crush.json
      WARP.md .warp .factory .pi .ruler .rules .rules.md .tabnine* .cody .sourcegraph .amp .devin .jules .antigravity .plandex*
      SKILL.md .skills .agent.md .mcp-config.json mcp-config.json mcp_config.json .mcpb
      claude_desktop_config.json .aiassistant .ai .grok .hermes .openclaw .opencode.json* .qodo* .pr_agent.toml .coderabbit.y*ml .sweep.y*ml sweep.y*ml .greptile greptile.json
      .gptme.toml gptme.toml .mentat* .forge .forge.y*ml forge.y*ml .void .zencoder .codebuddy CODEBUDDY.md .lingma .comate .codegeex .marscode .qoder .iflow IFLOW.md .kimi .mux .letta
      .vibe .rovodev .firebender* firebender.json .swe-agent .stakpak .pearai CRUSH.*.md GEMINI.*.md CODEX.md .conductor conductor.json .superset .emdash* .cursor-plugin .grit .serena .specify .bmad* .agent-os/instructions .claude-flow .hive-mind .bolt .blackbox* .refact JULES.md gpt-engineer.toml .micro-agent ~/.config/opencode ~/.config/crush ~/.config/goose ~/.config/amp ~/.config/Claude ~/.config/github-copilot ~/.config/aichat ~/.config/shell_gpt`),
  },
];

const editors: readonly Group[] = [
  {
    usedBy: 'linters and formatters in editors',
    isBuilt: true,
    source:
      'ESLint for VS Code and JetBrains: configuration files are code, or name parsers and plugins by path, and are loaded for each open file (so is the Babel configuration, by @babel/eslint-parser); Oxlint: jsPlugins; Stylelint: configuration, plugins; Prettier: configuration, plugins; Code Spell Checker: cspell.config.js, import; TSLint: rulesDirectory; ember-template-lint: configuration, plugins; markdownlint: configuration as code; mypy: plugins; Flake8: local-plugins in .flake8; PHP_CodeSniffer: autoload, bootstrap; PHPStan: bootstrapFiles; Psalm: plugins',
    patterns: words(
      'eslint.config.* .eslintrc* .babelrc* babel.config.* .oxlintrc.json oxlint.config.* .stylelintrc* stylelint.config.* .prettierrc* prettier.config.* cspell.* .cspell.* tslint.json .template-lintrc.* .markdownlint.*js mypy.ini .mypy.ini phpcs.xml* .phpcs.xml* phpstan.neon* phpstan.dist.neon psalm.xml*',
    ),
  },
  {
    usedBy: 'language servers and editor extensions',
    isBuilt: true,
    source:
      'Tailwind CSS IntelliSense, Svelte for VS Code, GraphQL language service (graphql-config), UnoCSS and Windi CSS: the configuration is code that they load; Dart analyzer: plugins; Nx Console: plugins; C# Dev Kit, Visual Studio and Rider: design-time builds run the targets that all projects import; Visual Studio: user options',
    patterns: words(
      'tailwind.config.* svelte.config.* .graphqlrc* graphql.config.* .graphqlconfig* uno.config.* unocss.config.* windi.config.* analysis_options.yaml nx.json Directory.Build.props Directory.Build.targets *.suo',
    ),
  },
  {
    usedBy: 'watchers',
    source:
      'Tilt: "If the Tiltfile changes, Tilt will re-execute it"; Guard: evaluates its Guardfile again; bacon: reloads its jobs',
    patterns: words('Tiltfile *.tiltfile Guardfile bacon.toml .bacon.toml'),
  },
  {
    usedBy: 'linters and formatters in editors',
    isBuilt: true,
    source:
      'RuboCop and Standard: require, plugins, extend_config; ERB Lint, HAML-Lint, Slim-Lint: require, custom linters; Credo: .credo.exs is code; Flake8: local-plugins; SQLFluff: library_path; ansible-lint: rulesdir; markdownlint-cli2: customRules; textlint: rules; remark: plugins; mdl: rulesets; dprint: exec plugin; treefmt: commands; PHP-CS-Fixer: its configuration is code; golangci-lint: custom linters; TFLint: plugins; Checkov: external checks; Pyre: binary; Pyrefly: python-interpreter-path; Steep: a Steepfile is Ruby',
    patterns: words(
      '.rubocop.y*ml .rubocop_todo.yml .rubocop_*.y*ml .rubocop-*.y*ml .rubocop .standard.y*ml .erb-lint.y*ml .erb_lint.y*ml .haml-lint.y*ml .haml-lint_todo.y*ml .slim-lint.y*ml .credo.exs .flake8 .sqlfluff .ansible-lint .ansible-lint.y*ml .markdownlint-cli2.* .textlintrc* .remarkrc* .mdlrc dprint.json* .dprint.json* treefmt.toml .treefmt.toml .php-cs-fixer.*php .php_cs* .golangci.* .custom-gcl.y*ml .tflint.hcl .checkov.y*ml .pyre_configuration* pyrefly.toml Steepfile',
    ),
  },
  {
    usedBy: 'the editor',
    source:
      'VS Code: tasks, launch, workspace settings, multi-root workspaces, the test runner for extensions; luacheck: a configuration is Lua that editors run; JetBrains: .idea, run configurations; Visual Studio: .vs, and tasks.vs.json, launch.vs.json and .runsettings of a folder; CMake: presets and CMakeSettings.json name the program that editors run; Zed: tasks, project settings; Cursor and Windsurf: rules, MCP; Fleet; Helix: workspace configuration; Sublime Text: projects, build systems; Nova; Theia; Eclipse: external tool builders; NetBeans; Rope: .ropeproject/config.py; Jedi; Haskell Language Server: hie.yaml (bios program); Merlin; Build Server Protocol: connection files; Visual Studio: launchSettings.json, project user files; Xcode: .xcode.env; YouCompleteMe: .ycm_extra_conf.py; Qt Creator: user settings; Kate: .kateproject; Geany: build commands; KDevelop; Eclipse: launch configurations; Solargraph: plugins; Tern: plugins; clojure-lsp: .lsp; ELP and Erlang LS; rust-analyzer: rust-analyzer.toml; Elixir: .formatter.exs, which editors evaluate; JetBrains: .ipr, the older project file; GNU Global: gtags.conf (plug-in parsers); HLS: .hie-bios; Volta: hooks; Phpactor: programs of its server; Ruby LSP: .ruby-lsp/Gemfile; R: .lintr, RStudio projects; Asciidoctor: .asciidoctorconfig; Lake: lakefile.lean, which Lean editors run; SourceKit-LSP: build servers, .sourcekit-lsp; Rocq: _CoqProject (arguments, plugins); F*: *.fst.config.json; clang_complete and ccls: compiler arguments (plugins); Lite XL: project module; TextMate: .tm_properties; GNOME Builder: .buildconfig; Wallaby.js and Quokka.js; ImportJS: its configuration is code',
    patterns:
      words(`.vscode .vscode-server .vscode-insiders *.code-workspace .idea *.run.xml .run .vs tasks.vs.json launch.vs.json .runsettings CMakePresets.json CMakeUserPresets.json CMakeSettings.json .zed .cursor* .windsurf* .codeium
      .fleet .helix *.sublime-project *.sublime-workspace *.sublime-build .nova .theia .externalToolBuilders .lapce
      nbproject .vimspector.json .luarc.json* omnisharp.json .omnisharp .project .classpath .factorypath .cproject .settings .pydevproject
      .ropeproject .jedi hie.yaml .merlin .hie-bios .volta .phpactor.json .phpactor.y*ml .ruby-lsp .bsp .bloop .metals .scala-build launchSettings.json *proj.user .xcode.env* .swiftpm .kakrc .tasks .projections.json .vscode-test.* .luacheckrc .ycm_extra_conf.py *.pro.user CMakeLists.txt.user .qtcreator .kateproject* .kateconfig *.geany .kdev4 *.kdev4 *.launch .solargraph.yml .tern-project .tern-config .lsp .elp.toml .elp_lint.toml erlang_ls.config erlang_ls.y*ml rust-analyzer.toml .rust-analyzer.toml .formatter.exs .lintr *.Rproj .asciidoctorconfig* lakefile.lean *.ipr *.iws gtags.conf .globalrc buildServer.json .sourcekit-lsp _CoqProject _RocqProject *.fst.config.json .clang_complete .ccls .lite_project.lua .tm_properties .buildconfig wallaby.*js .wallaby.* .quokka .importjs.* ~/.config/Code ~/.config/Cursor ~/.config/VSCodium ~/.config/zed ~/.config/JetBrains ~/.config/sublime-text ~/.config/helix ~/.config/micro ~/.config/kak`),
  },
  {
    usedBy: 'vim or Neovim',
    source:
      "Vim: startup, 'exrc', sessions (-S, and plugins that load them); Neovim: 'exrc', trust; localvimrc",
    patterns:
      words(`.vimrc* .gvimrc _vimrc _gvimrc .exrc* _exrc .nvim* .vim .vimlocal .lvimrc .local.vimrc .lazy.lua .neoconf.json
      .nlsp-settings coc-settings.json .ideavimrc .netrwhist Session.vim ~/.config/nvim ~/.config/vim ~/vimfiles`),
  },
  {
    usedBy: 'Emacs',
    source: 'Emacs: init file, per-directory local variables',
    patterns: words(
      '.dir-locals.el .dir-locals-2.el .emacs .emacs.el .emacs.d .spacemacs* .doom.d ~/.config/emacs',
    ),
  },
  {
    usedBy: 'the development container',
    source:
      'Development Containers: devcontainer.json; Gitpod and Ona: automations; Replit: .replit; Firebase Studio: .idx; Devfile; Daytona; CodeSandbox: tasks; StackBlitz: .stackblitzrc; DDEV: hooks; Lando: events; Docksal',
    patterns: words(
      '.devcontainer .devcontainer.json devcontainer.json .gitpod* .ona .replit replit.nix replit.md .idx .coder .devfile.y*ml devfile.y*ml .daytona .codesandbox .stackblitzrc .ddev .lando.* .docksal',
    ),
  },
];

const automation: readonly Group[] = [
  {
    usedBy: 'GitHub',
    source:
      'GitHub Actions: workflow syntax, custom actions; Dependabot: configuration; code owners; Mergify; Kodiak; Renovate: configuration file names. GitHub apps keep their settings right in .github',
    patterns: words(
      '.github/workflows .github/actions .github/scripts .github/codeql .github/*.y*ml .github/*.json* .github/*.toml CODEOWNERS .mergify .mergify.y*ml .kodiak.toml renovate.json* .renovaterc*',
    ),
  },
  {
    usedBy: 'continuous integration',
    source:
      'Documentation of the configuration files of GitLab CI/CD, CircleCI, Jenkins, Azure Pipelines, Travis CI, Bitbucket Pipelines, Drone, Buildkite, Woodpecker, AppVeyor, Cirrus CI, Semaphore, Codemagic, Bitrise, Gitea and Forgejo Actions, SourceHut, Tekton, Zuul, Cloud Build, CodeBuild, Read the Docs, Vela, Concourse; Scrutinizer, Shippable, Codefresh, Evergreen, Taskcluster, Packit, Copr, Rultor, OneDev, Bors, PullApprove, Code Climate, DeepSource, GoCD, Buddy, Garnix, Xcode Cloud (ci_scripts), Danger, MegaLinter (pre- and post-commands), reviewdog (commands), act (.actrc); and what runs where a push is deployed: AWS Amplify (build specification) and Elastic Beanstalk (.ebextensions, .platform/hooks), OpenShift (action hooks, .s2i), cPanel, Azure Kudu, Netlify, Vercel, Render, Railway, Nixpacks, Heroku (heroku.yml), Upsun and Platform.sh (hooks), Lagoon (tasks), DigitalOcean App Platform (.do), CodeDeploy (hooks), Wrangler (build command); Atlantis, Spacelift, Digger, Terrateam, env0: workflows and hooks that run for a push',
    patterns:
      words(`.gitlab-ci* *.gitlab-ci.y*ml .gitlab .circleci Jenkinsfile* *.jenkinsfile .jenkins azure-pipelines* .azure-pipelines*
      .azuredevops .travis.y*ml bitbucket-pipelines.y*ml .drone.* .buildkite buildkite.y*ml .woodpecker* appveyor.y*ml .appveyor*
      .cirrus.* .semaphore codemagic.y*ml bitrise.y*ml wercker.y*ml .teamcity .harness .gitea .forgejo .builds .build.yml
      .tekton .zuul* .prow* screwdriver.y*ml cloudbuild.y*ml cloudbuild.json buildspec*.y*ml .readthedocs.y*ml readthedocs.y*ml .dagger .earthly .vela* .concourse
      .wercker.y*ml codeship-services.y*ml .scrutinizer.y*ml shippable.y*ml .shippable.y*ml codefresh.y*ml .codefresh .evergreen* evergreen.y*ml .taskcluster.y*ml .packit.y*ml .copr .rultor.yml .onedev-buildspec.yml .bors.toml bors.toml .pullapprove.y*ml .codeclimate.y*ml .deepsource.toml amplify.y*ml .ebextensions .elasticbeanstalk .platform .openshift .s2i .cpanel.yml .deployment
      netlify.toml vercel.json render.y*ml railway.json railway.toml nixpacks.json nixpacks.toml heroku.yml .platform.app.y*ml .upsun .lagoon.y*ml .do appspec.y*ml appspec.json wrangler.toml wrangler.json*
      atlantis.y*ml .spacelift digger.y*ml .terrateam env0.y*ml
      *.gocd.y*ml *.gocd.json buddy.y*ml .buddy garnix.y*ml ci_scripts/ci_*.sh Dangerfile dangerfile.* .mega-linter.y*ml .reviewdog.y*ml .actrc`),
  },
];

const packages: readonly Group[] = [
  {
    usedBy: 'the package manager',
    source:
      'npm: npmrc; Yarn: yarnrc (yarnPath, plugins), Plug and Play; pnpm: .pnpmfile, pnpm-workspace settings; Bun: bunfig (preload); pip: configuration; PyPI: .pypirc; uv: uv.toml; conda: .condarc; PDM: pdm.toml; LuaRocks: .luarocks; Bundler: configuration; RubyGems: .gemrc; NuGet: nuget.config; .NET: local tools; npm: install runs node-gyp for a binding.gyp; Bower: hooks; Corepack: .corepack.env; Rush: common/config; setuptools: .pydistutils.cfg; Poetry: poetry.toml; Compose: override files',
    patterns:
      words(`.npmrc .yarnrc* .yarn .pnp.* .pnpmfile.* pnpmfile.* pnpm-workspace.y*ml bunfig.toml .bunfig.toml
      ~/.config/pnpm ~/.config/yarn .pip pip.conf pip.ini .pypirc uv.toml ~/.config/uv ~/.config/pip .condarc .mambarc
      .bundle .gemrc nuget.config dotnet-tools.json .paket pdm.toml .pdm.toml .pdm-python .luarocks binding.gyp .bowerrc .corepack.env common/config/rush .pydistutils.cfg pydistutils.cfg poetry.toml docker-compose.override.y*ml compose.override.y*ml`),
  },
  {
    usedBy: 'the build tool',
    source:
      'Cargo: configuration (runners, wrappers); rustup: toolchain file; Bazel: .bazelrc; Bazelisk: tools/bazel; Buck2: .buckconfig; Please; Gradle: wrapper, init scripts; Maven: .mvn (extensions, jvm.config), wrapper; sbt: .sbtopts, .jvmopts; prove: .proverc; RSpec: .rspec, .rspec-local; Terraform: CLI configuration; Bazelisk: .bazelversion; Pants: .pants.rc; MSBuild: response files; Leiningen and Mill: JVM options; Nim: config.nims; latexmk: latexmkrc; Moon; Nx: wrapper; Ansible: ansible.cfg; Chef: knife.rb; Packer: plugins; elan: lean-toolchain; sbt: .sbtrc; Maven: .mavenrc; Ant: .antrc; Leiningen and Clojure: profiles; nextest: setup scripts; Cabal: project.local; Go: env (GOFLAGS); OpenTofu; Test Kitchen; arara; kpathsea: texmf.cnf; Pandoc: defaults, filters; YARD; RDoc; SimpleCov; Rebar',
    patterns:
      words(`.cargo rust-toolchain* .bazelrc* *.bazelrc .bazeliskrc tools/bazel .buckconfig* .plzconfig*
      gradle/wrapper gradlew gradlew.bat ~/.gradle .mvn mvnw mvnw.cmd ~/.m2 .sbtopts .jvmopts .proverc .rspec .rspec-local .terraformrc terraform.rc .terraform .bazelversion pleasew .pants.* MSBuild.rsp Directory.Build.rsp
      .jvm-opts .mill-* config.nims nim.cfg latexmkrc .latexmkrc .moon .nx/nxw.js ansible.cfg .ansible* .chef .packer.d lean-toolchain .sbtrc .mavenrc .antrc ~/.lein ~/.clojure ~/.sbt .config/nextest* cabal.project.local ~/.config/go .tofurc tofu.rc .kitchen.* kitchen.y*ml .arararc.y*ml texmf.cnf .pandoc .yardopts .rdoc_options .simplecov rebar.config.script`),
  },
  {
    usedBy: INSTALLED_CODE,
    source:
      'Node.js: modules; Python: site (.pth, sitecustomize, usercustomize), venv; tox and nox: environments; Pixi and Hatch: environments; renv; FVM: flutter_sdk; Dart: package_config.json',
    patterns:
      words(`node_modules .venv venv/bin venv/lib venv/lib64 venv/scripts env/bin virtualenv/bin bin/activate bin/activate.*sh bin/activate.nu bin/activate.ps1 bin/activate.bat bin/activate_this.py .virtualenv pyvenv.cfg site-packages dist-packages __pypackages__
      __pycache__ *.pyc *.pth sitecustomize.py usercustomize.py .tox .nox .eggs .pixi .hatch .conda renv/activate.R renv/library .fvm .gradle .pnpm-store .dart_tool/package_config.json`),
  },
  {
    usedBy: 'the language runtime',
    source:
      'R: startup; PHP: .user.ini; Apache: .htaccess; Windows: desktop.ini, autorun.inf; Jupyter: configuration files of the working directory; Python: PYTHONSTARTUP, IPython, pdb; Pylint: init-hook; GHCi; OCaml: toplevel; IEx; IRB; Pry; Guile; SBCL; Julia: startup; GDB and LLDB: init files; Erlang: .erlang; Octave and MATLAB: startup; gnuplot; PsySH: .psysh.php; WP-CLI: require; Perl: .perldb; Ruby: debug and byebug; Rails: .railsrc; GHC: package environments; IPython: configuration of the working directory; DuckDB, mongosh, redis-cli: startup; unixODBC: drivers; Valgrind: .valgrindrc; perf; SWI-Prolog; PARI/GP; other Lisps: init files; Ruby: .rdebugrc; marimo; GDB: scripts next to a program (-gdb.py); nREPL: middleware; Windows Explorer: shortcuts, which load what they name when their folder is shown',
    patterns:
      words(`.Rprofile Rprofile.site .Renviron .RData .user.ini php.ini .htaccess desktop.ini autorun.inf jupyter_*config.py jupyter_*config.json .pythonrc* .pythonstartup .ipython .jupyter
      .pdbrc* .pylintrc pylintrc .ghci .ghcid .haskeline .ocamlinit .iex.exs .irbrc .pryrc .guile .sbclrc .racketrc
      ~/.julia/config .gdbinit .gdbearlyinit *-gdb.py *-gdb.gdb *-gdb.scm .lldbinit* .nrepl.edn .noderc .replyrc
      .erlang .octaverc startup.m .gnuplot .psysh.php .psysh wp-cli.y*ml wp-cli.local.y*ml .perldb .rdbgrc* .byebugrc .railsrc .ghc.environment* .utoprc .radare2rc .rizinrc .tclshrc .wishrc .re.pl .xinputrc ipython_config.py .duckdbrc .mongoshrc.js .redisclirc .odbc.ini .odbcinst.ini .valgrindrc .perfconfig .swiplrc .plrc .gprc .eclrc .clisprc* .ccl-init.lisp .rdebugrc .marimo.toml *.lnk *.url *.scf *.library-ms *.searchconnector-ms`),
  },
  {
    usedBy: 'the environment manager',
    source:
      'mise: configuration (hooks, env, tasks); asdf: .tool-versions, .asdfrc; direnv: .envrc; autoenv; proto; Devbox; shadowenv; Flox; Hermit: the activation scripts, which shell hooks and editors source; pkgx; vfox; aqua; RVM: .rvmrc; rbenv-vars and nodenv-vars; direnv: .direnvrc, use flake, use nix (evaluated again when they change); devenv: enterShell; Nix: default.nix, which nix-shell evaluates, and flake.lock; numtide devshell: devshell.toml; Guix: guix.scm and manifest.scm, which guix shell evaluates; Task and Taskwarrior: .taskrc; SDKMAN: .sdkmanrc; OnDir; smartcd; autoenv',
    patterns:
      words(`mise.toml mise.*.toml .mise* mise/config*.toml mise/conf.d .config/mise* .rtx* .tool-versions .asdfrc
      .default-npm-packages .envrc .direnv .devenv .autoenv* .prototools .proto devbox.json .devbox .sdkman .shadowenv.d .flox .hermit hermit.hcl bin/hermit bin/activate-hermit* .pkgx* pkgx.y*ml .vfox* vfox.toml .aqua* aqua.y*ml aqua-policy.y*ml .rvmrc .rbenv-vars .nodenv-vars .direnvrc ~/.config/direnv .envrc.* flake.nix flake.lock default.nix shell.nix devshell.toml devenv.nix devenv.local.nix devenv.y*ml devenv.local.y*ml guix.scm manifest.scm .guix-channels .taskrc* .sdkmanrc .ondirrc .smartcd* .localrc`),
  },
];

const home: readonly Group[] = [
  {
    usedBy: 'the shell',
    source:
      'The startup files page of bash, zsh, ksh, tcsh, fish, Nushell, Elvish, Xonsh and PowerShell; readline: inputrc',
    patterns:
      words(`.bashrc* .bash_profile .bash_login .bash_logout .bash_aliases .bash_functions .bash_completion .bash_env .bash.d .bashrc.d
      .profile .profile.d .zsh .zshrc* .zshenv* .zprofile* .zlogin* .zlogout* .zsh_* .zsh-* .zsh.d .oh-my-zsh .oh-my-bash .zim* .zinit .zplug .antigen* .prezto
      .zpreztorc .p10k.zsh .shrc .ashrc .kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc config.fish .xonshrc* .aliases .exports .functions
      *profile.ps1 ~/.config/fish ~/.config/nushell ~/.config/elvish ~/.config/xonsh ~/.config/powershell ~/.config/bash ~/.config/zsh ~/.config/starship.toml
      ~/.elvish /etc/profile* /etc/bash* /etc/zsh* /etc/environment /etc/inputrc`),
  },
  {
    usedBy: 'the system',
    source:
      'systemd: user units, environment.d; XDG: autostart, desktop entries; macOS: launchd; cron: crontab; X11: xinit; PAM; sudo; the dynamic linker; XDG: MIME applications, .desktop files; Nautilus scripts; GNOME Shell extensions; XScreenSaver; VNC: xstartup',
    patterns:
      words(`~/.config/systemd ~/.config/autostart* ~/.config/environment.d ~/.config/user-tmpfiles.d ~/.local/share/systemd
      ~/.local/share/applications ~/.local/share/dbus-1 ~/.local/etc ~/.config/plasma-workspace ~/.config/upstart ~/Library/LaunchAgents ~/Library/LaunchDaemons
      ~/Library/Preferences /Library/LaunchAgents /Library/LaunchDaemons .xinitrc .xsession* .xprofile .xserverrc .Xresources .Xdefaults .pam_environment
      .crontab /var/spool/cron /etc/cron* /etc/anacrontab /etc/systemd /etc/init* /etc/rc* /etc/sudoers* /etc/pam* /etc/ld.so* /etc/udev /etc/ssh *.desktop ~/.config/mimeapps.list ~/.local/share/nautilus ~/.local/share/gnome-shell ~/.config/xfce4 ~/.config/lxsession ~/.config/openbox .fluxbox .xscreensaver .vnc .xmonad .Xclients`),
  },
  {
    usedBy: 'the PATH',
    source: 'XDG: user executables; and the folders that the language managers put on the PATH',
    patterns:
      words(`~/.local/bin ~/bin ~/.bin ~/.local/lib ~/.local/pipx ~/.local/share/pipx ~/.local/share/mise ~/.local/share/uv ~/.local/share/pnpm
      ~/go/bin ~/.go/bin ~/.deno ~/.bun ~/.npm-global ~/.npm-packages ~/.nvm ~/.fnm ~/.volta ~/.asdf ~/.rbenv ~/.rvm ~/.pyenv ~/.rustup ~/.nodenv ~/.goenv ~/.jenv
      ~/.krew ~/.dotnet ~/.ghcup ~/.cabal ~/.opam ~/.nix-profile ~/.linuxbrew /usr/local/bin /usr/local/sbin /opt/homebrew/bin`),
  },
  {
    usedBy: 'the terminal and the desktop',
    source:
      'tmux; tmuxinator, tmuxp and teamocil: commands of a session; GNU Screen; Kitty; WezTerm; Alacritty; Ghostty; i3, Sway and Hyprland; Hammerspoon; Karabiner; Zellij; bspwm, sxhkd, qtile, river, niri; Waybar, Polybar, Rofi, Dunst: commands; mpv: scripts; ranger, lf, yazi; iTerm2',
    patterns:
      words(`.tmux.conf* .tmux .tmuxinator* .tmuxp.* .teamocil* .screenrc .wezterm.lua ~/.config/tmux ~/.config/kitty ~/.config/wezterm ~/.config/alacritty ~/.config/ghostty
      ~/.config/i3 ~/.config/sway ~/.config/hypr ~/.config/awesome ~/.hammerspoon ~/.config/karabiner ~/.skhdrc ~/.yabairc ~/.config/skhd ~/.config/yabai ~/.config/zellij .byobu ~/.config/bspwm ~/.config/sxhkd ~/.config/qtile ~/.config/river ~/.config/niri ~/.config/waybar ~/.config/polybar ~/.config/rofi ~/.config/dunst ~/.config/mpv ~/.config/ranger ~/.config/lf ~/.config/yazi`),
  },
  {
    usedBy: 'network and account tools',
    source:
      'OpenSSH: config, authorized_keys, rc; GnuPG: options; Docker: config (credential helpers, CLI plugins); kubectl: exec credentials; AWS: credential_process; gcloud; GitHub CLI: aliases; curl: curlrc; wget: wgetrc; less: lesskey; tig and lazygit: commands; mailcap; mbsync, msmtp and offlineimap: password commands; irssi and WeeChat: startup; newsboat; nano: nanorc; Helm: plugins; Ansible and rclone: commands for passwords',
    patterns:
      words(`.ssh .gnupg .docker .kube .aws .azure .boto ~/.config/gcloud ~/.config/gh ~/.config/glab-cli ~/.config/containers .curlrc _curlrc .wgetrc
      .lesskey .lessfilter .mailrc .muttrc .forward .procmailrc .rhosts .shosts .netrc _netrc .ackrc .ripgreprc .agignore .my.cnf .psqlrc .sqliterc .mongorc.js .pgpass .tigrc ~/.config/tig ~/.config/lazygit .mailcap .mbsyncrc .msmtprc .offlineimaprc .irssi .weechat .newsboat .nanorc ~/.config/nano ~/.config/helm ~/.local/share/helm ~/.config/rclone`),
  },
];

/**
 * Every hidden entry of the home folder belongs to some program, even if it is not listed above. Applies only if the
 * workspace is or contains the home folder: a project in `~/.config` consists of ordinary files.
 */
const hiddenInHome: ProtectedName = {
  pattern: '~/.*',
  usedBy: 'the program that it belongs to',
  isBuilt: true,
  isGeneral: true,
};

/**
 * Files that package installation, test runs, `rubocop --auto-gen-config`, and commits of version control systems other than
 * git write.
 */
const built: ReadonlySet<string> = new Set(
  words(`node_modules .venv .virtualenv venv/bin venv/lib venv/lib64 venv/scripts env/bin virtualenv/bin bin/activate bin/activate.*sh bin/activate.nu
    bin/activate.ps1 bin/activate.bat bin/activate_this.py pyvenv.cfg
    site-packages dist-packages __pypackages__ __pycache__ *.pyc *.pth .tox .nox .eggs .yarn .pnp.* .terraform .direnv .devenv .devbox
    .RData .hg .jj .svn .bzr .sl _darcs .pijul .repo .pixi .hatch .conda renv/library .fvm .gradle .pnpm-store .bsp .bloop .metals .scala-build .dvc .dart_tool/package_config.json .rubocop_todo.yml`),
);

/** All protected names. Pure data. */
export const protectedNames: readonly ProtectedName[] = [git, agents, editors, automation, packages, home]
  .flat()
  .flatMap(({ usedBy, patterns, isBuilt }) =>
    patterns.map((pattern) => ({
      ...{ pattern, usedBy },
      ...((isBuilt === true || built.has(pattern)) && { isBuilt: true as const }),
    })),
  );

export interface ProtectionPlace {
  /** The home folder, absolute: as named, and with its links resolved. */
  readonly homes: readonly string[];
  /**
   * Absolute folders that the user works in. The parents of the innermost one that contains the path are not checked,
   * because the user chose them: in a worktree at `.claude/worktrees/x` the files are ordinary.
   */
  readonly workspace: readonly string[];
  /** Links in the home that lead into the workspace, or to a folder around it. */
  readonly links?: readonly HomeLink[];
}

/** A path in the home that is, through a link, a path elsewhere. Both absolute. */
export interface HomeLink {
  readonly name: string;
  /** Without links. */
  readonly target: string;
}

/**
 * The places used in comparisons: home and workspace as named, with their links resolved, and as `links` in the home
 * name them.
 */
export function protectionPlace(
  home: string,
  workspace: readonly string[],
  realpath: (path: string) => string,
  links: readonly HomeLink[],
): ProtectionPlace {
  const both = (folders: readonly string[]): readonly string[] => [
    ...new Set(folders.flatMap((folder) => [folder, realpath(folder)])),
  ];
  const named = both(workspace);
  const leading = links.filter(({ target }) =>
    named.some((folder) => isInside(folder, target) || isInside(target, folder)),
  );
  const inHome = named.flatMap((folder) => namesThrough(folder, leading));
  return { homes: both([home]), workspace: [...named, ...inHome], links: leading };
}

/** The paths in the home that lead to a path without links. */
export const namesThrough = (path: string, links: readonly HomeLink[]): readonly string[] =>
  links
    .filter(({ target }) => isInside(path, target))
    .map(({ name, target }) => join(name, relative(target, path)));

/**
 * The protected name that an absolute path is or is inside of, by its own name or by one that links in the home give it.
 * Names that some file system treats as equal are equal: different case, invisible characters, trailing dots or spaces.
 */
export function protectedName(path: string, place: ProtectionPlace): ProtectedName | undefined {
  const own = nameOf(path, place);
  if (own !== undefined || !place.links?.length) return own;
  const known = namesThrough(path, place.links).flatMap((name) => nameOf(name, place) ?? []);
  return known.find(({ isGeneral }) => isGeneral !== true) ?? known[0];
}

/** True for the name of a folder with installed code; not for what Python has compiled, next to any code. */
export function isInstalledCode(name: string): boolean {
  const known = nameOf(`/${name}`, { homes: [], workspace: [] });
  return known?.usedBy === INSTALLED_CODE && !/^__pycache__$|\*/.test(known.pattern);
}

/** What uses a path in the home, if that is known by name. */
export function protectedUse(inHome: string): string | undefined {
  const name = nameOf(`/home/${inHome}`, { homes: ['/home'], workspace: ['/home'] });
  return name === undefined || name.isGeneral === true || name.isBuilt === true ? undefined : name.usedBy;
}

function nameOf(path: string, { homes, workspace }: ProtectionPlace): ProtectedName | undefined {
  const parts = foldPath(path);
  const around = homes.map(foldPath).filter((folder) => startsWith(parts, folder));
  const containing = workspace.map(foldPath).filter((folder) => startsWith(parts, folder));
  sorted ??= sortNames();
  const { plain, anyWild, wild, rows, rooted } = sorted;
  const from = Math.max(0, ...containing.map((folder) => folder.length));
  for (const [index, part] of parts.entries()) {
    if (index < from) continue;
    const known =
      plain.get(part) ?? (anyWild.test(part) ? wild.find(({ matches }) => matches(part))?.name : undefined);
    if (known) return known;
  }
  return (
    rows.find(({ way }) => matchesFrom(from, way, parts))?.name ??
    rooted.find(({ way, isBelowHome }) =>
      isBelowHome ? around.some((folder) => matchesAt(way, parts, folder.length)) : matchesAt(way, parts, 0),
    )?.name ??
    (around.some((folder) => from <= folder.length && isHiddenIn(folder, parts)) ? hiddenInHome : undefined)
  );
}

/** True if commands must not write there: protected, and not written by everyday commands. */
export function isReadOnlyForCommands(path: string, place: ProtectionPlace): boolean {
  const name = protectedName(path, place);
  return name !== undefined && name.isBuilt !== true;
}

type Matcher = (part: string) => boolean;
type Way = readonly Matcher[];

const matchesAt = (way: Way, parts: readonly string[], at: number): boolean =>
  way.every((matches, index) => matches(parts[at + index] ?? ''));

/** True if the names match at a position that extends beyond the first `from` parts. */
function matchesFrom(from: number, way: Way, parts: readonly string[]): boolean {
  for (let at = Math.max(0, from - way.length + 1); at < parts.length; at++)
    if (matchesAt(way, parts, at)) return true;
  return false;
}

const startsWith = (parts: readonly string[], start: readonly string[]): boolean =>
  start.length <= parts.length && start.every((part, index) => parts[index] === part);

const isHiddenIn = (folder: readonly string[], parts: readonly string[]): boolean =>
  startsWith(parts, folder) && parts[folder.length]?.startsWith('.') === true;

function matcher(name: string): Matcher {
  if (!name.includes('*')) return (part) => part === name;
  const pattern = new RegExp(`^${expression(name)}$`, 's');
  return (part) => pattern.test(part);
}

const expression = (name: string): string => name.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*');

/** The patterns, sorted by how they are matched: most are plain names, and a long command checks thousands of words. */
interface SortedNames {
  readonly plain: ReadonlyMap<string, ProtectedName>;
  /** All of `wild` in one expression: most names match none of these, which would otherwise be tried one by one. */
  readonly anyWild: RegExp;
  readonly wild: readonly { readonly name: ProtectedName; readonly matches: Matcher }[];
  readonly rows: readonly { readonly name: ProtectedName; readonly way: Way }[];
  readonly rooted: readonly {
    readonly name: ProtectedName;
    readonly way: Way;
    readonly isBelowHome: boolean;
  }[];
}

/** Built on first use, to keep startup fast. */
let sorted: SortedNames | undefined;

function sortNames(): SortedNames {
  const plain = new Map<string, ProtectedName>();
  const wild: SortedNames['wild'][number][] = [];
  const rows: SortedNames['rows'][number][] = [];
  const rooted: SortedNames['rooted'][number][] = [];
  const wildParts: string[] = [];
  for (const name of protectedNames) {
    const { pattern } = name;
    const isBelowHome = pattern.startsWith('~/');
    const parts = foldPath(isBelowHome ? pattern.slice(2) : pattern);
    const [first = ''] = parts;
    const way = parts.map(matcher);
    if (isBelowHome || pattern.startsWith('/')) rooted.push({ name, way, isBelowHome });
    else if (way.length > 1) rows.push({ name, way });
    else if (pattern.includes('*')) {
      wild.push({ name, matches: matcher(first) });
      wildParts.push(expression(first));
    } else if (first !== '') plain.set(first, name);
  }
  return { plain, anyWild: new RegExp(`^(?:${wildParts.join('|')})$`, 's'), wild, rows, rooted };
}
