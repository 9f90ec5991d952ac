import { describe, expect, test } from 'vitest';
import {
  isReadOnlyForCommands,
  protectedName,
  protectedNames,
  protectionPlace,
} from '../../../src/permissions/files/protectedNames.ts';

const place = { homes: ['/home/me'], workspace: ['/home/me/p'] };
const isProtected = (path: string): boolean =>
  protectedName(path.startsWith('~/') ? `/home/me/${path.slice(2)}` : `/home/me/p/${path}`, place) !==
  undefined;

describe('protects files that other programs run or read as settings', () => {
  test.each([
    ...[
      'nano-staged.js',
      '.nano-staged.json',
      '.nanostagedrc',
      '.lazygit.yml',
      'Session.vim',
      'flake.nix',
      'shell.nix',
    ],
    ...[
      '.dart_tool/package_config.json',
      'netlify.toml',
      'vercel.json',
      'render.yaml',
      'railway.json',
      'railway.toml',
    ],
    ...[
      'heroku.yml',
      '.platform.app.yaml',
      '.upsun/config.yaml',
      '.lagoon.yml',
      'nixpacks.toml',
      '.do/app.yaml',
    ],
    ...['.vscode-test.mjs', '.luacheckrc', 'jupyter_server_config.py', 'desktop.ini'],
    ...[
      '.commitlintrc.js',
      'commitlint.config.ts',
      '.gitlint',
      '.releaserc.json',
      '.goreleaser.yaml',
      '.versionrc.js',
    ],
    ...[
      '.changeset/config.json',
      '.specify/scripts/bash/x.sh',
      '.serena/project.yml',
      '.bmad-core/core.yaml',
      'JULES.md',
    ],
    ...[
      '.ycm_extra_conf.py',
      'app.pro.user',
      'CMakeLists.txt.user',
      '.lsp/config.edn',
      'rust-analyzer.toml',
      'x.launch',
    ],
    ...['.formatter.exs', '.lintr', 'p.Rproj', 'lakefile.lean', '.kateproject', 'erlang_ls.config'],
    ...[
      '.scrutinizer.yml',
      'codefresh.yml',
      '.taskcluster.yml',
      '.copr/Makefile',
      'amplify.yml',
      '.ebextensions/a.config',
    ],
    ...['.cpanel.yml', '.deployment', '.s2i/bin/run', '.openshift/action_hooks/build'],
    ...[
      'binding.gyp',
      '.bowerrc',
      '.corepack.env',
      'poetry.toml',
      'compose.override.yaml',
      'common/config/rush/.npmrc',
    ],
    ...[
      '.sbtrc',
      '.config/nextest.toml',
      'cabal.project.local',
      'texmf.cnf',
      '.arararc.yaml',
      '.kitchen.local.yml',
    ],
    ...['ipython_config.py', '.duckdbrc', '.valgrindrc', '.swiplrc', 'a.lnk', 'a.desktop', '.odbcinst.ini'],
    ...['.direnvrc', '.envrc.local', 'devenv.nix', '.sdkmanrc', '.tigrc', '.mailcap', '.nanorc', '.msmtprc'],
    ...[
      '~/.config/go/env',
      '~/.config/zellij/config.kdl',
      '~/.config/Code/User/settings.json',
      '~/.lein/profiles.clj',
    ],
    ...['husky.config.js', '.huskyrc.json', 'captainhook.config.json', '.west/config'],
    ...[
      'bin/activate-hermit',
      'bin/activate-hermit.fish',
      'bin/hermit',
      'bin/hermit.hcl',
      '.mise/tasks/build',
    ],
    ...[
      '.vs/x',
      'tasks.vs.json',
      'launch.vs.json',
      '.runsettings',
      'CMakeUserPresets.json',
      'buildServer.json',
    ],
    ...['_CoqProject', '.clang_complete', '.lite_project.lua', 'wallaby.js', '.golangci.yml', 'pyrefly.toml'],
    ...[
      'app/app-gdb.py',
      '.nrepl.edn',
      'guix.scm',
      'a.url',
      'Dangerfile',
      'ci_scripts/ci_post_clone.sh',
      '.actrc',
    ],
    '.git',
    '.git/hooks/pre-commit',
    'repo.git/hooks/post-receive',
    '.gitattributes',
    '.gitmodules',
    '.githooks/pre-push',
    '.husky/pre-commit',
    'lefthook.yml',
    'lefthook-local.yaml',
    '.pre-commit-config.yaml',
    '.hg/hgrc',
    '.clawdcode.json',
    '.clawdcode/agents/x.md',
    'AGENTS.md',
    'packages/a/CLAUDE.md',
    'CLAUDE.local.md',
    'GEMINI.md',
    '.claude/settings.json',
    '.codex/config.toml',
    '.gemini/settings.json',
    '.cursor/mcp.json',
    '.cursorrules',
    '.windsurfrules',
    '.aider.conf.yml',
    '.continue/config.json',
    '.mcp.json',
    '.github/copilot-instructions.md',
    '.vscode/tasks.json',
    'my.code-workspace',
    '.idea/workspace.xml',
    '.zed/tasks.json',
    '.nvim.lua',
    ...['.rubocop.yml', '.rubocop_todo.yml', '.standard.yml', '.erb-lint.yml', '.credo.exs', '.flake8'],
    ...['dprint.json', '.treefmt.toml', '.php-cs-fixer.dist.php', '.markdownlint-cli2.jsonc'],
    '.exrc',
    'src/.dir-locals.el',
    '.devcontainer/devcontainer.json',
    '.github/workflows/ci.yml',
    '.github/actions/x/action.yml',
    '.gitlab-ci.yml',
    '.circleci/config.yml',
    'Jenkinsfile',
    'azure-pipelines.yml',
    '.travis.yml',
    'bitbucket-pipelines.yml',
    '.drone.yml',
    '.buildkite/pipeline.yml',
    '.woodpecker.yml',
    '.npmrc',
    '.yarnrc.yml',
    '.yarn/releases/yarn.cjs',
    '.pnp.cjs',
    '.pnpmfile.cjs',
    'bunfig.toml',
    '.cargo/config.toml',
    'rust-toolchain.toml',
    '.bundle/config',
    'pip.conf',
    'sitecustomize.py',
    'lib/x.pth',
    'mise.toml',
    '.config/mise/config.toml',
    '.tool-versions',
    '.envrc',
    '.bazelrc',
    'gradle/wrapper/gradle-wrapper.properties',
    '.mvn/extensions.xml',
    'node_modules/.bin/tsc',
    'node_modules/a/index.js',
    '.venv/bin/activate',
    '.bashrc',
    '.zshrc.local',
    '~/.config/fish/conf.d/x.fish',
    '~/.config/systemd/user/x.service',
    '~/.config/autostart/x.desktop',
    '~/Library/LaunchAgents/x.plist',
    '~/.local/bin/git',
    '~/bin/ls',
    '~/.ssh/authorized_keys',
    '~/.gitconfig',
    '~/.config/git/config',
    '~/.tmux.conf',
    '~/.vim/plugin/x.vim',
    '~/.emacs.d/init.el',
    'scripts/pre-commit',
    'tools/git/hooks/commit-msg',
    '.lfsconfig',
    'hk.pkl',
    '.trunk/trunk.yaml',
    '.fossil-settings/x',
    'skills/x/SKILL.md',
    '.aiassistant/rules/a.md',
    '.qoder/rules/a.md',
    '.ropeproject/config.py',
    'hie.yaml',
    '.hie-bios',
    '.volta/hooks.json',
    '.phpactor.json',
    '.phpactor.yml',
    '.ruby-lsp/Gemfile',
    '.tmuxinator.yml',
    '.tmuxp.yaml',
    '.teamocil.yml',
    '.bsp/server.json',
    'Properties/launchSettings.json',
    '.lazy.lua',
    '.devfile.yaml',
    '.codesandbox/tasks.json',
    '.github/settings.yml',
    '.github/renovate.json5',
    '.github/scripts/release.sh',
    '.github/CODEOWNERS',
    '.gitconfig.local',
    '.erlang',
    '.psysh.php',
    '.perldb',
    'renv/activate.R',
    '.rvmrc',
    '.shadowenv.d/000.lisp',
    'ansible.cfg',
    'Directory.Build.rsp',
    '~/.docker/config.json',
    '~/.kube/config',
  ])('%s', (path) => expect(isProtected(path)).toBe(true));
});

describe('protects what editors, language servers and watchers run on their own', () => {
  test.each([
    ...[
      'eslint.config.js',
      'eslint.config.mts',
      '.eslintrc.cjs',
      '.eslintrc.json',
      '.eslintrc',
      '.babelrc.js',
    ],
    ...['.stylelintrc.js', 'stylelint.config.mjs', '.prettierrc', '.prettierrc.js', 'prettier.config.js'],
    ...['cspell.config.mjs', '.cspell.json', 'tslint.json', 'mypy.ini', 'phpstan.neon'],
    ...[
      'tailwind.config.ts',
      'svelte.config.js',
      '.graphqlrc.js',
      '.graphqlrc',
      'graphql.config.js',
      'nx.json',
    ],
    ...['analysis_options.yaml', 'uno.config.ts'],
    ...['Directory.Build.props', 'Directory.Build.targets', 'App.suo'],
    ...['Tiltfile', 'ops/a.tiltfile', 'Guardfile', 'bacon.toml'],
  ])('%s', (path) => expect(isProtected(path)).toBe(true));
});

describe('does not protect files that developers edit constantly', () => {
  test.each([
    ...[
      'build.rs',
      'CMakeLists.txt',
      'build.gradle',
      'settings.gradle.kts',
      'Gemfile',
      'a.gemspec',
      'src/App/App.csproj',
    ],
    ...[
      'vite.config.js',
      'next.config.mjs',
      'jest.config.js',
      'vitest.config.ts',
      'setup.cfg',
      'tox.ini',
      'mix.exs',
    ],
    'package.json',
    'package-lock.json',
    'Makefile',
    'Dockerfile',
    'docker-compose.yml',
    'tsconfig.json',
    'src/vite.ts',
    'tests/settings.cfg',
    'styles/tailwind.css',
    'conftest.py',
    'Cargo.toml',
    'pyproject.toml',
    'src/index.ts',
    'src/git/hooks.ts',
    'bin/cli.js',
    'docs/agents.html',
    'README.md',
    '.gitignore',
    '.editorconfig',
    '.nvmrc',
    '.github/ISSUE_TEMPLATE/bug.md',
    '.github/ISSUE_TEMPLATE/bug.yml',
    '.github/PULL_REQUEST_TEMPLATE.md',
    'docs/pre-commit.md',
    'src/hooks/usePreCommit.ts',
    'src/git-hooks/index.ts',
    'src/bin/activateLicense.ts',
    'fly.toml',
    'app.json',
    'gradle.properties',
    'pixi.toml',
    'prompts/answer.prompt.md',
    'config/app.toml',
    'lib/node_modules.ts',
    'api/service.proto',
    '.root/x',
    ...['mise-tasks/build', 'justfile', 'Taskfile.yml', 'Procfile', 'bin/activateHermit.ts', 'src/hermit.ts'],
    ...[
      'webpack.config.js',
      'gulpfile.js',
      'composer.json',
      'pom.xml',
      'husky.md',
      'wallaby.png',
      'scripts/gdb.py',
      'web.config',
    ],
  ])('%s', (path) => expect(isProtected(path)).toBe(false));
});

test.each([
  '.GIT/hooks/pre-commit',
  '.Git/config',
  '.g\u200cit/config',
  '.git\ufeff/config',
  '.git\u200b/config',
  '.vsc\u00adode/tasks.json',
  '.git\u2060/hooks/post-checkout',
  '.git\ufe0f/config',
  '.git./config',
  '.git /config',
  'git~1/hooks/x',
  '.v\u017fcode/tasks.json',
  'agents.md',
  '.GitHub/Workflows/ci.yml',
])('protects %j, which some file systems treat as the same name', (path) =>
  expect(isProtected(path)).toBe(true),
);

test('protected names in the path to the workspace are ignored, except for folders on the PATH', () => {
  const inTree = { homes: ['/home/me'], workspace: ['/home/me/p', '/home/me/p/.claude/worktrees/x'] };
  expect(protectedName('/home/me/p/.claude/worktrees/x/a.ts', inTree)).toBeUndefined();
  expect(protectedName('/home/me/p/.claude/worktrees/x/.claude/a.md', inTree)?.usedBy).toBe('coding agents');
  expect(protectedName('/home/me/p/.claude/worktrees/y/a.ts', inTree)?.pattern).toBe('.claude');
  const inBin = { homes: ['/home/me'], workspace: ['/home/me/bin'] };
  expect(protectedName('/home/me/bin/ls', inBin)?.pattern).toBe('~/bin');
});

test('commands may write only those protected files that commands build', () => {
  const writable = (path: string): boolean => !isReadOnlyForCommands(`/home/me/p/${path}`, place);
  expect(
    [
      'node_modules/a/index.js',
      'src/__pycache__',
      '.venv/bin/python',
      '.jj/x',
      'a.ts',
      '.eslintrc.js',
    ].filter(writable),
  ).toHaveLength(6);
  expect(
    ['.vscode', 'AGENTS.md', '.github/workflows', '.npmrc', '.husky', '.claude', 'Tiltfile'].filter(writable),
  ).toEqual([]);
});

test('every protected name is listed once, says what uses it, and matches itself', () => {
  const patterns = protectedNames.map(({ pattern }) => pattern.toLowerCase());
  expect(patterns.filter((pattern, index) => patterns.indexOf(pattern) !== index)).toEqual([]);
  expect(protectedNames.filter(({ isBuilt }) => isBuilt)).toHaveLength(121);
  for (const { pattern, usedBy } of protectedNames) {
    expect(usedBy).not.toBe('');
    const path = pattern.replaceAll('*', 'x');
    expect(
      protectedName(path.startsWith('/') ? path : path.replace(/^(?:~\/)?/, '/home/me/'), place),
      pattern,
    ).toBeDefined();
  }
});

test('hidden entries of the home folder are protected, but not those of a project inside it', () => {
  const at = (workspace: string, path: string) =>
    protectedName(path, { homes: ['/home/me'], workspace: [workspace] })?.pattern;
  expect(at('/home/me', '/home/me/.unheardof/run.sh')).toBe('~/.*');
  expect(at('/home', '/home/me/.unheardofrc')).toBe('~/.*');
  expect(at('/elsewhere', '/home/me/.config/unheardof/settings.json')).toBe('~/.*');
  expect(at('/home/me', '/home/me/.bashrc')).toBe('.bashrc*');
  expect(at('/home/me', '/home/me/p/.unheardof')).toBeUndefined();
  expect(at('/home/me/.dotfiles', '/home/me/.dotfiles/a.txt')).toBeUndefined();
  expect(at('/home/me/.config/app', '/home/me/.config/app/a.txt')).toBeUndefined();
  // Commands constantly write there, for example to caches.
  expect(isReadOnlyForCommands('/home/me/.cache/x', { homes: ['/home/me'], workspace: ['/home/me'] })).toBe(
    false,
  );
});

test('names in the home are protected under both paths of a home that is a link', () => {
  const realpath = (path: string): string => path.replace(/^\/home\/me(?=\/|$)/, '/data/me');
  const place = protectionPlace('/home/me', ['/home/me'], realpath, []);
  for (const path of ['/home/me/.local/bin/git', '/data/me/.local/bin/git'])
    expect(isReadOnlyForCommands(path, place), path).toBe(true);
  expect(isReadOnlyForCommands('/data/me/project/a.ts', place)).toBe(false);
});
