/**
 * Paths that contain secrets. Reading or writing one always needs the user's approval, unless a rule names the file.
 */

import { withoutTrailing } from '../../protocol/text/trimming.ts';
import { globsOverlap, hasGlob } from './globOverlap.ts';

/** Words that, as the whole name of a settings file or of a hidden file, say that it contains secrets. */
const secretWords = [
  ...['secret', 'secrets', 'password', 'passwords', 'passwd', 'credential', 'credentials', 'creds'],
  ...['vault-pass', 'vault_pass', 'vaultpass', 'vault-password', 'vault_password', 'vaultpassword'],
  ...['mnemonic', 'seed-phrase'],
];
/** Settings and tables; text files are judged by their content, since they may be word lists. */
const settingsEndings = 'ini toml conf cfg local properties y*ml json json5 jsonc xml csv tsv'.split(' ');

const names = [
  '.env*',
  '*.env',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.ppk',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '.netrc',
  '_netrc',
  '.pypirc',
  '.git-credentials',
  '.pgpass',
  '.htpasswd',
  '.vault-token',
  '.dockercfg',
  '.*_history',
  '.authinfo*',
  '.my.cnf',
  '.mylogin.cnf',
  '.s3cfg',
  'credentials',
  'credentials*.json',
  '*credentials.json',
  'rootkey*.csv',
  '*accesskeys.csv',
  'service-account*.json',
  'service_account*.json',
  'serviceaccountkey*.json',
  '*firebase-adminsdk*.json',
  'client_secret*.json',
  'oauth_creds.json',
  'kaggle.json',
  // Files of wrangler, act, Ansible, Terraform, kubectl, rclone, Sentry, clasp, Azure Functions and others that contain
  // secrets according to their documentation.
  '.dev.vars*',
  '.vault_pass*',
  'vault_pass*',
  '*.tfstate',
  '*.tfstate.backup',
  'kubeconfig',
  '*.kubeconfig',
  'rclone.conf',
  '.rclone.conf',
  '.sentryclirc',
  '.clasprc.json',
  'local.settings.json',
  '.terraformrc',
  'terraform.rc',
  'credentials.tfrc.json',
  '.pulumi-access-token',
  '.condarc_secrets',
  '.netlify-token',
  '.dockerconfigjson',
  '.databrickscfg',
  '.boto',
  '.msmtprc',
  '.fetchmailrc',
  '.claude.json',
  'secring.gpg',
  '*.p8',
  // The clients of Google's APIs, Android and Flutter signing, age, google-github-actions/auth, act, wrangler, GnuPG
  // exports, Maven, Phoenix.
  'token.json',
  'key.properties',
  'keystore.properties',
  '*.agekey',
  'gha-creds-*.json',
  '.act.secrets',
  '.*.vars',
  'private*.asc',
  'secret*.asc',
  '*private-key.asc',
  '*secret-key.asc',
  'settings-security.xml',
  '*.secret.exs',
  // s3fs, mount.cifs(8), R, Apache and PostgreSQL; keys of Android and .NET.
  '.token',
  '.api_key',
  '.api-key',
  '.apikey',
  '.passwd-s3fs',
  '.smbcredentials',
  'aws_credentials',
  '.renviron',
  'htpasswd',
  'pgpass.conf',
  '*.pk8',
  '*.snk',
  // Vite and create-react-app without the dot, sshd(8), keys of ssh-keygen(1) under names that end with their type, and
  // of GitHub's deployments.
  'env.local',
  'env.*.local',
  'ssh_host_*_key',
  '*_rsa',
  '*_ecdsa',
  '*_ed25519',
  'deploy_key',
  'deploy-key',
  '*_deploy_key',
  // Keys, tickets and wallets of Kerberos, Java, KeePass, NATS, Perforce, strongSwan, Bitcoin and adb; cookies and logins
  // of git and Firefox.
  '*.keytab',
  'krb5cc_*',
  '*.jceks',
  '*.bks',
  '*.pkcs12',
  '*.kdb',
  '*.nkey',
  '*.creds',
  '.p4tickets',
  'ipsec.secrets',
  'wallet.dat',
  'adbkey',
  '.gitcookies',
  'logins.json',
  'key3.db',
  'key4.db',
  'cookies.sqlite',
];
const anyOf = (patterns: readonly string[]): string =>
  `(?:${patterns.map((name) => name.replaceAll('.', '\\.').replaceAll('*', '.*')).join('|')})`;

/** A regular expression, because large trees are searched. */
const secretName = new RegExp(
  `^(?:${anyOf(names)}|\\.${anyOf(secretWords)}|\\.?${anyOf(secretWords)}\\.${anyOf(settingsEndings)})$`,
  's',
);
/** Leaves out the trailing wildcard (for `id_rsa.bak`), which would match any name with a wildcard. */
const namesForWildcards = [
  ...names.map((name) => (name.startsWith('.') ? name : name.replace(/\*$/, ''))),
  ...secretWords.flatMap((word) => [
    `.${word}`,
    ...['', '.'].flatMap((dot) => settingsEndings.map((end) => `${dot}${word}.${end}`)),
  ]),
];
/** Manifests of Kubernetes are judged by their content; most are templates. */
const harmless = /^(?:\.env[\w.-]*\.(?:example|sample|template|dist)|.*\.pub|secret\.ya?ml)$/;
/** Build output of contracts (`Token.json`), schemas, translations and templates, where these are ordinary names. */
const ordinary =
  /(?:^|\/)(?:artifacts|abis?|build|contracts?|deployments|i18n|locales?|messages|out|schemas?|translations|typechain(?:-types)?)\/(?:.*\/)?(?:token|secret)\.json$|(?:^|\/)(?:components|i18n|lang|locales?|messages|schemas?|templates|translations)\/(?:.*\/)?(?:credential|passwords?|secret)\.(?:json|properties|xml|ya?ml)$/;
/** What editors, people, version control, package managers and compressors add to the name of a copy. */
const ofCopy =
  /(?:\.(?:bak|backup|old|orig|rej|save|tmp|gz|bz2|xz|zst|lz4|dpkg-\w+|rpm(?:save|new|orig))|___jb_(?:tmp|old)___|~)+$/;
/** What vim, Kate and Emacs make of a name while they edit: `.x.swp`, `.x.un~`, `.x.kate-swp`, `#x#`, `.#x`. */
const whileEdited = /^(?:\.(.+)\.(?:s[a-w][a-z]|un~|kate-swp)|#(.+)#|\.#(.+))$/;

/** The names that a file with this name may be a copy of. */
function originalNames(name: string): readonly string[] {
  const edited = whileEdited.exec(name);
  return [name, ...(edited?.slice(1) ?? [])].flatMap((one) => (one ? [one.replace(ofCopy, '')] : []));
}
const directories = ['.ssh', '.aws', '.gnupg', '.azure', '.password-store'];
/** `.envs/.production/.postgres` of cookiecutter-django, but not a virtual environment of Python in such a folder. */
const envs = String.raw`\.envs\/(?:\.?[\w-]+\/)?\.?[\w-]+`;
/** Includes the program's records of sessions and files, which may contain secrets that the user once showed. */
const ownData = String.raw`\.clawdcode\/(?:(?:config|credentials|auth|trust|(?:compile-cache|checkpoints)\.key)[^/]*|(?:history|logs|index)(?:\/.*)?|projects\/[^/]+\/(?!memory(?:\/|$)).*)`;
const places = new RegExp(
  String.raw`(?:^|\/)(?:\.kube\/config|\.docker\/config\.json|\.config\/gcloud(?:\/.*)?|\.config\/gh\/hosts\.yml|\.config\/(?:op|rclone)(?:\/.*)?|\.(?:codex|composer)\/auth\.json|\.sops\/age\/keys\.txt|\.(?:oci|snowsql)\/config|\.cloudflared(?:\/.*)?|fastlane\/[^/]*api_?key[^/]*\.json|\.svn\/auth(?:\/.*)?|\.httpie\/sessions(?:\/.*)?|\.ivy2\/\.credentials|\.(?:cache\/)?huggingface\/token|${envs}|${ownData}|proc\/[^/]+\/(?:environ|mem)|etc\/g?shadow-?)$`,
);
/** Folders of a home that contain secrets. */
export const secretFolders: readonly string[] = [
  ...directories,
  ...['.kube', '.docker', '.config/gcloud', '.config/gh', '.clawdcode'],
];
const parentsOfPlaces = [
  ...['.kube', '.docker', '.config', 'gh', 'gcloud', '.clawdcode', 'proc', 'etc'],
  ...[
    '.codex',
    '.composer',
    '.sops',
    '.oci',
    '.snowsql',
    '.cloudflared',
    '.huggingface',
    'fastlane',
    '.envs',
    '.svn',
    '.httpie',
  ],
];

/** True if a path (absolute or relative, not a pattern) names a secret: keys, credentials, `.env` files. */
export function isSensitive(path: string): boolean {
  const parts = foldPath(path);
  const last = parts.at(-1);
  if (last === undefined) return false;
  if (parts.some((part) => directories.includes(part))) return true;
  if (places.test(parts.join('/'))) return true;
  if (ordinary.test(parts.join('/'))) return false;
  return originalNames(last).some((name) => secretName.test(name) && !harmless.test(name));
}

/** True if a path that may contain shell wildcards could name a secret. Wildcards do not match a leading dot. */
export function couldBeSensitive(path: string): boolean {
  if (!hasGlob(path)) return isSensitive(path);
  const parts = foldPath(path.replace(ofCopy, ''));
  return parts.some((part, index) => {
    const last = index === parts.length - 1;
    const candidates = last ? [...directories, ...namesForWildcards] : directories;
    if (!hasGlob(part)) return last ? isSensitive(part) : directories.includes(part);
    if (parts.slice(0, index).some((parent) => parentsOfPlaces.includes(parent))) return true;
    return candidates.some(
      (pattern) => !(pattern.startsWith('.') && /^[*?]/.test(part)) && globsOverlap(part, pattern),
    );
  });
}

const systemFiles =
  /^\/(?:etc\/(?:os-release|lsb-release|debian_version|alpine-release|redhat-release|fedora-release|hostname|issue|timezone|shells|hosts)|usr\/lib\/os-release|proc\/(?:cpuinfo|meminfo|version|uptime|loadavg|filesystems|stat|vmstat|diskstats|swaps))$/;

/** True if the file only identifies the operating system (such as `/etc/os-release`) or reports its state. */
export const isPublic = (path: string): boolean => systemFiles.test(path);

/**
 * The parts of a path as the most lenient file system compares them: ignoring case (macOS, Windows), invisible
 * characters (HFS+), and trailing dots and spaces (Windows shares). `.` is left out.
 */
export function foldPath(path: string): string[] {
  return path
    .split('/')
    .map((part) => (part === '..' ? part : withoutTrailing(foldText(part), '. ')))
    .filter((part) => part !== '')
    .map((part) => (/^git~\d+$/.test(part) ? '.git' : part));
}

/** Normalizes a text so that different spellings of one name are equal. */
export function foldText(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  const known = folded.get(text);
  if (known !== undefined) return known;
  // Upper case first, because only that makes `ſ` and `s` equal.
  const result = text.normalize('NFC').replace(invisible, '').toUpperCase().toLowerCase();
  if (folded.size >= MAX_FOLDED) folded.clear();
  folded.set(text, result);
  return result;
}

const ascii = /^[\0-\x7f]*$/;

/** Cache: a long command checks the same folders for each of its words. */
const folded = new Map<string, string>();
const MAX_FOLDED = 2000;

/** Characters that HFS+ ignores (see git's core.protectHFS), and those that folders with casefold on Linux may ignore. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
