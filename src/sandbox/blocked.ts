/** Tells from a failed command's output whether the sandbox was the reason. Pure. */

/** What confined programs say, and what it means. The first that is found counts. */
const signs: readonly (readonly [RegExp, string])[] = [
  [/read-only file system|\bEROFS\b/i, 'it wrote outside the workspace or to a protected file'],
  [/no new privileges|must be setuid root|effective uid is not 0/i, 'it wanted the rights of another user'],
  // gpg behind git, ssh-keygen behind git, and gpg itself.
  [
    /failed to sign the data|signing failed|no secret key|no agent running|(?:couldn't load|no private key found for|load key).*\.ssh\//i,
    'it wanted to sign with a key that the sandbox hides',
  ],
  [
    /permission denied \(publickey|could not open a connection to your authentication agent|host key verification failed/i,
    'it wanted to use ssh with a key that the sandbox hides',
  ],
  [
    /(?:\.sock\b|socket|docker|\bX11\b|display|d-?bus|\bagent\b).*(?:operation not permitted|\bEPERM\b|no such file)|failed to connect to bus|cannot connect to the docker daemon|\b(?:listen|connect) EPERM\b/i,
    'it used a socket of another program, or made a socket file',
  ],
  [
    /could not resolve|couldn't resolve|name resolution|getaddrinfo|\bENOTFOUND\b|\bEAI_AGAIN\b|\bENETUNREACH\b|network is unreachable/i,
    'it wanted to reach the network without the proxy of the sandbox',
  ],
  // npm, gh, aws, gcloud, docker; last, as any server may want a login.
  [
    /\b(?:ENEEDAUTH|E401)\b|gh auth login|unable to locate credentials|you do not currently have an active account|no basic auth credentials/i,
    'it needed a login that the sandbox hides',
  ],
];

/** What a program says about a request that failed, in the words of curl, git, Node, Python, Go and package managers. */
const networkFailure =
  /\bproxy|tunnel|\b403\b|forbidden|fetch failed|unable to access|\bECONN|\bETIMEDOUT\b|\bENOTFOUND\b|\bEAI_AGAIN\b|connection (?:refused|reset|closed|aborted|error|failed)|(?:could|can)(?: ?not|n't) (?:resolve|connect|reach)|network|handshake|\bTLS\b|\bSSL\b|max retries|download/i;

/** Errors come last, and a longer text would hold such words by chance. */
const TAIL_LENGTH = 4000;

/**
 * Why the sandbox made a command fail, to follow "The sandbox (seems to have) blocked it: "; undefined when it did not.
 * `problems`: what the proxy said about hosts that are allowed.
 */
export function whyBlocked(
  output: string,
  exitCode: number,
  refusedHosts: readonly string[],
  problems: readonly string[] = [],
): string | undefined {
  if (exitCode === 0) return undefined;
  if (problems.length > 0) return problems[0];
  const tail = output.slice(-TAIL_LENGTH);
  if (refusedHosts.length > 0 && isAbout(refusedHosts, tail))
    return `it wanted to reach ${listed(refusedHosts)}, which no rule allows`;
  return signs.find(([pattern]) => pattern.test(tail))?.[1];
}

/**
 * Whether a refused host is why the command failed: it says so, or says nothing. A search for updates or a report of
 * usage is refused beside failures of other causes, and programs do not mention those.
 */
function isAbout(hosts: readonly string[], tail: string): boolean {
  if (tail.trim() === '' || networkFailure.test(tail)) return true;
  return hosts.some((host) => tail.includes(host.replace(/:\d+$/, '')));
}

function listed(hosts: readonly string[]): string {
  const shown = hosts.slice(0, 4).join(', ');
  return hosts.length <= 4 ? shown : `${shown} and ${hosts.length - 4} more`;
}
