/** A workspace in a temporary directory, the real grammar, and `decide` with short arguments. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import { diskLookups } from '../../src/permissions/lookups/diskLookups.ts';
import { lookupsOnce } from '../../src/permissions/lookups/lookupsOnce.ts';
import type { Policy } from '../../src/permissions/policy.ts';
import type { SourcedRule } from '../../src/permissions/rules/rules.ts';
import { loadShellParser } from '../../src/permissions/shell/loadParser.ts';
import type { ParsedCommand } from '../../src/permissions/shell/parsedCommand.ts';
import type { PermissionDecision, PermissionMode } from '../../src/protocol/permissions.ts';
import { grammarFolder } from './grammarFolder.ts';

export const top = realpathSync(mkdtempSync(join(tmpdir(), 'clawdcode-test-')));
export const root = join(top, 'home', 'project');
export const home = join(top, 'home');
export const outside = join(top, 'elsewhere');

const directories = [
  'src/deep',
  'docs',
  'wasm',
  '.git/objects',
  '.git/refs',
  'sub',
  'secret',
  'bare/objects',
  'bare/refs',
];
const files = [
  'a.txt',
  'b.txt',
  '.env',
  '.env.local',
  'src/app.ts',
  'server.key',
  'secret/id_rsa',
  'bare/HEAD',
];

/** Creates the workspace before each test file and removes it when the file ends. */
export function newWorkspace(): void {
  const remove = (): void => rmSync(top, { recursive: true, force: true });
  remove();
  afterAll(remove);
  for (const directory of directories) mkdirSync(join(root, directory), { recursive: true });
  mkdirSync(join(outside, 'inner'), { recursive: true });
  for (const file of files) writeFileSync(join(root, file), 'x\n');
  writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(root, '.git/config'), '[remote "origin"]\n\turl = https://example.com/x.git\n');
  writeFileSync(join(outside, 'secret.txt'), 'x\n');
  symlinkSync(outside, join(root, 'link'));
  symlinkSync(join(outside, 'inner'), join(root, 'innerlink'));
  symlinkSync(join(root, '.env'), join(root, 'innocent.txt'));
  // Dangling links: writing through them creates the file at their target.
  symlinkSync('../.zshenv', join(root, 'dangling.md'));
  symlinkSync('dangling.md', join(root, 'chain.md'));
  symlinkSync(join(outside, 'missing'), join(root, 'nowhere'));
  symlinkSync('.git/hooks/pre-commit', join(root, 'hook.md'));
  symlinkSync('round.md', join(root, 'round.md'));
  symlinkSync('.', join(root, 'itself'));
}

let parser: Promise<(command: string) => ParsedCommand> | undefined;

/** A folder with the grammar files. */
export const wasmFolder = (): string => grammarFolder(top);

/** The real parser. */
export function shellParser(): Promise<(command: string) => ParsedCommand> {
  parser ??= loadShellParser(wasmFolder());
  return parser;
}

/** "allow Bash(npm test)" → a rule in effect. */
export function rule(text: string): SourcedRule {
  const [behavior = '', ...rest] = text.split(' ');
  return {
    behavior: behavior as SourcedRule['behavior'],
    text: rest.join(' '),
    source: 'test',
    base: root,
  };
}

/** The policy of one decision; each lookup is done once, as in the product, but without a time limit. */
export async function policyFor(
  rules: readonly string[] = [],
  mode: PermissionMode = 'default',
  more: Partial<Policy> = {},
): Promise<Policy> {
  return {
    mode,
    rules: rules.map(rule),
    root,
    additionalDirectories: [],
    home,
    platform: 'linux',
    ...lookupsOnce(diskLookups(process.env), () => 0).lookups,
    parseCommand: await shellParser(),
    localSettingsFile: join(root, '.clawdcode.local.json'),
    ...more,
  };
}

export async function bash(
  command: string,
  rules: readonly string[] = [],
  mode: PermissionMode = 'default',
  cwd = root,
): Promise<PermissionDecision> {
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd } }, await policyFor(rules, mode));
}
