import { mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  forgetConfined,
  readTrust,
  recordIdentity,
  rememberConfined,
  rememberRules,
  rememberServer,
  trustFolder,
} from '../../src/config/trust.ts';

let data: string;
let repo: string;
beforeEach(async () => {
  data = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-trusted-')));
  repo = join(data, 'repo');
  await mkdir(repo);
});
afterEach(() => rm(data, { recursive: true, force: true }));

const now = (): Date => new Date('2026-11-21T09:00:00Z');
const grants = [{ kind: 'env', text: 'A=b', source: '.clawdcode.json' }];
const server = { name: 's', hash: 'h', approved: true };

async function state() {
  const { isTrusted, granted, savedRules, serversAnswered, serverAnswer, other } = await readTrust(
    data,
    repo,
  );
  return { isTrusted, granted, savedRules, serversAnswered, server: serverAnswer('s', 'h'), other };
}
const trusted = {
  ...{ isTrusted: true, granted: grants, savedRules: ['Bash(make)'], serversAnswered: ['s'], server: true },
  other: undefined,
};
const nothing = {
  ...{ isTrusted: false, granted: undefined, savedRules: [], serversAnswered: [], server: undefined },
  other: { wasTrusted: true },
};

async function approveAll(): Promise<void> {
  await trustFolder(data, repo, grants, now);
  await rememberRules(data, repo, ['Bash(make)']);
  await rememberServer(data, repo, server);
}

test('another folder at the same path inherits nothing, and each keeps its own', async () => {
  await approveAll();
  expect(await state()).toEqual(trusted);
  await rename(repo, `${repo}-a`);
  await mkdir(repo);
  expect(await state()).toEqual(nothing);
  await rememberRules(data, repo, ['Bash(ls)']);
  expect(await state()).toEqual({ ...nothing, savedRules: ['Bash(ls)'], other: undefined });

  await rename(repo, `${repo}-b`);
  await rename(`${repo}-a`, repo);
  expect(await state()).toEqual(trusted);
  await rememberServer(data, repo, { ...server, approved: false });
  await rename(repo, `${repo}-a`);
  await rename(`${repo}-b`, repo);
  expect(await state()).toMatchObject({ isTrusted: false, savedRules: ['Bash(ls)'], serversAnswered: [] });
  await rename(repo, `${repo}-b`);
  await rename(`${repo}-a`, repo);
  expect(await state()).toEqual({ ...trusted, server: false });
});

test('records of an earlier version apply, and become those of one folder if nothing has changed', async () => {
  const file = join(data, 'trust.json');
  await approveAll();
  const { identities: _, ...earlier } = JSON.parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify(earlier));
  expect(await state()).toEqual(trusted);
  expect((await readTrust(data, repo)).isUnidentified).toBe(true);
  await rememberRules(data, repo, ['Bash(make)']);
  expect((await readTrust(data, repo)).isUnidentified).toBe(true);

  await recordIdentity(data, repo);
  expect((await readTrust(data, repo)).isUnidentified).toBeUndefined();
  expect(await state()).toEqual(trusted);
  await rename(repo, `${repo}-a`);
  await mkdir(repo);
  expect(await state()).toEqual(nothing);
});

test('no record is written for a folder without one', async () => {
  await recordIdentity(data, repo);
  await expect(readFile(join(data, 'trust.json'), 'utf8')).rejects.toThrow('ENOENT');
});

test('a "no" because of own programs is remembered for each of them and each folder, until it is forgotten', async () => {
  const stays = async (program: string): Promise<boolean> =>
    (await readTrust(data, repo)).staysConfined(program);
  expect(await stays('make')).toBe(false);
  await rememberConfined(data, repo, ['make', 'npx prettier']);
  await rememberConfined(data, repo, ['make', 'bun x']);
  expect([await stays('make'), await stays('npx prettier'), await stays('bun x')]).toEqual([
    true,
    true,
    true,
  ]);
  expect(await stays('npx eslint')).toBe(false);
  expect((await readTrust(data, repo)).isTrusted).toBe(false);

  await rename(repo, `${repo}-a`);
  await mkdir(repo);
  expect(await stays('make')).toBe(false);
  expect((await readTrust(data, repo)).other).toEqual({ wasTrusted: false });
  await rm(repo, { recursive: true });
  await rename(`${repo}-a`, repo);
  await rememberRules(data, repo, ['Bash(ls)']);
  await forgetConfined(data, repo);
  expect(await stays('make')).toBe(false);
  expect((await readTrust(data, repo)).savedRules).toEqual(['Bash(ls)']);
});
