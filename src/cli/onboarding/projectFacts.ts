/**
 * Collects facts about the project from its file names and manifests, for `/init`. Reads a few small files, follows no
 * links, runs nothing.
 */
import { lstat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import * as z from 'zod';
import type { ProjectFacts } from '../../commands/types.ts';
import { readSmallFile } from '../../disk/realFile.ts';
import { parseJson } from '../../protocol/json.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import type { LookUpPlace } from '../process/lookUp.ts';
import { listFiles } from '../process/projectFiles.ts';

const MAX_FILES = 50_000;
const MAX_BYTES = 256 * 1024;
/** Maximum number of names of each kind, and maximum characters of each. */
const MAX_NAMES = 24;
const MAX_CHARACTERS = 120;

export async function readProjectFacts(place: LookUpPlace): Promise<ProjectFacts> {
  const { root } = place;
  const files = (await listFiles(place, root)).map((file) => file.replaceAll('\\', '/'));
  const manifests = files
    .filter((file) => manifestNames.has(baseOf(file)) && depthOf(file) <= 2)
    .toSorted(byDepth);
  const texts = await Promise.all(
    manifests.slice(0, MAX_NAMES).map(async (file) => ({ file, text: await readSmall(join(root, file)) })),
  );
  const agents = await lstat(join(root, 'AGENTS.md')).catch(() => undefined);
  return {
    files: files.length,
    isComplete: files.length < MAX_FILES,
    languages: languagesOf(files),
    folders: named([
      ...new Set(files.filter((file) => file.includes('/')).map((file) => `${file.split('/')[0]}/`)),
    ]),
    manifests: named(manifests),
    commands: texts
      .flatMap(({ file, text }) => (depthOf(file) === 0 ? commandsIn(baseOf(file), text, files) : []))
      .slice(0, MAX_NAMES)
      .map(({ command, runs }) => ({
        command: short(command),
        ...(runs === undefined ? {} : { runs: short(runs) }),
      })),
    guides: named(files.filter((file) => guides.test(file))),
    workflows: named(files.filter((file) => workflows.test(file))),
    agentsBytes: agents?.isFile() === true ? agents.size : undefined,
  };
}

const manifestNames: ReadonlySet<string> = new Set([
  'package.json',
  'pnpm-workspace.yaml',
  'deno.json',
  'tsconfig.json',
  'pyproject.toml',
  'setup.py',
  'requirements.txt',
  'tox.ini',
  'Cargo.toml',
  'go.mod',
  'Makefile',
  'justfile',
  'Taskfile.yml',
  'Gemfile',
  'Rakefile',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'composer.json',
  'mix.exs',
  'CMakeLists.txt',
  'Package.swift',
  'pubspec.yaml',
  'build.zig',
  'Dockerfile',
  'docker-compose.yml',
  'compose.yaml',
]);

const guides =
  /^(?:CLAUDE\.md|GEMINI\.md|QWEN\.md|\.cursorrules|\.windsurfrules|\.clinerules|CONTRIBUTING(?:\.\w+)?|README(?:\.\w+)?|ARCHITECTURE\.md|\.cursor\/rules\/[^/]+|\.github\/copilot-instructions\.md)$/i;
const workflows =
  /^(?:\.github\/workflows\/[^/]+\.ya?ml|\.gitlab-ci\.yml|\.circleci\/config\.yml|azure-pipelines\.yml|Jenkinsfile|\.woodpecker\.yml)$/;

const languages: Readonly<Record<string, string>> = {
  '.ts': 'TypeScript',
  '.tsx': 'TypeScript',
  '.mts': 'TypeScript',
  '.js': 'JavaScript',
  '.jsx': 'JavaScript',
  '.mjs': 'JavaScript',
  '.cjs': 'JavaScript',
  '.py': 'Python',
  '.rs': 'Rust',
  '.go': 'Go',
  '.java': 'Java',
  '.kt': 'Kotlin',
  '.swift': 'Swift',
  '.c': 'C',
  '.h': 'C or C++',
  '.cc': 'C++',
  '.cpp': 'C++',
  '.hpp': 'C++',
  '.cs': 'C#',
  '.rb': 'Ruby',
  '.php': 'PHP',
  '.ex': 'Elixir',
  '.exs': 'Elixir',
  '.dart': 'Dart',
  '.zig': 'Zig',
  '.scala': 'Scala',
  '.lua': 'Lua',
  '.sh': 'Shell',
  '.sql': 'SQL',
  '.vue': 'Vue',
  '.svelte': 'Svelte',
  '.html': 'HTML',
  '.css': 'CSS',
  '.scss': 'CSS',
  '.md': 'Markdown',
};

function languagesOf(files: readonly string[]): ProjectFacts['languages'] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const name = languages[extname(file).toLowerCase()];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .map(([name, many]) => ({ name, files: many }))
    .toSorted((a, b) => b.files - a.files)
    .slice(0, 8);
}

/** Returns an empty string unless the path is a small regular file. */
async function readSmall(path: string): Promise<string> {
  const info = await lstat(path).catch(() => undefined);
  return (info?.isFile() === true && (await readSmallFile(path, MAX_BYTES))) || '';
}

function named(names: readonly string[]): readonly string[] {
  return names.slice(0, MAX_NAMES).map(short);
}

function short(text: string): string {
  const line = sanitizeLine(text);
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS)}…`;
}

function baseOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}

function depthOf(file: string): number {
  return file.split('/').length - 1;
}

function byDepth(a: string, b: string): number {
  return depthOf(a) - depthOf(b) || a.localeCompare(b);
}

// Extracts commands from manifests. Pure; an unreadable manifest has none.

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
  const { scripts = {} } = packageSchema.safeParse(parseJson(text)).data ?? {};
  return Object.entries(scripts).map(([script, runs]) => ({
    command: script === 'test' && runner === 'npm' ? 'npm test' : `${runner} run ${script}`,
    runs,
  }));
}

function tasksOf(text: string): readonly NamedCommand[] {
  const { tasks = {} } = denoSchema.safeParse(parseJson(text)).data ?? {};
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
  return matches(text, /^([a-zA-Z][\w-]*)(?:[ \t][^:\r\n\u2028\u2029]*)?:(?!=)/gm);
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
