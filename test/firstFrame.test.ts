/** The modules loaded before a key can be typed, and before the screen is drawn. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../src');

/** Every file and package that `entry` loads: through imports that are neither types nor `import()`. */
function loadedWith(entry: string): {
  readonly files: readonly string[];
  readonly packages: readonly string[];
} {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, clause, target = ''] of text.matchAll(
      /^(?:import|export)\s+([^'";]*?\s*from\s+)?'([^']+)';/gm,
    )) {
      if (isTypes(clause ?? '')) continue;
      const path = resolve(dirname(file), target);
      if (target.startsWith('.')) visit(existsSync(path) ? path : `${path}.ts`);
      else packages.add(target);
    }
  };
  visit(join(src, entry));
  return { files: [...files].map((file) => relative(src, file)), packages: [...packages] };
}

/** `import type …`, or braces in which everything is a type. */
function isTypes(clause: string): boolean {
  if (/^type\b/.test(clause)) return true;
  const [, names] = /^\{([^}]*)\}\s*from/.exec(clause) ?? [];
  return names?.split(',').every((name) => /^\s*(?:type\b.*)?$/s.test(name)) === true;
}

test('--version and the choice of what to run load no package', () => {
  const { packages } = loadedWith('cli/main.ts');
  expect(packages.filter((name) => !name.startsWith('node:'))).toEqual([]);
});

test('the first frame needs colors, and no React, Ink or layout', () => {
  const { packages } = loadedWith('cli/terminal/firstFrame.ts');
  expect(packages.filter((name) => !name.startsWith('node:'))).toEqual(['chalk']);
});

test('the first frame appears without the context engine, the model, the tools and their schemas', () => {
  const { files, packages } = loadedWith('cli/interactive.ts');
  const folders = new Set(files.map((file) => file.split('/')[0]));
  for (const folder of ['context', 'model', 'tools', 'permissions', 'checkpoints', 'export'])
    expect([...folders]).not.toContain(folder);
  for (const late of ['openai', 'marked', 'lowlight', 'commander', 'js-tiktoken', 'fzf', 'zod'])
    expect(packages).not.toContain(late);
  // Kinds of entries with their schemas, the code that prints them, and dialogs are loaded with the session.
  const lateFiles = [/^protocol\/entries\/kinds\//, /^ui\/print\/entry\.ts$/, /Dialog\.tsx$/];
  const early = /^ui\/dialog\/PermissionDialog\.tsx$/;
  expect(files.filter((file) => lateFiles.some((late) => late.test(file)) && !early.test(file))).toEqual([]);
});

test('a session without MCP servers loads none of their code, and one with servers loads the SDK only when needed', () => {
  const session = loadedWith('cli/sessionFactory.ts');
  expect(session.files.filter((file) => file.startsWith('mcp/'))).toEqual([]);
  const servers = loadedWith('mcp/McpServers.ts');
  expect(servers.files).toContain('mcp/McpServer.ts');
  for (const { packages } of [session, servers])
    expect(packages.filter((name) => name.startsWith('@modelcontextprotocol'))).toEqual([]);
  expect(loadedWith('mcp/connect.ts').packages).toContain('@modelcontextprotocol/client');
});

test('a session without hooks loads none of the code that runs them', () => {
  const { files } = loadedWith('cli/sessionFactory.ts');
  expect(files.filter((file) => file.startsWith('hooks/'))).toEqual([]);
});

test('a session loads no telemetry, and one that exports loads the SDK with its first request', () => {
  const session = loadedWith('cli/sessionFactory.ts');
  expect(session.files.filter((file) => file.startsWith('telemetry/'))).toEqual([]);
  const exporting = loadedWith('cli/telemetry.ts');
  expect(exporting.files).toContain('telemetry/EventMapper.ts');
  expect(exporting.packages.filter((name) => name.startsWith('@opentelemetry'))).toEqual([]);
  expect(loadedWith('telemetry/otlp.ts').packages).toContain('@opentelemetry/sdk-trace');
});

test('a session opens without the tables about commands, which are decided in a thread, and without the slash commands', () => {
  const { files } = loadedWith('cli/headless/headless.ts');
  // The names of programs that run others are not a table.
  const late =
    /^(?:permissions\/(?:command|options\/(?!runnerNames\.)|shell)\/|commands\/allCommands|cli\/host\.ts)/;
  expect(files.filter((file) => late.test(file))).toEqual([]);
});
