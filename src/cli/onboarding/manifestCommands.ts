/** Extracts commands from manifests. Pure; an unreadable manifest has none. */
import * as z from 'zod';

interface NamedCommand {
  readonly command: string;
  /** What the command runs. */
  readonly runs?: string;
}

/** `files`: all files of the project; its lock file determines the package manager. */
export function commandsIn(name: string, text: string, files: readonly string[]): readonly NamedCommand[] {
  switch (name) {
    case 'package.json':
      return scriptsOf(text, packageManager(files));
    case 'deno.json':
      return tasksOf(text);
    case 'Makefile':
      return targetsOf(text).map((target) => ({ command: `make ${target}` }));
    case 'justfile':
      return recipesOf(text).map((recipe) => ({ command: `just ${recipe}` }));
    case 'Cargo.toml':
      return ['cargo build', 'cargo test', 'cargo clippy'].map((command) => ({ command }));
    case 'go.mod':
      return ['go build ./...', 'go test ./...', 'go vet ./...'].map((command) => ({ command }));
    case 'pyproject.toml':
      return pythonCommands(text);
    case 'tox.ini':
      return [{ command: 'tox' }];
    case 'mix.exs':
      return [{ command: 'mix test' }];
    case 'pom.xml':
      return [{ command: 'mvn test' }];
    case 'build.gradle':
    case 'build.gradle.kts':
      return [{ command: files.includes('gradlew') ? './gradlew test' : 'gradle test' }];
    case 'Package.swift':
      return [{ command: 'swift test' }];
    default:
      return [];
  }
}

const packageSchema = z.object({ scripts: z.record(z.string(), z.string()).optional() });
const denoSchema = z.object({ tasks: z.record(z.string(), z.unknown()).optional() });

function scriptsOf(text: string, runner: string): readonly NamedCommand[] {
  const { scripts = {} } = packageSchema.safeParse(parse(text)).data ?? {};
  return Object.entries(scripts).map(([script, runs]) => ({
    command: script === 'test' && runner === 'npm' ? 'npm test' : `${runner} run ${script}`,
    runs,
  }));
}

function tasksOf(text: string): readonly NamedCommand[] {
  const { tasks = {} } = denoSchema.safeParse(parse(text)).data ?? {};
  return Object.keys(tasks).map((task) => ({ command: `deno task ${task}` }));
}

function packageManager(files: readonly string[]): string {
  if (files.includes('pnpm-lock.yaml')) return 'pnpm';
  if (files.includes('yarn.lock')) return 'yarn';
  if (files.includes('bun.lock') || files.includes('bun.lockb')) return 'bun';
  return 'npm';
}

/** Returns Makefile targets that are neither file names with a dot nor hidden. */
function targetsOf(text: string): readonly string[] {
  return matches(text, /^([a-zA-Z][\w-]*)\s*:(?!=)/gm);
}

function recipesOf(text: string): readonly string[] {
  return matches(text, /^([a-zA-Z][\w-]*)(?:[ \t][^:\n]*)?:(?!=)/gm);
}

function pythonCommands(text: string): readonly NamedCommand[] {
  const begin = /^\[tool\.uv\b/m.test(text)
    ? 'uv run '
    : /^\[tool\.poetry\b/m.test(text)
      ? 'poetry run '
      : '';
  const tools = [
    [/pytest/, 'pytest'],
    [/\bruff\b/, 'ruff check'],
    [/\bmypy\b/, 'mypy'],
    [/\bpyright\b/, 'pyright'],
    [/\btox\b/, 'tox'],
    [/\bnox\b/, 'nox'],
  ] as const;
  return tools.filter(([sign]) => sign.test(text)).map(([, command]) => ({ command: `${begin}${command}` }));
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
