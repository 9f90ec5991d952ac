/** Finds secrets in what git shows: in versions of files, and in messages. */
import { join } from 'node:path';
import { findSecrets } from '../../redact/findSecrets.ts';
import { holdsAnySecret, isAnySecretContent, isCredentialContent, mayHoldAny } from './credentialSettings.ts';
import type { Version } from './gitContent.ts';
import type { Git } from './gitObjects.ts';
import { contentsOf } from './pastCredentials.ts';

/** More contents are not searched: that would take too long. */
const MAX_CONTENTS = 1000;

/**
 * The files, absolute, of which one of these versions holds credentials, or with `isAny` what looks like a secret.
 * undefined if not all of them can be searched.
 */
export function secretsAmong(
  git: Git,
  versions: readonly Version[],
  worktree: string,
  isAny: boolean,
): readonly string[] | undefined {
  const searched = isAny ? versions : versions.filter(({ name }) => mayHoldAny(`/${name}`));
  const names = new Map<string, Set<string>>();
  for (const { name, ids } of searched)
    for (const id of ids) if (!/^0+$/.test(id)) names.set(id, (names.get(id) ?? new Set()).add(name));
  if (names.size > MAX_CONTENTS) return undefined;
  const contents = contentsOf(git, [...names.keys()]);
  if (contents === undefined) return undefined;
  const holds = isAny ? isAnySecretContent : isCredentialContent;
  const found = [...names.values()].flatMap((among, at) =>
    [...among].filter((name) => holds(join(worktree, name), contents[at] ?? Buffer.alloc(0))),
  );
  const onDisk = isAny ? [...new Set(searched.filter((one) => one.isOnDisk).map(({ name }) => name))] : [];
  if (onDisk.length > MAX_CONTENTS) return undefined;
  const all = [...found, ...onDisk.filter((name) => holdsAnySecret(join(worktree, name)))];
  return [...new Set(all)].map((name) => join(worktree, name));
}

/** True if a message of a commit, tag or note contains a secret; undefined if not all of them can be searched. */
export function messagesHoldSecret(git: Git): boolean | undefined {
  const commits = git(['log', '--all', '--reflog', '--no-show-signature', '--format=%B%n%N']);
  const tags = git(['for-each-ref', '--format=%(contents)', 'refs/tags']);
  if (commits === undefined || tags === undefined) return undefined;
  return findSecrets(`${commits}\n${tags}`).length > 0;
}
