/** Where an address leads that git is given as a repository: git-clone(1) "GIT URLS", gitremote-helpers(7). Pure. */

type GitAddress =
  /** Another machine. */
  | { readonly type: 'host' }
  /** A folder of this machine, as written: git starts programs that the repository in it names. */
  | { readonly type: 'path'; readonly path: string }
  /** A program called `git-remote-…`, or for `ext::` the words that follow. */
  | { readonly type: 'program' };

/** Names are compared as git does: `HTTPS://` is a program called `git-remote-HTTPS`. */
const hosts = /^(?:ssh|git|git\+ssh|ssh\+git|https?|ftps?|codecommit|keybase)$/;
const helper = /^([A-Za-z\d][A-Za-z\d+.-]*)::(.*)$/s;
const url = /^([A-Za-z\d][A-Za-z\d+.-]*):\/\/(.*)$/s;
/** `host:path`, also with a user or brackets. */
const hostAndPath = /^[^/:]+:|^(?:[^/:@]+@)?\[/;
/** The usual SSH server of this machine, which leads to its own folders. */
const thisMachine =
  /^(?:(?:ssh|git\+ssh|ssh\+git):\/\/)?(?:[^/@]*@)?\[?(?:localhost|127\.[\d.]+|0|0\.0\.0\.0|::1)\]?(?::(?:22)?(?:\/|$)|:(?=[^\d/])|\/|$)/i;

export function gitAddress(address: string): GitAddress {
  const [, name, inner = ''] = helper.exec(address) ?? [];
  // It encrypts what it keeps at another address.
  if (name === 'gcrypt') return gitAddress(inner);
  const [, scheme, rest = ''] = url.exec(address) ?? [];
  const program = name ?? scheme;
  if (program === undefined && !hostAndPath.test(address)) return { type: 'path', path: address };
  if (thisMachine.test(address)) return { type: 'path', path: `./${address}` };
  if (name === undefined && program === 'file') return { type: 'path', path: decoded(rest) };
  return { type: program === undefined || hosts.test(program) ? 'host' : 'program' };
}

/** True if an address leads to another machine whatever follows it, as `url.<base>.insteadOf` makes git do. */
export const isHostPrefix = (base: string): boolean =>
  gitAddress(base).type === 'host' &&
  /^(?:(?:ssh|git\+ssh|ssh\+git):\/\/[^/]+\/|(?:git|https?|ftps?|codecommit|keybase):\/\/|(?:codecommit|keybase|https?)::|(?!(?:file|ext|fd|ssh|[\w+]+\+ssh):)[\w.@-]+:(?!\/\/))/.test(
    base,
  );

function decoded(path: string): string {
  try {
    return path.startsWith('/') ? decodeURIComponent(path) : `./${path}`;
  } catch {
    return `./${path}`;
  }
}
