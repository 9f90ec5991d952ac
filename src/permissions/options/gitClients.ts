/** Programs that change git folders, and what makes them run other programs or fill a folder that they name. Data only. */

/** git, and programs that run git or do its work. */
const clients = new Set(['git', 'hub', 'gh', 'glab', 'git-lfs', 'gt', 'jj']);

export const isGitClient = (name: string): boolean => clients.has(name);

/** True if the options and subcommands of a client are those of git. */
export const isLikeGit = (name: string): boolean => /^(?:git|hub)$/.test(name);

/**
 * Words of the other clients with which they run programs that the words or a file name: cli.github.com/manual,
 * docs.gitlab.com/cli, docs.jj-vcs.dev.
 */
export const runningWords: Readonly<Record<string, RegExp>> = {
  gh: /^(?:alias|ext|extensions?|codespace|cs)$/,
  glab: /^alias$/,
  jj: /^(?:util|fix|run|--config(?:-file|-toml)?(?:=.*)?|--tool(?:=.*)?)$/,
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

/** True if a setting, given with `-c`, starts no program and leads nowhere. */
export const isHarmlessSetting = (setting: string): boolean =>
  harmlessNames.test(setting) || harmlessValues.test(setting);

/**
 * Subcommands that run programs which their words or settings name, or that write files which they name, without
 * changing anything in git's own folder.
 */
export const otherSubcommands =
  /^(?:archive|bugreport|bundle|checkout-index|citool|credential.*|cvs.*|daemon|diagnose|difftool|fast-export|filter-branch|for-each-repo|format-patch|gui|gitk|gitweb|help|hook|instaweb|mailinfo|mailsplit|merge-file|merge-index|merge-one-file|mergetool|p4|remote-.*|send-email|sh-.*|shell|svn|unpack-file|web--browse)$/;

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
export const strategies = /^(?:ort|recursive|resolve|octopus|ours|subtree)$/;

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
