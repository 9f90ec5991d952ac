/** Programs that change git folders, and what makes them run other programs or fill a folder that they name. Data only. */

/** git, and programs that run git or do its work. */
const clients = new Set(['git', 'hub', 'gh', 'glab', 'git-lfs', 'gt', 'jj']);

export const isGitClient = (name: string): boolean => clients.has(name);

/** True if the options and subcommands of a client are those of git. */
export const isLikeGit = (name: string): boolean => /^(?:git|hub)$/.test(name);

const named = (words: string): RegExp => new RegExp(`^(?:${words.trim().replace(/\s+/g, '|')})$`);

interface Client {
  /** First words with which it runs nothing but git. Any other may be an alias, or another program. */
  readonly changing: RegExp;
  /** Words with which it runs something else, works in another folder, or passes options on to git. */
  readonly unless?: RegExp;
}

const lfs: Client = {
  changing:
    named(`checkout dedup env fetch fsck lock locks ls-files migrate pointer prune pull push status track unlock untrack
    update version`),
  unless: /^--(?:object-map|program|output)/,
};

/** The other clients: cli.github.com/manual, docs.gitlab.com/cli, graphite.dev/docs/command-reference, docs.jj-vcs.dev. */
export const otherClients: Readonly<Record<string, Client>> = {
  gh: {
    // `co` is an alias that gh itself defines.
    changing: named(
      'pr issue repo release run workflow label search status api gist project ruleset cache org co',
    ),
    unless: /^(?:download|--|-s|--source(?:=.*)?)$/,
  },
  glab: {
    changing: named(
      'mr issue repo project ci release label milestone variable api snippet schedule incident user',
    ),
    unless: /^(?:artifact|archive|download|--)$/,
  },
  'git-lfs': lfs,
  gt: {
    changing:
      named(`create c submit s ss sync restack r modify m checkout co up u down d top t bottom b log ls ll track tr
      untrack fold split sp squash sq absorb ab continue cont abort delete dl rename get move pop reorder undo merge info
      trunk parent children`),
    unless: /^--(?:cwd(?:=.*)?)?$/,
  },
  jj: {
    changing:
      named(`abandon absorb bookmark b commit ci describe desc diff duplicate edit evolog file git interdiff log
      metaedit new next op operation parallelize prev rebase redo restore revert root show sign simplify-parents sparse split
      squash st status tag undo unsign version workspace`),
    unless: /^(?:clone|remote|--config(?:-file|-toml)?(?:=.*)?|--tool(?:=.*)?|-R.*|--repository(?:=.*)?)$/,
  },
};

/** Options before the subcommand that change neither what git runs nor where its folder or its worktree is: git(1). */
export const harmlessGlobals =
  /^(?:-P|--no-pager|--no-optional-locks|--no-advice|--no-replace-objects|--no-lazy-fetch|--literal-pathspecs|--glob-pathspecs|--noglob-pathspecs|--icase-pathspecs)$/;

/** Names of settings, given with `-c`, that name no program, file or folder, whatever their value: git-config(1). */
const harmlessNames = new RegExp(
  `^(?:${[
    /(?:user|author|committer)\.(?:name|email)/,
    /color\.[\w.]+|advice\.\w+/,
    /core\.(?:quotepath|autocrlf|safecrlf|filemode|ignorecase|longpaths|abbrev|precomposeunicode)/,
    /commit\.(?:verbose|status|cleanup)/,
    /init\.defaultbranch|gc\.auto|submodule\.recurse/,
    /(?:pull\.(?:rebase|ff)|rebase\.(?:autostash|autosquash|updaterefs))/,
    /push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|parallel)/,
    /merge\.(?:ff|conflictstyle|renames|renamelimit)|diff\.(?:renames|renamelimit|algorithm|context)/,
    /http\.(?:postbuffer|version)|protocol\.(?:(?:file|git|ssh|https?)\.allow|version)/,
  ]
    .map(({ source }) => source)
    .join('|')})(?:=|$)`,
  'i',
);
/** Settings that could name a program, with values that do not. */
const harmlessValues =
  /^(?:core\.(?:pager|editor|askpass)=(?:cat|true|:)?|sequence\.editor=(?:true|:)|core\.(?:fsmonitor|untrackedcache)=(?:false|true)|(?:commit|tag|push)\.gpgsign=(?:false|no|0))$/i;

/** True if a setting, given with `-c`, starts no program and leads nowhere; with its name alone, whatever its value. */
export const isHarmlessSetting = (setting: string): boolean =>
  harmlessNames.test(setting) || harmlessValues.test(setting);

/**
 * Subcommands of git that start no program which their words name, and write only to git's own folder and the worktree.
 * Any other may be an alias, or a program called `git-<name>`.
 */
export const changingSubcommands: RegExp = named(`
  add am annotate apply bisect blame branch cat-file check-attr check-ignore check-mailmap check-ref-format checkout cherry
  cherry-pick clean clone commit commit-graph commit-tree config count-objects describe diff diff-files diff-index diff-tree
  fetch for-each-ref fsck gc grep hash-object init init-db lfs log ls-files ls-remote ls-tree maintenance merge merge-base
  merge-tree mktag mktree multi-pack-index mv name-rev notes pack-refs patch-id prune prune-packed pull push range-diff
  read-tree rebase reflog remote repack replace rerere reset restore rev-list rev-parse revert rm shortlog show show-branch
  show-ref sparse-checkout stage stash status stripspace submodule subtree switch symbolic-ref tag update-index update-ref
  update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree`);

/** The first word of subcommands that have their own subcommands. */
export const firstWords: Readonly<Record<string, RegExp>> = { lfs: lfs.changing, maintenance: /^run$/ };

/** Words of a subcommand, in addition to its risky options, with which it runs a program or writes to a file they name. */
export const runningWords: Readonly<Record<string, RegExp>> = {
  apply: /^--uns/,
  bisect: /^(?:run|view|visualize|replay)$/,
  'commit-graph': /^--obj/,
  ...(lfs.unless && { lfs: lfs.unless }),
  'multi-pack-index': /^--obj/,
  submodule: /^foreach$/,
};

/**
 * Options and words for which the table of programs asks, although git starts nothing for them and writes only to its
 * own folder, by subcommand.
 */
export const harmlessWords: Readonly<Record<string, RegExp>> = {
  submodule: /^(?:add|update|init|sync|set-url|absorbgitdirs|--init|--remote|--recursive)$/,
  remote: /^(?:add|set-url)$/,
  notes: /^(?:-[cC].*|--reuse-message(?:=.*)?|--reedit-message(?:=.*)?)$/,
  branch: /^--edit-description$/,
  commit: /^(?:-e|--edit)$/,
};

/** Merge strategies that are part of git: git-merge(1). Any other is a program called `git-merge-<name>`. */
export const strategyNames = 'ort|recursive|resolve|octopus|ours|subtree';
export const strategies: RegExp = new RegExp(`^(?:${strategyNames})$`);

/** Subcommands without options that run a program: a word that only the shell knows does no harm. */
export const takesAnyWord =
  /^(?:add|branch|checkout|commit|mv|notes|push|reset|restore|rm|stage|stash|switch|symbolic-ref|tag|update-ref)$/;

/** Variables for one command, with the values that name no program: git(1), typicode.github.io/husky, pre-commit.com. */
export const harmlessVariables: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    [
      ...['AUTHOR', 'COMMITTER'].flatMap((who) =>
        ['NAME', 'EMAIL', 'DATE'].map((what) => `GIT_${who}_${what}`),
      ),
      ...['GIT_TERMINAL_PROMPT', 'GIT_MERGE_AUTOEDIT', 'GIT_OPTIONAL_LOCKS', 'GIT_LFS_SKIP_SMUDGE'],
      ...['GIT_REFLOG_ACTION', 'GIT_ADVICE', 'HUSKY', 'HUSKY_SKIP_HOOKS', 'LEFTHOOK', 'SKIP'],
    ].map((name) => [name, /^/]),
  ),
  ...Object.fromEntries(
    ['GIT_EDITOR', 'GIT_SEQUENCE_EDITOR', 'EDITOR', 'VISUAL', 'GIT_PAGER', 'PAGER', 'GH_PAGER'].map(
      (name) => [name, /^(?:true|:|cat)?$/],
    ),
  ),
};
