/** Files that are not secret by their names but may contain a password, a token or a private key. */
import { isDirectory, readEndsNow, readFileNow } from '../../disk/fileLookups.ts';
import { findSecrets } from '../../redact/findSecrets.ts';
import { isSensitive } from '../files/sensitive.ts';
import { isPatch, partsOfPatches } from './patches.ts';
import { isPacked, textsIn, unpackedStart } from './searchedText.ts';

interface Settings {
  /** Matches the path in lower case. */
  readonly path: RegExp;
  readonly credential: RegExp;
}

/** Part of the name of a password, token or key, in any case. */
const SECRET = String.raw`(?:passw(?:or)?d|passphrase|(?<![a-z])pass(?![a-z])|pwd|secret|token|credential|(?:api|access|private|secret|ssh|signing)[_-]?key)`;

const settings: readonly Settings[] = [
  {
    // The settings of a repository, submodule or worktree: a URL with a password or token, an authorization header, or
    // a setting named like a password: git-config(1).
    path: /\/\.git\/(?:.*\/)?config(?:\.worktree)?$/,
    credential:
      /:\/\/[^\s/@:"]*:[^\s/@"]+@|:\/\/[^\s/@:"]{16,}@|(?:^|\])\s*(?:extraheader|\w*(?:password|token|secret|passwd))\s*=\s*\S/im,
  },
  {
    // docs.npmjs.com/cli/configuring-npm/npmrc, and copies. `${TOKEN}` is an environment variable; pnpm's may have a default.
    path: /\/\.npmrc(?:\.(?:bak|backup|old|orig|rej|save|tmp)|~)*$/,
    credential:
      /^[^=\n]*(?:_auth|_authtoken|_?password|token|secret|otp|(?<![a-z])key)["']?(?:\[\])?[ \t]*=[ \t]*(?!["']?\$\{\w+\??\}["']?\s*$)[^\s]|:\/\/[^\s/@]+@|:\/\/[^\s/@:]+:[^\s@]+@/im,
  },
  {
    // yarnpkg.com/configuration/yarnrc. `${TOKEN}` is an environment variable.
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
    // docs.conda.io, "Using the .condarc conda configuration file": tokens in channel URLs
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
    credential: new RegExp(
      String.raw`(?:^|[{,])\s*"?[\w-]*${SECRET}[\w-]*"?\s*[=:]\s*(?:"[^"]|[{[]|<<)`,
      'im',
    ),
  },
  {
    // learn.microsoft.com/aspnet/core/security/app-secrets, and passwords in connection strings
    path: /\/appsettings(?:\.[\w-]+)*\.json$/,
    credential:
      /"\w*(?:password|secret|api_?key|access_?key|token)"\s*:\s*"[^"]|\b(?:password|pwd|accountkey|sharedaccesskey)\s*=\s*[^\s;"]/i,
  },
  {
    // developer.wordpress.org/advanced-administration/wordpress/wp-config; the sample has placeholders
    path: /\/wp-config\.php$/,
    credential:
      /(?:define\(\s*['"]|const\s+)(?:DB_PASSWORD|\w+_(?:KEY|SALT))['"]?\s*[,=]\s*(?:getenv\([^)\n]*\)\s*\?:\s*)?['"](?!password_here|put your unique)[^'"]/i,
  },
  {
    // cloud.google.com/iam/docs/keys-create-delete: a service account key, under a name that the user chose
    path: /\/(?:[\w.-]*[_.-])?(?:gcp|gcloud|google|firebase|service|sa|key|keyfile|account)(?:[_.-][\w.-]*)?\.json$/,
    credential: /"private_key"\s*:\s*"-----BEGIN/,
  },
  {
    // A text file with one secret, several with names, or the words of a wallet: docs.docker.com/compose/how-tos/use-secrets.
    // Word lists for tests have many lines without a name.
    path: /\/(?:[\w.-]*[_.-])?(?:api[_-]?keys?|tokens?|secrets?|passwords?|passwd|credentials?|mnemonic)\.txt$|\/(?:api[_-]?keys?|tokens?|secrets?|passwords?|passwd|credential|mnemonic|dotenv)$|\/secrets\/[\w-]+(?:\.txt)?$/,
    credential:
      /(?<![\s\S])\s*(?:[^\s<{]{6,}|(?:[a-z]{3,8}\s{1,3}){11,23}[a-z]{3,8})\s*(?![\s\S])|^[\w. -]*(?:key|token|secret|passw(?:or)?d)s?[ \t]*[=:][ \t]*[^\s<{]{4,}[ \t]*\r?$/im,
  },
  {
    // MCP server settings: code.claude.com/docs/mcp, cursor.com/docs/context/mcp, code.visualstudio.com. `${X}` is an
    // environment variable or an input.
    path: /\/(?:[\w-]*[_.-])?mcp(?:[_.-][\w-]+)*\.json$|\/claude_desktop_config\.json$/,
    credential:
      /"[\w-]*(?:passw(?:or)?d|secret|token|api_?-?key|access_?-?key)"\s*:\s*"(?!\$|<|your)[^"\s]{8}|"authorization"\s*:\s*"(?:\w+ )?(?!\$)[^"\s]{8}|--?[\w-]*(?:token|key|password)[="\s,]{1,80}(?!\$|-)[^"\s$]{16}/i,
  },
  {
    // docs.cypress.io/app/references/environment-variables, and upload clients: SFTP for VS Code and Sublime Text
    path: /\/(?:cypress\.env\.json|sftp(?:-config(?:-alt)?)?\.json|\.ftpconfig|\.remote-sync\.json|\.vscode-ftp\.json)$/,
    credential: /"\w*(?:passw(?:or)?d|passphrase|secret|token|key)"\s*:\s*"[^"]/i,
  },
  {
    // docs.gradle.org "Build environment", docs.spring.io "Externalized Configuration". `${X}` is a variable, and
    // `ENC(…)` is encrypted.
    path: /\/(?:gradle|local|signing|release|(?:application|bootstrap)(?:-[\w-]+)?|liquibase|datasource|database)\.(?:properties|ya?ml)$/,
    // YAML also allows braces, and the value on the next line.
    credential: new RegExp(
      String.raw`(?:^|[{,])[ \t]*[\w.-]*${SECRET}[ \t]*[=:][ \t]*(?:\r?\n[ \t]+(?=[^\s:#]+[ \t]*\r?$))?(?!["']?(?:\$\{|ENC\(|@)|(?:true|false|\d{1,6})\s*$)[^\s#]`,
      'im',
    ),
  },
  {
    // Files of variables not named `.env`: docs.docker.com "env_file", docs.openstack.org "openrc"
    path: /\/(?:[\w-]+[_.-])?(?:set)?env(?:file|vars?|ironment)?(?:[_.-](?!(?:example|sample|template|dist|d|[cm]?[jt]sx?|py|rb|go|rs|java|kts?|php|lua|exs?|md|json|ya?ml|toml|html|vue|svelte)\b)[\w-]+)*(?:\.(?:sh|bash|zsh|fish|bat|cmd|ps1|txt|list))?$|openrc(?:\.sh)?$/,
    credential: new RegExp(
      String.raw`^\s*(?:export\s+|set\s+|setx\s+|\$env:)?\w*${SECRET}\s*=\s*["']?(?![$<%]|your|change)[^\s"'<$]{6}`,
      'im',
    ),
  },
  {
    // tomcat.apache.org "Realm configuration", maven.apache.org "Password encryption", DataGrip
    path: /\/(?:tomcat-users|settings|datasources(?:\.local)?)\.xml$/,
    credential: /\bpassword\s*=\s*["'][^"'$]|<(?:password|passphrase|privatekey)>\s*[^<$\s]/i,
  },
  {
    // openvpn(8) "Inline files", wg(8), ngrok.com/docs/agent/config, docs.openstack.org "clouds.yaml"
    path: /\.ovpn$|\/wg[\w-]*\.conf$|\/ngrok\.ya?ml$|\/clouds\.ya?ml$/,
    credential:
      /^<(?:key|tls-crypt|tls-auth|secret)>|^\s*(?:PrivateKey|PresharedKey)\s*=\s*\S|^\s*(?:authtoken|password|application_credential_secret)\s*:\s*\S/im,
  },
];

/** Names of possible private keys that do not always count as secret: without an extension, or with one for text. */
const keyPath =
  /\/\.?[^/.]+$|\.(?:txt|text|cer|crt|cert|der|pk|priv|private|prv|rsa|ed25519|sec|secret|asc|gpg|pgp|ssh|bak|old|orig)$/;

const noKeyPath =
  /\/(?:\.?[\w-]+(?:ignore|rc|file)|\.(?:git(?:attributes|keep|modules)|editorconfig|mailmap)|license|licence|copying|notice|readme|change(?:log|s)|authors|contributors|codeowners|install|news|todo|version|gradlew|mvnw)$|\/(?:cmakelists|requirements[\w-]*|constraints|robots|license|licence|readme|change(?:log|s)|notice)\.txt$/;

/** True for a private key, possibly after comments and certificates: PEM (RFC 7468), OpenSSH, PuTTY, RFC 4716. */
const isKey = (text: string): boolean =>
  /^(?:\ufeff|\s|#.*\n|Bag Attributes.*\n(?:[ \w]+:.*\n)*|-----BEGIN (?:[A-Z\d]+ )*(?:CERTIFICATE|PUBLIC KEY|PARAMETERS)-----[\w+/=\s]*-----END [A-Z\d ]*-----)*(?:-----BEGIN [A-Z\d ]*PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----|PuTTY-User-Key-File-\d)/.test(
    text,
  );

/** True for a binary private key, by its first bytes: PKCS#1, PKCS#8 and SEC 1 in DER, or a key pair for signing in .NET. */
const isBinaryKey = (content: Buffer): boolean =>
  /^30(?:[0-7].|81..|82....)02010[01](?:30..06|02(?:4.|8[12])|04[1-4].)|^07020000.{8}52534132/.test(
    content.subarray(0, 16).toString('hex'),
  );

/** A larger file is no private key. */
export const MAX_KEY_BYTES = 64_000;
/** Searched in settings, and at each end of other files: a search takes up to 40 ms per MB, in binary files 100. */
const MAX_BYTES = 1_000_000;
/** Of a patch, only the lines that begin its parts, and the parts about settings, are searched. */
const MAX_PATCH_BYTES = 5_000_000;

/** Code, documents, lock files and the like contain examples, hashes and names of secrets. */
const notSettings =
  /\.(?:[cm]?[jt]sx?|pyi?|rb|go|rs|java|kts?|scala|swift|[ch]|cc|[ch]pp|cs|fs|vb|php|lua|p[lm]|exs?|erl|hs|mli?|clj|dart|zig|vue|svelte|astro|css|s[ac]ss|less|x?html?|mdx?|markdown|rst|adoc|tex|map|svg|lock|snap|patch|diff|po)$|(?:^|\/)package-lock\.json$/i;

const settingsAt = (path: string): Settings | undefined => {
  const folded = path.toLowerCase();
  return settings.find((one) => one.path.test(folded));
};

/** True if a path names settings that may hold credentials. Pure. */
export const isCredentialSettings = (path: string): boolean => settingsAt(path) !== undefined;

/** True if a path may name a private key: not one of the usual files without an extension. Pure. */
export const mayBeKey = (path: string): boolean =>
  keyPath.test(path.toLowerCase()) && !noKeyPath.test(path.toLowerCase());

/** True if a path may name a file that `isCredentialContent` finds: not code, and not a document. Pure. */
export const mayHoldAny = (path: string): boolean => !notSettings.test(path) || mayHoldCredentials(path);

/** The same as `holdsCredentials` for a version of the file in git. Pure. */
export function isCredentialContent(path: string, content: Buffer): boolean {
  const texts = textsIn(content);
  if (isPatch(path) && texts.some(showsSecretFile)) return true;
  const isSmall = content.length <= MAX_KEY_BYTES;
  if (isSmall && keyPath.test(path.toLowerCase()) && (isBinaryKey(content) || texts.some(isKey))) return true;
  if (settingsAt(path) !== undefined) return credentialIn(path, content);
  return !notSettings.test(path) && endsOf(content).some((bytes) => isSecretContent(path, bytes));
}

/** The same as `holdsAnySecret` for a version of the file in git. Pure. */
export const isAnySecretContent = (path: string, content: Buffer): boolean =>
  isCredentialContent(path, content) ||
  endsOf(content).some((bytes) => isSecretContent(path, bytes)) ||
  isPacked(content);

const endsOf = (content: Buffer): readonly Buffer[] =>
  content.length <= 2 * MAX_BYTES
    ? [content]
    : [content.subarray(0, MAX_BYTES), content.subarray(-MAX_BYTES)];

/** True if such settings contain a credential, another file is a private key, or a patch shows a secret file. Pure. */
export function credentialIn(path: string, content: Buffer): boolean {
  const known = settingsAt(path);
  const texts = textsIn(content);
  if (isPatch(path) && texts.some(showsSecretFile)) return true;
  if (known === undefined) return isBinaryKey(content) || texts.some(isKey);
  return texts.some((text) => known.credential.test(text) || hasSecret(text, path));
}

/** True if a text contains a patch of a secret: each part is judged as the file that it is about. */
const showsSecretFile = (text: string): boolean =>
  partsOfPatches(text).some(
    ({ title, paths, text }) =>
      title.split(/[\s"]+/).some(isSensitive) || paths.some((path) => isSecretText(`/${path}`, text)),
  );

/** True if this text makes a file secret. */
function isSecretText(path: string, text: string): boolean {
  const known = settingsAt(path);
  if (known?.credential.test(text) === true || (mayBeKey(path) && isKey(text))) return true;
  return (known !== undefined || !notSettings.test(path)) && hasSecret(text, path);
}

/** Templates contain placeholders, and manual pages what documents do. */
const notOwnSettings =
  /[._-](?:examples?|samples?|templates?|te?mpl|tpl|dist|default)(?:$|[._-])[^/]*$|\.info(?:-\d+)?$|\/man\w*\/[^/]+\.\d\w*$|\/(?:change(?:log|s)|copyright|news|readme)(?:\.\w+)?$/i;

/** True if a text contains a secret, according to the kind of its file: what binary files contain is no settings either. */
function hasSecret(text: string, path: string): boolean {
  const unpacked = path.replace(/\.gz$/i, '');
  const isOther = notSettings.test(unpacked) || notOwnSettings.test(unpacked) || binary.test(text);
  return findSecrets(text, { isSettings: !isOther }).length > 0;
}

const binary = /[\x01-\x08\x0e-\x19]/;

/** True if a path names such settings or may name a private key. Pure. */
export const mayHoldCredentials = (path: string): boolean =>
  settingsAt(path) !== undefined ||
  keyPath.test(path.toLowerCase()) ||
  isKeptDiff.test(path) ||
  isPatch(path);

/**
 * True if a file holds credentials: settings with a credential (or unreadable ones), a private key, a patch of a secret,
 * or any file with a key, token or password in a well-known form, unless it is code or a document. Never throws.
 */
export function holdsCredentials(path: string): boolean {
  if (isStored(path)) return true;
  if (isReflog.test(path)) return mayHold(path, holdsToken);
  if (isKeptDiff.test(path)) return mayHold(path, (text) => showsSecretFile(text) || holdsToken(text));
  if (isPatch(path) && !isDirectory(path) && mayHold(path, showsSecretFile, MAX_PATCH_BYTES)) return true;
  if (isPrivateKey(path)) return true;
  if (settingsAt(path) === undefined) return !notSettings.test(path) && holdsSecret(path);
  if (isDirectory(path)) return false;
  const content = readFileNow(path, MAX_BYTES);
  return content !== null && (content === undefined || credentialIn(path, content));
}

/**
 * True for any file, code and documents included, that contains what looks like a secret, or other files that cannot be
 * searched. Never throws.
 */
export const holdsAnySecret = (path: string): boolean =>
  holdsCredentials(path) || holdsSecret(path) || isPacked(readEndsNow(path, MAX_BYTES)?.[0]);

/**
 * True for a file in which version control keeps the content of others, current and removed ones: gitrepository-layout(5),
 * hg's `store`, Subversion's pristine copies. Pure.
 */
export const isStored = (path: string): boolean =>
  /\/\.git\/(?:.*\/)?(?:objects|rr-cache)\/|\/objects\/(?:[\da-f]{2}\/[\da-f]{38,}|pack\/pack-)|\/\.hg\/store\/|\/\.svn\/pristine\//i.test(
    path,
  );

/** Git records its commands here, so these are searched in full. */
const isReflog = /\/\.git\/(?:.*\/)?logs\/./;

/** What git keeps during a rebase or `git am`: patches, and messages that may contain one. */
const isKeptDiff = /\/\.git\/(?:.*\/)?(?:rebase-(?:merge|apply)\/.|\w+_(?:EDIT)?MSG$)/;

const holdsToken = (text: string): boolean => findSecrets(text).length > 0;

/** True if the text of a file is one of these, or it is too large to be searched. */
function mayHold(path: string, isSecret: (text: string) => boolean, maxBytes = MAX_BYTES): boolean {
  const content = readFileNow(path, maxBytes);
  return content !== null && (content === undefined || textsIn(content).some(isSecret));
}

function isPrivateKey(path: string): boolean {
  if (!keyPath.test(path.toLowerCase())) return false;
  const content = readFileNow(path, MAX_KEY_BYTES) ?? Buffer.alloc(0);
  return isBinaryKey(content) || textsIn(content).some(isKey);
}

/**
 * True if a file contains a secret. The middle of a large file is not searched: what a command prints of it without
 * approval passes through a redactor.
 */
function holdsSecret(path: string): boolean {
  return (readEndsNow(path, MAX_BYTES) ?? []).some((bytes, index) => {
    const content = index === 0 ? unpackedStart(bytes, path) : bytes;
    return content === undefined || isSecretContent(path, content);
  });
}

const isSecretContent = (path: string, content: Buffer): boolean =>
  isBinaryKey(content) || textsIn(content).some((text) => hasSecret(text, path) || showsSecretFile(text));
