import type { ReadOnlyUse } from './use.ts';

/**
 * Programs and options that only print a version. Excludes programs that run code of the project for it (`pytest`,
 * `mvn`, `yarn`) or contact a server.
 */
const versions: Readonly<Record<string, readonly string[]>> = {
  'apt-get': ['--version'],
  awk: ['--version', '-V'],
  bash: ['--version'],
  bun: ['--version'],
  clang: ['--version'],
  cmake: ['--version'],
  curl: ['--version', '-V'],
  deno: ['--version'],
  docker: ['--version', '-v'],
  fd: ['--version', '-V'],
  ffmpeg: ['-version'],
  'g++': ['--version'],
  gawk: ['--version', '-V'],
  gcc: ['--version'],
  gh: ['--version'],
  git: ['--version'],
  go: ['version'],
  grep: ['--version', '-V'],
  java: ['-version', '--version'],
  javac: ['-version', '--version'],
  jq: ['--version'],
  kubectl: ['version --client'],
  ld: ['--version'],
  ls: ['--version'],
  lua: ['-v'],
  make: ['--version'],
  mysql: ['--version'],
  ninja: ['--version'],
  node: ['--version', '-v'],
  npm: ['--version', '-v'],
  openssl: ['version'],
  perl: ['--version', '-v'],
  php: ['--version', '-v'],
  pip: ['--version', '-V'],
  pip3: ['--version', '-V'],
  'pkg-config': ['--version'],
  protoc: ['--version'],
  psql: ['--version', '-V'],
  python: ['--version', '-V'],
  python3: ['--version', '-V'],
  rg: ['--version', '-V'],
  ruby: ['--version', '-v'],
  sed: ['--version'],
  sqlite3: ['--version', '-version'],
  ssh: ['-V'],
  tar: ['--version'],
  tmux: ['-V'],
  tsc: ['--version', '-v'],
  uv: ['--version'],
  vim: ['--version'],
  zsh: ['--version'],
};

/** Rust tools: a file in the project may name a folder from which they are run. */
const rust: Readonly<Record<string, readonly string[]>> = {
  cargo: ['--version', '-V', 'version'],
  clippy: ['--version'],
  rustc: ['--version', '-V'],
  rustfmt: ['--version', '-V'],
};

export function versionUse(name: string, args: readonly string[]): ReadOnlyUse | undefined {
  const asked = args.join(' ');
  if (Object.hasOwn(versions, name) && versions[name]?.includes(asked)) return { contents: [], names: [] };
  if (Object.hasOwn(rust, name) && rust[name]?.includes(asked))
    return { contents: [], names: [], versionFiles: ['rust-toolchain', 'rust-toolchain.toml'] };
  return undefined;
}
