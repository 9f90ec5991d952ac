/** Settings that are not secret as such but may contain a password or a token. */
import { readFileNow } from '../../disk/fileLookups.ts';

interface Settings {
  /** Matches the path in lower case. */
  readonly path: RegExp;
  readonly credential: RegExp;
}

const settings: readonly Settings[] = [
  {
    // Of a repository, a submodule or a worktree. A password or token in a URL, an authorization header, or a setting
    // named like a password: git-config(1).
    path: /\/\.git\/(?:.*\/)?config(?:\.worktree)?$/,
    credential:
      /:\/\/[^\s/@:"]*:[^\s/@"]+@|:\/\/[^\s/@:"]{16,}@|(?:^|\])\s*(?:extraheader|\w*(?:password|token|secret|passwd))\s*=\s*\S/im,
  },
  {
    // yarnpkg.com/configuration/yarnrc. `${TOKEN}` is a variable of the environment.
    path: /\/\.yarnrc\.yml$/,
    credential: /["']?npmAuth(?:Token|Ident)["']?\s*:\s*(?!["']?\$\{\w+\}["']?\s*$)\S/m,
  },
  {
    // learn.microsoft.com/nuget/reference/nuget-config-file
    path: /\/nuget\.config$/,
    credential: /<(?:packageSourceCredentials|apikeys)\b|key\s*=\s*["'](?:ClearText)?Password["']/i,
  },
  {
    // mercurial-scm.org/help/topics/config, "auth"
    path: /\/\.hgrc$/,
    credential: /^\s*[\w.-]+\.password\s*=\s*\S|:\/\/[^\s/@:]*:[^\s/@]+@/im,
  },
  {
    // docs.conda.io, "Using the .condarc conda configuration file": tokens of channels
    path: /\/\.condarc$/,
    credential: /\/t\/[^\s/]{6,}\/|:\/\/[^\s/@:]*:[^\s/@]+@|^\s*[\w-]*token\s*:\s*\S/im,
  },
  {
    // cabal.readthedocs.io, "username", "password"
    path: /\/\.(?:cabal|config\/cabal)\/config$/,
    credential: /^\s*(?:password|password-command|token)\s*:\s*\S/im,
  },
  {
    // getcomposer.org/doc/articles/authentication-for-private-packages.md
    path: /\/auth\.json$/,
    credential:
      /"(?:github-oauth|gitlab-(?:oauth|token)|bitbucket-oauth|forgejo-token|http-basic|bearer|custom-headers)"\s*:\s*\{\s*"/,
  },
  {
    // developer.hashicorp.com/terraform/language/values/variables
    path: /\.tfvars(?:\.json)?$/,
    credential:
      /^\s*"?[\w-]*(?:passw(?:or)?d|secret|token|credential|(?:api|private|access|ssh)_?key)[\w-]*"?\s*[=:]\s*(?:"[^"]|[{[]|<<)/im,
  },
  {
    // learn.microsoft.com/aspnet/core/security/app-secrets, and passwords in connection strings
    path: /\/appsettings(?:\.[\w-]+)*\.json$/,
    credential:
      /"\w*(?:password|secret|api_?key|access_?key|token)"\s*:\s*"[^"]|\b(?:password|pwd|accountkey|sharedaccesskey)\s*=\s*[^\s;"]/i,
  },
  {
    // developer.wordpress.org/advanced-administration/wordpress/wp-config; the sample has texts in place of values
    path: /\/wp-config\.php$/,
    credential:
      /define\(\s*['"](?:DB_PASSWORD|\w+_(?:KEY|SALT))['"]\s*,\s*['"](?!password_here|put your unique)[^'"]/i,
  },
  {
    // cloud.google.com/iam/docs/keys-create-delete: a key of a service account, under the name that the user gave it
    path: /\/(?:[\w.-]*[_.-])?(?:gcp|gcloud|google|firebase|service|sa|key|keyfile|account)(?:[_.-][\w.-]*)?\.json$/,
    credential: /"private_key"\s*:\s*"-----BEGIN/,
  },
  {
    // A text file with a single secret, or some with names; docs.docker.com/compose/how-tos/use-secrets. Word lists for
    // tests have many lines without a name.
    path: /\/(?:[\w.-]*[_.-])?(?:api[_-]?keys?|tokens?|secrets?|passwords?|passwd)\.txt$|\/secrets\/[\w-]+(?:\.txt)?$/,
    credential:
      /(?<![\s\S])\s*[^\s<{]{6,}\s*(?![\s\S])|^[\w. -]*(?:key|token|secret|passw(?:or)?d)s?[ \t]*[=:][ \t]*[^\s<{]{4,}[ \t]*\r?$/im,
  },
];

const MAX_BYTES = 1_000_000;

const settingsAt = (path: string): Settings | undefined => {
  const folded = path.toLowerCase();
  return settings.find((one) => one.path.test(folded));
};

/** True for a path that may be such settings. Pure. */
export const mayHoldCredentials = (path: string): boolean => settingsAt(path) !== undefined;

/** True if a file is such settings and holds credentials, or cannot be read. Never throws. */
export function holdsCredentials(path: string): boolean {
  const found = settingsAt(path);
  if (found === undefined) return false;
  const content = readFileNow(path, MAX_BYTES);
  return content !== null && (content === undefined || found.credential.test(content.toString('utf8')));
}
