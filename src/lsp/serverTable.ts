/**
 * The language servers that may be used: one row each. Their options keep a server from running anything that a
 * repository configures: plugins, build scripts, downloads. rust-analyzer is missing: a repository chooses the compiler
 * that it runs.
 */

/** One program that can serve a row; the first that is installed is used. */
export interface Candidate {
  readonly name: string;
  readonly args: readonly string[];
  /** A file of a package that must be installed next to the program. */
  readonly needs?: string;
  /** How it reports: on request, on its own, or through the commands of TypeScript's own server. */
  readonly reports: 'on-request' | 'by-itself' | 'as-tsserver';
}

export interface ServerRow {
  readonly language: string;
  /** File extensions, and the language id of each in the protocol. */
  readonly languageIds: Readonly<Record<string, string>>;
  readonly candidates: readonly Candidate[];
  /** The server works in the nearest folder with one of these names. */
  readonly rootMarkers: readonly string[];
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Codes that depend on what is installed rather than on the edit. */
  readonly ignoredCodes?: readonly string[];
  /** Initialization options. `needed`: the path of the file that the candidate needs. */
  readonly options?: (needed: string | undefined) => object;
  /** An interpreter that the server runs; one of these, found like the server. */
  readonly interpreters?: readonly string[];
  /** Answers to the server's questions about its settings, by section. */
  readonly settings?: (interpreter: string) => Readonly<Record<string, unknown>>;
}

export const serverTable: readonly ServerRow[] = [
  {
    language: 'TypeScript',
    languageIds: {
      ts: 'typescript',
      mts: 'typescript',
      cts: 'typescript',
      tsx: 'typescriptreact',
      js: 'javascript',
      mjs: 'javascript',
      cjs: 'javascript',
      jsx: 'javascriptreact',
    },
    candidates: [
      {
        name: 'typescript-language-server',
        args: ['--stdio'],
        needs: 'typescript/lib/tsserver.js',
        reports: 'as-tsserver',
      },
      // TypeScript 7 has its own server.
      {
        name: 'tsc',
        args: ['--lsp', '--stdio'],
        needs: 'typescript/lib/getExePath.js',
        reports: 'on-request',
      },
      { name: 'tsgo', args: ['--lsp', '--stdio'], reports: 'on-request' },
    ],
    rootMarkers: ['tsconfig.json', 'jsconfig.json', 'package.json'],
    // Without a path, the server would run the TypeScript that it finds in the repository.
    options: (needed) => ({
      disableAutomaticTypingAcquisition: true,
      maxTsServerMemory: 3072,
      plugins: [],
      tsserver: { path: needed, useSyntaxServer: 'never' },
    }),
  },
  {
    language: 'Python',
    languageIds: { py: 'python', pyi: 'python' },
    candidates: [
      { name: 'basedpyright-langserver', args: ['--stdio'], reports: 'on-request' },
      { name: 'pyright-langserver', args: ['--stdio'], reports: 'on-request' },
      { name: 'pylsp', args: [], reports: 'by-itself' },
    ],
    rootMarkers: ['pyrightconfig.json', 'pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt'],
    // The interpreter of a virtual environment in the repository is not run, so its packages may be unknown.
    ignoredCodes: ['reportMissingImports', 'reportMissingModuleSource'],
    interpreters: ['python3', 'python'],
    settings: pythonSettings,
  },
  {
    language: 'Go',
    languageIds: { go: 'go' },
    candidates: [{ name: 'gopls', args: [], reports: 'by-itself' }],
    rootMarkers: ['go.work', 'go.mod'],
    env: { CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local' },
  },
  {
    language: 'C and C++',
    languageIds: { c: 'c', h: 'c', cc: 'cpp', cpp: 'cpp', cxx: 'cpp', hh: 'cpp', hpp: 'cpp' },
    candidates: [
      { name: 'clangd', args: ['--enable-config=false', '--background-index=false'], reports: 'by-itself' },
    ],
    rootMarkers: ['compile_commands.json', 'compile_flags.txt'],
  },
];

/** Returns the row for a file by its extension. */
export function rowFor(path: string): ServerRow | undefined {
  return serverTable.find((row) => Object.hasOwn(row.languageIds, extensionOf(path)));
}

export function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** Without a path, pyright would run the interpreter of a virtual environment in the repository. */
function pythonSettings(pythonPath: string): Readonly<Record<string, unknown>> {
  const analysis = {
    autoSearchPaths: true,
    diagnosticMode: 'openFilesOnly',
    typeCheckingMode: 'standard',
    useLibraryCodeForTypes: true,
  };
  return {
    python: { pythonPath, analysis },
    'python.analysis': analysis,
    basedpyright: { analysis },
    'basedpyright.analysis': analysis,
    // Plugins whose configuration in a repository can run code, and remarks about style.
    pylsp: {
      configurationSources: [],
      plugins: Object.fromEntries(
        'flake8 mccabe pycodestyle pydocstyle pylint pylsp_mypy rope_autoimport rope_completion ruff'
          .split(' ')
          .map((name) => [name, { enabled: false }]),
      ),
    },
  };
}
