/**
 * The options of the subcommands of git for which "don't ask again" saves a rule with a wildcard. Options that discard
 * work, replace branches, or read files elsewhere are left out. Data only.
 */
import { gitCommands } from '../readOnly/gitOptions.ts';
import type { OptionList } from './readOptions.ts';

/** The list of a read-only subcommand as a list of harmless options. */
const listed = ({ flags, values, attached, numbers, long, longValues, longAttached }: OptionList): string =>
  [
    ...[...(flags ?? '')].map((letter) => `-${letter}`),
    ...[...(values ?? '')].map((letter) => `-${letter}:`),
    ...[...(attached ?? '')].map((letter) => `-${letter}?`),
    ...(long ?? []).map((name) => `${name}?`),
    ...(longValues ?? []).map((name) => `${name}:`),
    ...(longAttached ?? []).map((name) => `${name}?`),
    numbers ? '-#' : '',
  ].join(' ');

const showing = listed(gitCommands.log ?? {});

export const gitHarmless: Readonly<Record<string, string>> = {
  add: `-A -f -i -n -N -p -u -v --all --chmod= --dry-run --force --ignore-errors --ignore-missing --ignore-removal
    --intent-to-add --interactive --no-all --no-ignore-removal --patch --refresh --renormalize --sparse --update --verbose`,
  blame: listed(gitCommands.blame ?? {}),
  checkout: `-b: -d -l -p -q -t --conflict= --detach --guess --no-guess --no-progress --no-recurse-submodules --no-track --ours
    --patch --progress --quiet --theirs --track?`,
  'cherry-pick': `-e -m= -n -s -S? -x -X= --abort --allow-empty --allow-empty-message --cleanup= --continue --edit --empty= --ff
    --gpg-sign? --keep-redundant-commits --mainline= --no-commit --no-edit --no-gpg-sign --no-rerere-autoupdate --no-signoff
    --quit --rerere-autoupdate --signoff --skip --strategy-option=`,
  commit: `-a -c: -C: -e -F: -i -m: -n -o -p -q -s -S? -u? -v -z --all --allow-empty --allow-empty-message --amend --author: --branch
    --cleanup= --date: --dry-run --edit --file: --fixup: --gpg-sign? --include --long --message: --no-edit --no-gpg-sign
    --no-post-rewrite --no-signoff --no-status --no-verify --null --only --patch --porcelain --quiet --reedit-message:
    --reset-author --reuse-message: --short --signoff --squash: --status --trailer: --untracked-files? --verbose --verify`,
  diff: showing,
  fetch: `-4 -6 -a -j= -n -p -q -t -v --all --append --atomic --auto-gc --auto-maintenance --deepen= --depth= --dry-run --filter=
    --ipv4 --ipv6 --jobs= --multiple --negotiate-only --negotiation-tip: --no-all --no-auto-gc --no-auto-maintenance
    --no-progress --no-recurse-submodules --no-show-forced-updates --no-tags --no-write-fetch-head --porcelain --prefetch
    --progress --prune --quiet --recurse-submodules? --shallow-exclude= --shallow-since: --show-forced-updates --tags
    --unshallow --verbose --write-fetch-head`,
  log: showing,
  merge: `-e -F: -m: -n -q -S? -v -X= --abort --allow-unrelated-histories --autostash --cleanup= --commit --continue --edit --ff
    --ff-only --file: --gpg-sign? --into-name: --log? --message: --no-autostash --no-commit --no-edit --no-ff --no-gpg-sign --no-log
    --no-progress --no-rerere-autoupdate --no-signoff --no-squash --no-stat --no-verify --no-verify-signatures --progress --quiet
    --quit --rerere-autoupdate --signoff --squash --stat --strategy-option= --summary --verbose --verify --verify-signatures`,
  mv: '-k -n -v --dry-run --sparse --verbose',
  show: showing,
  stash: `${showing} -a -k -m: -p -q -S -u --all --include-untracked --index --keep-index --message: --no-include-untracked --no-keep-index
    --only-untracked --patch --quiet --staged`,
  switch: `-c: -d -q -t --conflict= --create: --detach --guess --no-guess --no-progress --no-recurse-submodules --no-track --orphan:
    --progress --quiet --track?`,
};

/** `+a:b` moves a local branch, whatever it holds; those of remotes only show what is there. */
const forcedRef = /^\+(?!.*:refs\/remotes\/)/;

export const gitDiscards: Readonly<Record<string, RegExp>> = { fetch: forcedRef, pull: forcedRef };
