/**
 * The options of the subcommands of git for which "don't ask again" saves a rule with a wildcard, or for which users
 * often write one. Options that read files elsewhere or start programs are left out; so are those that discard work or
 * replace branches, except where the subcommand is there for that. Data only.
 */
import { gitCommands } from '../../readOnly/gitOptions.ts';
import type { OptionList } from '../readOptions.ts';

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
  branch: `-a -c -C -d -D -f -i -l -m -M -q -r -t -u: -v --abbrev? --all --color? --column? --contains: --copy --create-reflog
    --delete --force --format: --ignore-case --list --merged? --move --no-contains: --no-merged? --points-at: --quiet
    --recurse-submodules --remotes --set-upstream-to: --show-current --sort: --track? --unset-upstream --verbose`,
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
  // Without those that name another program on the server, or change which branches are fetched into.
  pull: `-4 -6 -a -f -j= -n -p -q -r -S? -t -v -X= --all --allow-unrelated-histories --append --autostash --cleanup= --commit
    --deepen= --depth= --dry-run --edit --ff --ff-only --force --gpg-sign? --ipv4 --ipv6 --jobs= --log? --progress --prune --quiet
    --rebase? --recurse-submodules? --set-upstream --shallow-exclude= --shallow-since: --show-forced-updates --signoff --squash
    --stat --strategy-option= --tags --unshallow --verbose --verify --verify-signatures`,
  push: `-4 -6 -d -f -n -o: -q -u -v --all --atomic --branches --delete --dry-run --follow-tags --force --force-if-includes
    --force-with-lease? --ipv4 --ipv6 --mirror --porcelain --progress --prune --push-option: --quiet --recurse-submodules?
    --set-upstream --tags --thin --verbose --verify`,
  rebase: `-C= -f -i -m -n -q -r -S? -v -X= --abort --apply --autosquash --autostash --committer-date-is-author-date --continue
    --edit-todo --empty= --ff --force-rebase --fork-point --gpg-sign? --ignore-whitespace --interactive --keep-base --merge --onto:
    --quiet --quit --reapply-cherry-picks --rebase-merges? --reschedule-failed-exec --rerere-autoupdate --reset-author-date
    --root --show-current-patch --signoff --skip --stat --strategy-option= --update-refs --verbose --verify --whitespace=`,
  reset: `-N -p -q --hard --intent-to-add --keep --merge --mixed --patch --quiet --recurse-submodules? --refresh --soft`,
  show: showing,
  stash: `${showing} -a -k -m: -p -q -S -u --all --include-untracked --index --keep-index --message: --no-include-untracked --no-keep-index
    --only-untracked --patch --quiet --staged`,
  switch: `-c: -d -q -t --conflict= --create: --detach --guess --no-guess --no-progress --no-recurse-submodules --no-track --orphan:
    --progress --quiet --track?`,
  // Without the verification of signatures.
  tag: `-a -d -e -f -F: -i -l -m: -n? -s --annotate --cleanup= --color? --column? --contains: --create-reflog --delete --edit --file:
    --force --format: --ignore-case --list --merged? --message: --no-contains: --no-merged? --points-at: --sign --sort:
    --trailer:`,
};

/** `+a:b` moves a local branch, whatever it holds; those of remotes only show what is there. */
const forcedRef = /^\+(?!.*:refs\/remotes\/)/;

export const gitDiscards: Readonly<Record<string, RegExp>> = { fetch: forcedRef, pull: forcedRef };
