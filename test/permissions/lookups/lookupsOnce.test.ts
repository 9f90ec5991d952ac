import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { InProcessEngine } from '../../../src/permissions/InProcessEngine.ts';
import { diskLookups } from '../../../src/permissions/lookups/diskLookups.ts';
import { lookupsOnce } from '../../../src/permissions/lookups/lookupsOnce.ts';
import { unchecked } from '../../../src/permissions/PermissionEngine.ts';
import type { DiskLookups, PolicyFacts } from '../../../src/permissions/policy.ts';
import type { PermissionDecision, PermissionMode } from '../../../src/protocol/permissions.ts';
import { home, root, rule, wasmFolder } from '../harness.ts';

const disk = diskLookups(process.env);

/** The real lookups, and how often each was called. */
function counted(): { readonly lookups: DiskLookups; readonly asked: Map<string, number> } {
  const asked = new Map<string, number>();
  const entries = Object.entries(disk).map(([name, ask]) => [
    name,
    (...args: unknown[]) => {
      const key = `${name} ${JSON.stringify(args)}`;
      asked.set(key, (asked.get(key) ?? 0) + 1);
      return (ask as (...given: unknown[]) => unknown)(...args);
    },
  ]);
  return { lookups: Object.fromEntries(entries) as DiskLookups, asked };
}

const facts = (mode: PermissionMode, rules: readonly string[] = []): PolicyFacts => ({
  mode,
  rules: rules.map(rule),
  root,
  additionalDirectories: [],
  home,
  platform: process.platform,
  localSettingsFile: `${root}/.clawdcode.local.json`,
});
const call = (command: string) =>
  ({ tool: 'Bash', access: { type: 'command', command, cwd: root } }) as const;

test('queries the disk and git only once for all parts of a command', {
  tags: 'long',
}, async () => {
  const { lookups, asked } = counted();
  // The clock stands still: on a busy machine, the time limit would cut the lookups short.
  const engine = new InProcessEngine(wasmFolder(), process.env, lookups, () => 0);
  const command = Array(20)
    .fill('git status; rg foo; cat src/*.ts; cp a.txt b.txt; git show HEAD')
    .join('; ');
  const { behavior } = await engine.decide(call(command), facts('default'));
  expect(behavior).toBe('ask');
  expect(asked.size).toBeGreaterThan(5);
  expect([...asked].filter(([, times]) => times > 1)).toEqual([]);
});

test('as a callback of arrays, which pass themselves too, a lookup asks once for each path', () => {
  const asked: string[] = [];
  const isDirectory = (path: string): boolean => asked.push(path) > 0;
  const { lookups } = lookupsOnce({ ...disk, isDirectory }, () => 0);
  for (const paths of [
    ['/a', '/b'],
    ['/b', '/a', '/c'],
  ])
    paths.filter(lookups.isDirectory);
  expect(asked).toEqual(['/a', '/b', '/c']);
});

test('the next decision sees changes on disk', async () => {
  let holdsLink = false;
  const lookups = {
    ...disk,
    realpath: (path: string) => (holdsLink && path.endsWith('a.txt') ? '/etc/x' : path),
  };
  const engine = new InProcessEngine(wasmFolder(), process.env, lookups);
  const behavior = async () => (await engine.decide(call('cat a.txt'), facts('default'))).behavior;
  expect(await behavior()).toBe('allow');
  holdsLink = true;
  expect(await behavior()).toBe('ask');
});

test('after the time limit, slow lookups return the cautious answer, even if they were cached', () => {
  let time = 0;
  const { lookups, isCut } = lookupsOnce(disk, () => time);
  expect(lookups.listTree(`${root}/src`)).toBeDefined();
  expect(isCut()).toBe(false);
  time = 60_000;
  expect(lookups.listTree(`${root}/src`)).toBeUndefined();
  expect(lookups.gitRunsPrograms(root)).toBe(true);
  expect(lookups.holdsCredentials?.(`${root}/src/app.ts`)).toBe(true);
  for (const answer of [
    lookups.listTree(root),
    lookups.filesBelow(root, { hidden: true }),
    lookups.expandGlob(`${root}/*`),
    lookups.trackedFiles(root),
    lookups.gitShows(root, { objects: [] }, [root]),
  ])
    expect(answer).toBeUndefined();
  expect(isCut()).toBe(true);
  expect(lookups.realpath(root)).toBe(root);
});

test.each<[string, PermissionMode, readonly string[], string]>([
  ['needs approval', 'default', [], 'ask'],
  ['needs approval even if a rule allows it', 'default', ['allow Bash(cat *)', 'allow Bash(rg:*)'], 'ask'],
  ['is still denied by a rule', 'default', ['deny Bash(rg:*)'], 'deny'],
  ['is denied in a mode that does not ask', 'dontAsk', [], 'deny'],
  ['runs in bypassPermissions', 'bypassPermissions', [], 'allow'],
])('a command that cannot be checked in time %s', async (_, mode, rules, expected) => {
  let time = 0;
  // Each lookup takes a second on the engine's clock.
  const slow = Object.fromEntries(
    Object.entries(disk).map(([name, ask]) => [
      name,
      (...args: unknown[]) => {
        time += 1000;
        return (ask as (...given: unknown[]) => unknown)(...args);
      },
    ]),
  ) as unknown as DiskLookups;
  const engine = new InProcessEngine(wasmFolder(), process.env, slow, () => time);
  const parts = Array.from({ length: 30 }, (_, index) => `cat d${index}/*.ts`);
  const decision = await engine.decide(call(`${parts.join('; ')}; rg foo src`), facts(mode, rules));
  expect(decision.behavior).toBe(expected);
  if (expected === 'ask') {
    expect(decision.reason).toBe('Checking what this command would access takes too long.');
    expect(decision.suggestion).toBeUndefined();
    expect(decision.causes).toMatchObject([{ type: 'limit', isSecret: true }]);
  }
});

test('reads the index only once for secrets in many folders', async () => {
  for (const name of ['one', 'two', 'three']) {
    mkdirSync(join(root, 'docs', name), { recursive: true });
    writeFileSync(join(root, 'docs', name, '.env'), 'x\n');
  }
  const { lookups, asked } = counted();
  const engine = new InProcessEngine(wasmFolder(), process.env, lookups, () => 0);
  const { hiding } = await engine.decide(
    call('grep -r foo docs; git ls-files | xargs cat'),
    facts('default'),
  );
  expect(hiding).toHaveLength(3);
  for (const name of ['trackedFiles', 'trackedPaths'])
    expect([...asked.keys()].filter((key) => key.startsWith(name))).toEqual([`${name} ["${root}"]`]);
});

test.each<[PermissionMode, PermissionDecision]>([
  ['default', { behavior: 'ask', reason: 'r' }],
  ['default', { behavior: 'ask', reason: 'r', rule: { text: 'Bash(x)', source: 's' } }],
  ['dontAsk', { behavior: 'deny', reason: 'r' }],
])(
  'a search that was not checked in time is not offered with files hidden: mode %s, %j',
  (mode, decision) => {
    expect(unchecked({ ...decision, hiding: ['/p/.env'] }, { mode })).not.toHaveProperty('hiding');
  },
);

test('an explanation cut short by the time limit does not mention hidden files', async () => {
  const explained = async (last: number) => {
    let times = 0;
    const now = () => (++times === last ? 60_000 : 0);
    const engine = new InProcessEngine(wasmFolder(), process.env, disk, now);
    const input = call('grep -r foo .; grep -r --include=*.js foo src');
    const explanation = await engine.explain(input, facts('default'));
    return { explanation, asked: times };
  };
  const { asked, explanation } = await explained(0);
  expect(explanation.hiding).toBeDefined();
  expect((await explained(asked)).explanation).not.toHaveProperty('hiding');
});
