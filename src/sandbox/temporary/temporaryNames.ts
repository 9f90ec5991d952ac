/**
 * What names in a temporary folder mean. Of what a confined command creates, other programs see only documents and what
 * the command line names. Names that the user's programs treat as their own (caches, libraries, sockets, settings for
 * subfolders) are kept apart in both directions: commands can create their own, and nothing they create gets such a
 * name outside, even if the command line names it. Data; neither list has to be complete for this to work.
 */
import { delimiter, isAbsolute, resolve } from 'node:path';

interface Group {
  /** The documentation or source of each program that names it. */
  readonly source: string;
  /** `*` matches anything, `?` one word character. Case-insensitive. */
  readonly names: string;
}

/** Folders, sockets, and files without an extension or with one of code. */
const caches: readonly Group[] = [
  {
    source:
      'Node: module.enableCompileCache; v8-compile-cache; tsx: temporaryDirectory; ts-node: cache; Jest: cacheDirectory; Metro: cacheStores, haste map; Bun: bunx; Yarn 1: yarn run; npm, pnpm, node-gyp, Corepack, esbuild, swc, Vite, Vitest, Parcel, webpack, Nx, Turborepo, Playwright, Puppeteer, Cypress: temporary folders; jiti: fsCache; caxa: where it unpacks programs',
    names:
      'node-compile-cache* v8-compile-cache* tsx-* ts-node* jest_* jest-* metro-* haste-map* bunx-* bun-* npm-* npx* _npx yarn-* pnpm-* node-gyp* corepack* esbuild-* swc* vite-* vitest-* parcel-* webpack-* nx-* turbo* next-* nuxt* playwright* puppeteer* cypress* deno* babel-* prettier* eslint* jiti node-jiti ncc-cache caxa embedded-pg',
  },
  {
    source:
      'Go: GOTMPDIR; gopls: daemon; Cargo install, rustc, sccache, ccache, GCC, Clang modules, Zig, Bazel, Meson, CMake try-compile, distcc',
    names:
      'go-build* go-link* gopls* go-tool* cargo-* rustc* rust-* sccache* ccache* cc?????? cc??????.* clang* org.llvm.* zig-* bazel* meson* cmake* distcc* icecc*',
  },
  {
    source:
      'pip, uv, Poetry, virtualenv, pytest: tmp_path; PyInstaller: _MEI; Numba, PyTorch Inductor and extensions, Triton, JAX, Matplotlib, Jupyter, IPython, Ray, joblib, multiprocessing, TensorFlow Hub: TFHUB_CACHE_DIR; Ansible: local_tmp; Salt',
    names:
      'pip-* pip_* uv-* poetry* virtualenv* pytest-* build-env-* _mei* numba* torch* triton* jax* matplotlib* jupyter* ipython* ipykernel* ray joblib* pymp-* ansible* salt* dask* streamlit* gradio* tfhub_modules',
  },
  {
    source:
      'HotSpot: hsperfdata; JNA, Jansi, jffi, Netty, Snappy, SQLite JDBC, RocksDB, Conscrypt: native libraries; Gradle, Kotlin daemon, sbt, Coursier, Surefire, Tomcat, Spark, Hadoop; the loader: whatever is a library',
    names:
      'hsperfdata* jna* jansi* jffi* netty* snappy* sqlite-* leveldb* rocksdb* conscrypt* gradle* kotlin* sbt* coursier* surefire* maven* tomcat* spark* hadoop* kafka* *.so *.so.* *.dylib *.dll *.node *.jar *.class *.pyc *.pth *.whl *.gem',
  },
  {
    source:
      '.NET: diagnostics, NuGet scratch, compiler server; Bundler, Bootsnap, Spring; PHP: sessions, PHPStan, Psalm, PHP CS Fixer, Composer, Twig, Symfony, Rector: cacheDirectory; PEAR: temp_dir, cache_dir; R: tempdir; Julia; Erlang; PowerShell; Homebrew; Nix and Guix builds',
    names:
      'dotnet* clr-debug* nuget* msbuild* vbcscompiler* bundler* bootsnap* spring-* puma* sess_* phpstan* psalm* php-* composer* twig* symfony* laravel* rector_cached_files pear opcache* rtmp* jl_* erl_* powershell* psscript* homebrew* brew-* nix-* guix-*',
  },
  {
    source:
      'tmux: TMUX_TMPDIR; GNU screen; OpenSSH: agent and connection sockets; GnuPG; keyrings; D-Bus; PulseAudio; systemd: PrivateTmp; snap; X11; Kerberos: default_ccache_name; editors and terminals: servers; containers: runtime folders; databases: sockets',
    names:
      'tmux-* screen* uscreens* ssh-* gpg-* keyring-* ssh_* dbus-* pulse-* systemd-* snap* x11-* xauth* serverauth* krb5cc* gdm* i3-* sway* com.* vscode* cursor* windsurf* zed* emacs* nvim* vim-* kitty* wezterm* zellij* mosh* fzf* starship* oh-my-* docker* podman* buildah* containers-* storage-run-* runc* lima* minikube* kind-* vagrant* terraform* packer* mysql* pg_* redis* mongodb* *.sock *.socket *.pid *.lock *-lock',
  },
  {
    source:
      'GHC, Stack, Cabal, opam, Leiningen, Mix, Swift, Xcode, Flutter, Dart, Groovy, JRuby, CPAN, PAR: PAR_GLOBAL_TEMP; LuaRocks, Conan, vcpkg, Arduino, PlatformIO; Electron, Selenium, ChromeDriver, AppImage; setuptools, wheel: temporary folders',
    names:
      'stack-* ghc* cabal-* opam-* lein* clj* mix-* rebar* swift-* modulecache* xcode* xcrun_db* flutter* dart* groovy* jruby* cpan* par-* luarocks* conan* vcpkg* arduino* platformio* electron* selenium* chromedriver* scoped_dir* appimage* easy_install-* setuptools* wheel-* hugo_cache*',
  },
  {
    source: 'Coding agents: their own temporary folders; git, pre-commit, gitstatus',
    names:
      'clawdcode* claude* codex* gemini* copilot* aider* opencode* git-* gitstatus* pre-commit* husky* lefthook*',
  },
];

const settings: readonly Group[] = [
  {
    source:
      'Looked for in the folders above the file or project that a tool is started with. Node: package scopes, node_modules; TypeScript, Babel, ESLint, Prettier, PostCSS, webpack: configuration; Deno; pytest: rootdir; setuptools, tox, uv; Go: go.mod, go.work; Cargo: workspaces; Bundler, Rake, Vagrant; Gradle, Maven; Bazel; just, Task, mise, invoke, Fabric, nox, doit; Docker Compose; MSBuild, NuGet; Stack, Cabal, Dune, Mix, Leiningen, sbt; CMake, Meson, SCons, waf; gulp, Grunt, Jake; pnpm; lefthook; Nix; git: a folder that is a bare repository',
    names:
      'node_modules package.json package.json5 package.yaml tsconfig*.json jsconfig*.json *.config.js *.config.cjs *.config.mjs *.config.ts *.config.mts *.config.cts *.config.json deno.json* biome.json* pyproject.toml setup.py setup.cfg tox.ini pytest.ini conftest.py sitecustomize.py usercustomize.py pyvenv.cfg go.mod go.work cargo.toml gemfile* rakefile* vagrantfile build.gradle* settings.gradle* pom.xml workspace workspace.* module.bazel build.bazel justfile taskfile.y*ml flake.nix shell.nix default.nix makefile gnumakefile composer.json turbo.json nx.json lerna.json rush.json pnpm-workspace.yaml stack.yaml cabal.project* dune-project dune-workspace docker-compose*.y*ml compose*.y*ml directory.build.props directory.build.targets directory.packages.props global.json nuget.config gulpfile* gruntfile* jakefile* tasks.py fabfile.py noxfile.py dodo.py lefthook.y*ml mise.toml mix.exs project.clj build.sbt cmakelists.txt meson.build sconstruct wscript head objects refs config hooks commondir',
  },
];

const lookedUp: readonly Group[] = [
  {
    source:
      'Documents that tools look for by name in a folder or those above it. Coding agents: instructions, skills, servers; npm, Bower, Deno, JSR: packages; pip, Conan, CMake, Meson; Angular, CDK, Vercel, Firebase, Wrangler, Serverless, nodemon, Jest, Babel, TSLint, Pyright, Renovate; .NET; editors, dev containers, Docker',
    names:
      '*agents*.md *claude*.md *gemini*.md *copilot*.md *instructions*.md qwen.md crush.md warp.md goose*.md conventions.md skill.md rules.md memory.md agents.txt *mcp*.json opencode.json crush.json *settings*.json *config*.json *conf.json *rc.json *package*.json *-lock.json *.lock.json npm-shrinkwrap.json *manifest*.json *project*.json *workspace*.json bower.json component*.json jsr.json import*map*.json plugin*.json hooks.json angular.json cdk.json vercel.json now.json firebase.json wrangler.json serverless.json nodemon.json jest.json babel.json tslint.json eslint.json renovate.json app.json launch.json tasks.json extensions.json devcontainer*.json docker-bake*.json *requirements*.txt *constraints*.txt conanfile.txt meson_options.txt',
  },
];

/** Reports, results and logs, which programs read only if they are given the name. */
const report =
  /\.(?:log|txt|md|rst|json|jsonl|ndjson|csv|tsv|html?|xml|patch|diff|out|err|ya?ml|svg|png|jpe?g|gif|webp|pdf|sql|tar|t?gz|zip|xz|bz2)$/;

/**
 * Extensions of files that people read and no program runs, imports, loads or unpacks. Without archives, which are often
 * downloaded once and unpacked again, `out`, which compilers use, and formats of settings and scripts (`yaml`, `sql`).
 */
const documents =
  'log txt text md rst adoc tex json jsonl ndjson geojson har csv tsv html htm patch diff err svg png jpg jpeg gif webp avif bmp tif tiff heic mp3 wav ogg flac m4a mp4 webm mov mkv pdf ps eps epub rtf docx xlsx pptx odt ods odp cpuprofile heapsnapshot';
/** The first character excludes what a shell or program would read as an option, a pattern or a hidden file. */
const document = new RegExp(`^[\\p{L}\\p{N}_][^\\p{C}/]*\\.(?:${documents.replaceAll(' ', '|')})$`, 'u');

/**
 * True if other programs may see a file of that name even if the command line does not name it: a document under a name
 * that no program looks for on its own.
 */
export function isDocument(name: string): boolean {
  const folded = name.toLowerCase();
  return document.test(folded) && !isLookedUp.test(folded);
}

/**
 * The names in a folder (absolute) that a command line contains literally, with the folder's path before them. Parts of
 * names, patterns and names with variables do not count.
 */
export function namesWritten(command: string, folder: string): readonly string[] {
  const start = folder.replace(/[\\^$.|+?*()[\]{}]/g, '\\$&');
  const name = new RegExp(
    `(?<![\\p{L}\\p{N}_.~/})*?$\\]-])${start}/+([^\\s/'"\`;|&<>()$*?[\\]{}\\\\:,=]+)(?=[\\s/'"\`;|&<>):,]|$)`,
    'gu',
  );
  return [...command.matchAll(name)].map(([, found = '']) => found);
}

const expressionOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '\\w');

const matcherOf = (groups: readonly Group[]): RegExp =>
  new RegExp(`^(?:${groups.flatMap(({ names }) => names.split(' ').map(expressionOf)).join('|')})$`, 's');
const aCache = matcherOf(caches);
const aSetting = matcherOf(settings);
const isLookedUp = matcherOf(lookedUp);

/** Lower user ids are too short to identify a user in a name such as `part-0`. */
const FIRST_TELLING_USER = 100;

/** The user of the folder. */
interface TemporaryUser {
  readonly number?: number | undefined;
  readonly name?: string | undefined;
}

/**
 * Creates a function that returns true if a program considers an entry of that name its own. Besides the known names,
 * these are names that begin with a dot or contain the user's id or name, which programs add so that users do not share
 * an entry. Reports and logs never count, whatever they begin with.
 */
export function programNames({ number, name }: TemporaryUser): (entry: string) => boolean {
  const marks = [
    ...(number === undefined || number < FIRST_TELLING_USER ? [] : [String(number)]),
    ...(name === undefined || name === '' ? [] : [expressionOf(name)]),
  ];
  const own =
    marks.length === 0 ? undefined : new RegExp(`(?:^|[^a-z\\d])(?:${marks.join('|')})(?![a-z\\d])`);
  return (entry) => {
    const folded = entry.toLowerCase();
    if (folded.startsWith('.') || aSetting.test(folded)) return true;
    return !report.test(folded) && (aCache.test(folded) || own?.test(folded) === true);
  };
}

/** The cache names without wildcards, for systems that can protect only exact paths. */
export function wholeNames(user: number | undefined): readonly string[] {
  const whole = caches.flatMap(({ names }) => names.split(' ')).filter((name) => !/[*?]/.test(name));
  const perUser = ['tsx', 'v8-compile-cache', 'tmux'].map((name) => `${name}-${user ?? 0}`);
  return [...whole, ...perUser, 'node-compile-cache', 'v8-compile-cache', 'jest_rs', '.X11-unix'];
}

/**
 * The names in some folders under which variables such as `PATH` and `PYTHONPATH` make programs look for code, even if
 * nothing exists there yet. Compares folders and variables as written and, through `real`, with links resolved.
 */
export function namesOnPaths(
  env: Readonly<Record<string, string | undefined>>,
  folders: readonly string[],
  real: (path: string) => string,
): ReadonlySet<string> {
  const places = Object.entries(env)
    .filter(([name]) => /PATH$/i.test(name))
    .flatMap(([, value = '']) => value.split(delimiter))
    .filter(isAbsolute)
    .flatMap((path) => [resolve(path), real(path)]);
  const around = [...new Set(folders.flatMap((folder) => [resolve(folder), real(folder)]))];
  return new Set(
    places.flatMap((path) =>
      around
        .filter((folder) => path.startsWith(`${folder}/`))
        .map((folder) => path.slice(folder.length + 1).split('/')[0] ?? ''),
    ),
  );
}
