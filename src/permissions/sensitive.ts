/**
 * Paths that hold secrets, and paths whose content is run or obeyed later. Reading the former and writing
 * either is always a question for the user; only a rule that names the file settles it beforehand.
 */
import { globsOverlap, hasGlob } from './globOverlap.ts';

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
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.pgpass',
  '.htpasswd',
  '.vault-token',
  '.dockercfg',
  '.bash_history',
  '.zsh_history',
  '.node_repl_history',
  'credentials',
  'credentials*.json',
  '*credentials.json',
  'service-account*.json',
  'client_secret*.json',
  'secrets.json',
  'secrets.y*ml',
  'secrets.toml',
];
/** What an open end adds (`id_rsa.bak`) is left out where any name with that end would match. */
const namesForWildcards = names.map((name) => (name.startsWith('.') ? name : name.replace(/\*$/, '')));
const harmless = /^(?:\.env[\w.-]*\.(?:example|sample|template|dist)|.*\.pub)$/;
const directories = ['.ssh', '.aws', '.gnupg', '.azure', '.password-store'];
const places =
  /(?:^|\/)(?:\.kube\/config|\.docker\/config\.json|\.config\/gcloud(?:\/.*)?|\.config\/gh\/hosts\.yml|\.clawdcode\/(?:config|credentials|auth|trust)[^/]*|proc\/[^/]+\/(?:environ|mem)|etc\/g?shadow-?)$/;
const parentsOfPlaces = ['.kube', '.docker', '.config', 'gh', 'gcloud', '.clawdcode', 'proc', 'etc'];

/** Whether a path (absolute or relative, not a pattern) names a secret: keys, credentials, `.env` files. */
export function isSensitive(path: string): boolean {
  const parts = split(path);
  const name = parts.at(-1);
  if (name === undefined) return false;
  if (parts.some((part) => directories.includes(part))) return true;
  if (places.test(parts.join('/'))) return true;
  // A file may be called `[id].ts`: what looks like a wildcard here is a character.
  const literal = name.replace(/[*?[{(]/g, '_');
  return !harmless.test(name) && names.some((pattern) => globsOverlap(pattern, literal));
}

/** Whether a path that may hold shell wildcards could name a secret. Wildcards do not match a leading dot. */
export function couldBeSensitive(path: string): boolean {
  if (!hasGlob(path)) return isSensitive(path);
  const parts = split(path);
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

const obeyedDirectories = ['.git', '.githooks', '.clawdcode', '.husky', '.vscode', '.idea', '.devcontainer'];
const obeyedFiles =
  /^(?:\.clawdcode.*|\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|inputrc|gitconfig|gitmodules|mcp\.json|vimrc|exrc|gdbinit|lldbinit|pdbrc|tmux\.conf|xinitrc|xsession|xprofile|yarnrc(?:\.yml)?)|config\.fish)$/;

/** Whether what is written there is run or obeyed later: `.git/`, our own settings, shell start-up files. */
export function isObeyed(path: string): boolean {
  const parts = split(path);
  return parts.some((part) => obeyedDirectories.includes(part)) || obeyedFiles.test(parts.at(-1) ?? '');
}

/** Lower case, because some file systems do not tell the difference. */
const split = (path: string): string[] =>
  path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '' && part !== '.');
