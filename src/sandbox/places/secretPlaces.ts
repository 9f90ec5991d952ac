/**
 * Where keys, passwords and sessions are stored, which confined commands cannot see. The variables that move these
 * places come from the documentation of each program. Pure.
 */
import { isAbsolute, join } from 'node:path';
import { secretPlaces } from '../../disk/secretPlaces.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** System paths, absolute. Only root can read most of them, and so can a sandbox that root starts. */
const secretSystemPlaces: readonly string[] = [
  '/etc/security/opasswd',
  '/etc/krb5.keytab',
  '/etc/pki/tls/private',
  '/etc/NetworkManager/system-connections',
  '/etc/wireguard',
  '/etc/openvpn',
  '/etc/ipsec.secrets',
  '/etc/ppp/chap-secrets',
  '/etc/ppp/pap-secrets',
  '/etc/kubernetes',
  '/etc/rancher',
  '/etc/cloudflared',
  '/etc/postfix/sasl_passwd',
  '/etc/mysql/debian.cnf',
  '/var/lib/kubelet',
  '/var/lib/cloud/instance',
  '/run/credentials',
  '/run/agenix',
  '/run/secrets.d',
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/etc/letsencrypt',
  '/run/secrets',
  '/run/user',
  '/var/run/secrets',
];

/**
 * Variables that move a folder of the home. Sources: XDG Base Directory Specification, and each program's documentation
 * of its environment or configuration (cargo, gnupg, docker, gradle, gcloud, az, gh, glab, pass, pulumi,
 * huggingface-cli, kaggle, codex, claude, composer, poetry, pip, flyctl, databricks, snowflake, dbt, uv, helm, step,
 * minikube, android, pub, IPython).
 */
const movedFolders: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: '.config',
  XDG_DATA_HOME: '.local/share',
  XDG_STATE_HOME: '.local/state',
  XDG_CACHE_HOME: '.cache',
  CARGO_HOME: '.cargo',
  GNUPGHOME: '.gnupg',
  DOCKER_CONFIG: '.docker',
  GRADLE_USER_HOME: '.gradle',
  CLOUDSDK_CONFIG: '.config/gcloud',
  AZURE_CONFIG_DIR: '.azure',
  GH_CONFIG_DIR: '.config/gh',
  GLAB_CONFIG_DIR: '.config/glab-cli',
  PASSWORD_STORE_DIR: '.password-store',
  PULUMI_HOME: '.pulumi',
  HF_HOME: '.cache/huggingface',
  KAGGLE_CONFIG_DIR: '.kaggle',
  CODEX_HOME: '.codex',
  CLAUDE_CONFIG_DIR: '.claude',
  COMPOSER_HOME: '.config/composer',
  POETRY_CONFIG_DIR: '.config/pypoetry',
  FLY_CONFIG_DIR: '.fly',
  SNOWFLAKE_HOME: '.snowflake',
  DBT_PROFILES_DIR: '.dbt',
  UV_CREDENTIALS_DIR: '.local/share/uv/credentials',
  HELM_CONFIG_HOME: '.config/helm',
  STEPPATH: '.step',
  MINIKUBE_HOME: '.minikube',
  ANDROID_USER_HOME: '.android',
  PUB_CACHE: '.pub-cache',
  IPYTHONDIR: '.ipython',
  ELECTRUMDIR: '.electrum',
};

/**
 * Variables that name files with keys, passwords or histories, or lists of them. Sources: the same documentation of
 * kubectl, aws, gcloud, npm, pip, git and curl (.netrc), psql, mysql, gsutil, terraform, rclone, oci, podman, sops,
 * Kerberos, X11, Ansible, Talos, the shells and REPLs; npm sets `npm_config_userconfig` for the scripts it runs.
 */
const secretFiles: readonly string[] = [
  ...['KUBECONFIG', 'AWS_SHARED_CREDENTIALS_FILE', 'AWS_CONFIG_FILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'],
  ...[
    'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'AZURE_FEDERATED_TOKEN_FILE',
  ],
  ...['CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE', 'NPM_CONFIG_USERCONFIG', 'npm_config_userconfig'],
  ...['PIP_CONFIG_FILE', 'NETRC', 'PGPASSFILE', 'MYSQL_TEST_LOGIN_FILE', 'BOTO_CONFIG', 'BOTO_PATH'],
  ...['TF_CLI_CONFIG_FILE', 'RCLONE_CONFIG', 'OCI_CLI_CONFIG_FILE', 'REGISTRY_AUTH_FILE'],
  ...['SOPS_AGE_KEY_FILE', 'KRB5CCNAME', 'KRB5_KTNAME', 'KRB5_CLIENT_KTNAME', 'XAUTHORITY'],
  ...['ICEAUTHORITY', 'ANSIBLE_VAULT_PASSWORD_FILE', 'HF_TOKEN_PATH'],
  ...['DATABRICKS_CONFIG_FILE', 'SCW_CONFIG_PATH', 'SENTRY_PROPERTIES', 'HELM_REGISTRY_CONFIG'],
  ...['TALOSCONFIG'],
  ...['HISTFILE', 'LESSHISTFILE', 'PSQL_HISTORY', 'MYSQL_HISTFILE', 'SQLITE_HISTORY', 'REDISCLI_HISTFILE'],
  ...['NODE_REPL_HISTORY', 'PYTHON_HISTORY'],
];
/** Variables whose name says that the file is a secret; not keys, as a development server may need `SSL_KEY_FILE`. */
const secretFileName = /(?:TOKEN|PASSWORD|PASSWD|SECRET|CREDENTIALS?)_(?:FILE|PATH)$/i;

interface SecretPaths {
  /** Default locations of files and folders. */
  readonly places: readonly string[];
  /** The same places where a variable has moved them. */
  readonly moved: readonly string[];
  /** Files that variables name; no folders, since a folder could be any. */
  readonly files: readonly string[];
}

/** All places that may contain secrets of a user with these homes, absolute; most do not exist. `user` is a user id. */
export function secretPathsOf(
  homes: readonly string[],
  env: Variables,
  user: number | undefined,
): SecretPaths {
  const moved = Object.entries(movedFolders).flatMap(([variable, from]) => {
    const to = env[variable];
    if (to === undefined || !isAbsolute(to)) return [];
    const inside = secretPlaces.filter((place) => place === from || place.startsWith(`${from}/`));
    return inside.map((place) => join(to, place.slice(from.length)));
  });
  return {
    places: [
      ...homes.flatMap((home) => secretPlaces.map((place) => join(home, place))),
      ...secretSystemPlaces,
    ],
    moved,
    files: [
      ...Object.entries(env)
        .filter(([name]) => secretFiles.includes(name) || secretFileName.test(name))
        .flatMap(([, value = '']) => value.split(':').filter((path) => isAbsolute(path))),
      // Where Kerberos keeps tickets. Source: krb5.conf, default_ccache_name.
      ...(user === undefined ? [] : [`/tmp/krb5cc_${user}`]),
    ],
  };
}
